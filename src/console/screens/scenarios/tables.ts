/** Tables of the rules with how often they fired, and of the expectations with whether they are met. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Schemas } from '../../data/client.ts';
import { linkTo } from '../../data/route.ts';
import type { Active } from './data.ts';

/** Renders the active rules in order of priority, with their counts since they were switched on. */
export function renderRules(project: string, rules: Active['rules'] | undefined): TemplateResult {
  if (rules === undefined) return html`<p class="quiet">Counting…</p>`;
  // Eight unused magic ids would hide the rest.
  const shown = rules.filter(({ scenario, acted }) => scenario !== 'magic-ids' || acted > 0);
  if (shown.length === 0) {
    return html`<p class="quiet">No rule has anything to tell yet. <a href=${linkTo('live')}>Send a request</a>: it says which rule acted, and why another did not.</p>`;
  }
  return html`
    <details open>
      <summary>Rules, since they were switched on</summary>
      <div class="scroll" tabindex="0" role="region" aria-label="Rules">
        <table>
          <thead><tr><th scope="col">Scenario</th><th scope="col">Rule</th><th scope="col">Conditions met</th><th scope="col">Acted</th><th scope="col">Uses left</th></tr></thead>
          <tbody>${shown.map((rule) => renderRule(project, rule))}</tbody>
        </table>
      </div>
    </details>
  `;
}

function renderRule(project: string, { scenario, rule, met, acted, left }: Active['rules'][number]): TemplateResult {
  return html`
    <tr>
      <td>${scenario}</td>
      <td>${rule}</td>
      <td>${times(met)}</td>
      <td>${acted === 0 ? html`<span class="quiet">never</span>` : html`<a href=${linkTo('live', { project, q: scenario })}>${times(acted)}</a>`}</td>
      <td>${left === null ? html`<span class="quiet">no end</span>` : left === 0 ? html`<span class="chip warn">no use left</span>` : left}</td>
    </tr>
  `;
}

function times(count: number): string {
  return count === 0 ? 'never' : count === 1 ? 'once' : `${count} times`;
}

export function renderExpectations(expectations: Schemas['Expectations'] | undefined): TemplateResult | typeof nothing {
  if (expectations === undefined || expectations.items.length === 0) return nothing;
  const met = expectations.items.filter((item) => item.met).length;
  return html`
    <details open>
      <summary>What they expect: ${met} of ${expectations.items.length} met</summary>
    <div class="scroll" tabindex="0" role="region" aria-label="Expectations">
      <table>
        <thead><tr><th scope="col">Scenario</th><th scope="col">Met</th><th scope="col">What was wanted, and what there was</th></tr></thead>
        <tbody>
          ${expectations.items.map(
            ({ scenario, met: isMet, why }) => html`
              <tr><td>${scenario}</td><td><span class="chip ${isMet ? 'good' : 'warn'}">${isMet ? 'met' : 'not yet'}</span></td><td>${why}</td></tr>
            `,
          )}
        </tbody>
      </table>
    </div>
    </details>
  `;
}
