/** Renders how much of the API and its failures clients have met: a ring for all, and a bar for each group. */
import { html, nothing, type TemplateResult } from 'lit';
import { groupOf, type KindGroup, kindGroups } from '../../../../sweep-report/kinds.ts';
import { linkTo } from '../../../data/route.ts';
import type { Schemas } from '../../../data/schemas.ts';
import { counted } from '../../../parts/counted.ts';
import { icon } from '../../../parts/icon.ts';

type Coverage = Schemas['Coverage'];

const failureTitles: Readonly<Record<KindGroup, string>> = {
  entries: 'Rejected and failed entries',
  statuses: 'Error statuses',
  connection: 'Slow and broken connections',
  callbacks: 'Disturbed callbacks',
  others: 'Other failures',
};

/** Maximum number of listed failures. */
const maxListed = 4;

type Share = Pick<Schemas['CoverageShare'], 'met' | 'total'>;

export function renderMet(coverage: Coverage): TemplateResult {
  const { met, total, percent, operations, callbacks } = coverage;
  return html`
    <div class="met-total">
      <span class="ring" .style=${`--part: ${percent}%`}><strong>${percent} %</strong></span>
      <p><strong>${met.toLocaleString('en')}</strong> of ${total.toLocaleString('en')} <span class="quiet">operations, failures and callback conditions</span></p>
    </div>
    <dl class="met-groups">
      ${renderShare('Operations', operations)} ${countFailures(coverage).map(([title, share]) => renderShare(title, share))}
      ${renderShare('Callback conditions', callbacks)}
    </dl>
    ${renderFailures(coverage)}
    <p class="goal-end"><a class="step" href=${linkTo('quality', { tab: 'coverage', met: 'yes' })}>All that was met${icon('arrow-right')}</a></p>
  `;
}

/** Counts the failures of all operations by group. */
function countFailures({ items }: Coverage): readonly (readonly [title: string, share: Share])[] {
  const all = items.flatMap(({ failures }) => failures);
  return kindGroups.flatMap((group) => {
    const ofGroup = all.filter(({ kind }) => groupOf(kind) === group);
    const share = { met: ofGroup.filter(({ met }) => met).length, total: ofGroup.length };
    return ofGroup.length === 0 ? [] : [[failureTitles[group], share] as const];
  });
}

function renderShare(title: string, { met, total }: Share): TemplateResult {
  return html`
    <div>
      <dt>${title}</dt>
      <dd>${met.toLocaleString('en')} <span class="quiet">of ${total.toLocaleString('en')}</span></dd>
      <dd class="part-bar"><i .style=${`--part: ${total === 0 ? 100 : (100 * met) / total}%`}></i></dd>
    </div>
  `;
}

/** Lists the failures that clients have met most often, each with its first request. */
function renderFailures({ items }: Coverage): TemplateResult | typeof nothing {
  const met = items.flatMap(({ operation, failures }) =>
    failures.filter(({ count }) => count > 0).map((failure) => ({ ...failure, operation })),
  );
  if (met.length === 0) return nothing;
  const often = met.toSorted((a, b) => b.count - a.count).slice(0, maxListed);
  return html`
    <ul class="goal-list">
      ${often.map(
        ({ kind, operation, count, first }) => html`
          <li>
            <p><code>${kind}</code> <span class="quiet">${operation}</span></p>
            ${first ? html`<a href=${linkTo('live', { project: first.project ?? '', request: first.request })}>${counted(count, 'time')}<span class="unseen">first request with ${kind}</span></a>` : counted(count, 'time')}
          </li>
        `,
      )}
    </ul>
  `;
}
