/** The expectations of the active scenarios, and whether they are met. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Schemas } from '../../../data/client.ts';
import { table } from '../../../parts/table.ts';

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
