/** Lists the rules that fired for a request, and why the other rules did not. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Schemas } from '../../data/schemas.ts';
import { counted } from '../counted.ts';

type Rules = Schemas['RequestSummary']['rules'];

export function renderRules({ rules }: Schemas['RequestSummary']): TemplateResult {
  const fired = rules.filter((rule) => rule.fired);
  const missed = rules.filter((rule) => !rule.fired);
  const row = ({ scenario, rule, why }: Rules[number]) =>
    html`<tr><td>${scenario}</td><td>${rule}</td><td>${why}</td></tr>`;
  const table = (all: Rules) => html`
    <div class="scroll"><table><thead><tr><th>Scenario</th><th>Rule</th><th>Reason</th></tr></thead><tbody>${all.map(row)}</tbody></table></div>
  `;
  return html`
    <section class="column" aria-label="Rules">
      ${fired.length === 0 ? html`<p class="quiet">No rule fired.</p>` : table(fired)}
      ${
        missed.length === 0
          ? nothing
          : html`<details><summary>${counted(missed.length, 'rule')} did not fire</summary>${table(missed)}</details>`
      }
    </section>
  `;
}
