/** Tables of the rules with how often they fired, and of the expectations with whether they are met. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Schemas } from '../../data/client.ts';
import { linkTo } from '../../data/route.ts';
import { table } from '../../parts/table.ts';
import type { Active } from './data.ts';

/** Renders the active rules in order of priority, with their counts since activation. */
export function renderRules(project: string, rules: Active['rules'] | undefined): TemplateResult {
  if (rules === undefined) return html`<p class="quiet">Loading…</p>`;
  // Eight unused magic ids would hide the rest.
  const shown = rules.filter(({ scenario, acted }) => scenario !== 'magic-ids' || acted > 0);
  if (shown.length === 0) {
    return html`<p class="quiet">No rule activity yet. Each request under <a href=${linkTo('live')}>Live</a> lists the rules that fired, and why others did not.</p>`;
  }
  return html`
    <details open>
      <summary>Rule activity</summary>
      ${table(
        'Rules',
        ['Scenario', 'Rule', 'Matched', 'Fired', 'Remaining'],
        shown.map((rule) => renderRule(project, rule)),
      )}
    </details>
  `;
}

function renderRule(project: string, { scenario, rule, met, acted, left }: Active['rules'][number]): TemplateResult {
  return html`
    <tr>
      <td>${scenario}</td>
      <td>${rule}</td>
      <td>${met}</td>
      <td>${acted === 0 ? acted : html`<a href=${linkTo('live', { project, q: scenario })}>${acted}</a>`}</td>
      <td>${left === null ? html`<span class="quiet">unlimited</span>` : left === 0 ? html`<span class="chip warn">used up</span>` : left}</td>
    </tr>
  `;
}

export function renderExpectations(expectations: Schemas['Expectations'] | undefined): TemplateResult | typeof nothing {
  if (expectations === undefined || expectations.items.length === 0) return nothing;
  const met = expectations.items.filter((item) => item.met).length;
  return html`
    <details open>
      <summary>Expectations: ${met} of ${expectations.items.length} met</summary>
      ${table(
        'Expectations',
        ['Scenario', 'Result', 'Expected and actual'],
        expectations.items.map(
          ({ scenario, met: isMet, why }) => html`
            <tr><td>${scenario}</td><td><span class="chip ${isMet ? 'good' : 'warn'}">${isMet ? 'met' : 'not met'}</span></td><td>${why}</td></tr>
          `,
        ),
      )}
    </details>
  `;
}
