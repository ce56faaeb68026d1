/** Renders a table that scrolls by keyboard if it is wider than the screen. `label` is its accessible name. */
import { html, type TemplateResult } from 'lit';

export function table(label: string, columns: readonly string[], rows: unknown, className = ''): TemplateResult {
  return html`
    <div class="scroll ${className}" tabindex="0" role="region" aria-label=${label}>
      <table>
        <thead><tr>${columns.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
        <tbody>${rows}</tbody>
      </table>
    </div>
  `;
}
