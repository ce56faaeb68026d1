/** Renders the most useful of what clients have not met, each with one action that produces it. */
import { html, type TemplateResult } from 'lit';
import { linkTo } from '../../../data/route.ts';
import type { Schemas } from '../../../data/schemas.ts';
import { chosenProject } from '../../../parts/choose-project.ts';
import { icon } from '../../../parts/icon.ts';
import { inlineCode } from '../../../parts/inline-code.ts';
import { activate, needsReceiver } from '../coverage/activate.ts';
import { filterAreas, type Item, type Shown } from '../coverage/filter.ts';
import { findNextSteps, type NextStep } from './next-steps.ts';

const maxSteps = 6;

/** `activated`: names of failures that were activated here; `note` adds one. */
export function renderNotMet(
  coverage: Schemas['Coverage'],
  activated: ReadonlySet<string>,
  note: (name: string) => void,
): TemplateResult {
  const met = [
    ...coverage.items.flatMap(({ failures }) => failures),
    ...coverage.callbackItems.flatMap((one) => one.conditions),
  ];
  const metKinds = new Set(met.filter((one) => one.met).map(({ kind }) => kind));
  const steps = findNextSteps(filterAreas(coverage, { search: '', met: false }), metKinds);
  if (steps.length === 0) return html`<p class="good">Your client has met everything.</p>`;
  const count = coverage.total - coverage.met;
  return html`
    <p class="quiet">The most useful next, of the operations that your client calls.</p>
    <ul class="goal-list">${steps.slice(0, maxSteps).map((step) => html`<li>${renderStep(step, activated, note)}</li>`)}</ul>
    <p class="goal-end"><a class="step" href=${linkTo('quality', { tab: 'coverage', met: 'no' })}>All ${count.toLocaleString('en')} not met${icon('arrow-right')}</a></p>
  `;
}

function renderStep(
  { area, item }: NextStep,
  activated: ReadonlySet<string>,
  note: (name: string) => void,
): TemplateResult {
  if (item === undefined) {
    return html`
      <p><code>${area.name}</code><span class="quiet">no call yet</span></p>
      <a class="button" href=${linkTo('reference', { operation: area.name })}>Call it</a>
    `;
  }
  return html`
    <p><code>${item.kind}</code> <span class="quiet">${area.name}</span></p>
    <p class="quiet why">${inlineCode(item.about)}</p>
    ${renderAction(area, item, activated, note)}
  `;
}

function renderAction(
  area: Shown,
  item: Item,
  activated: ReadonlySet<string>,
  note: (name: string) => void,
): TemplateResult {
  if (needsReceiver(area, item)) {
    return html`<a class="button" href=${linkTo('callbacks', { view: 'endpoint' })}>Set the receiver</a>`;
  }
  const project = chosenProject();
  if (project === undefined) {
    return html`<a class="button" href=${linkTo('quality', { tab: 'coverage', op: area.name, met: 'no' })}>How to</a>`;
  }
  const name = `${project} ${area.name} ${item.kind}`;
  if (activated.has(name)) {
    return html`<span class="chip good" role="status">active: ${area.kind === 'operation' ? 'call it now' : 'let an entry fail now'}</span>`;
  }
  const produce = async (): Promise<void> => {
    if (await activate(area, item, project)) note(name);
  };
  return html`<button type="button" title="Activates a scenario for ${project}" @click=${produce}>Produce it<span class="unseen">${item.kind} of ${area.name}</span></button>`;
}
