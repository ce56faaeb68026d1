/** Placeholder of a list that is not loaded yet: gray bars in place of its rows. */
import { html, type TemplateResult } from 'lit';

/** Widths of the bars, in percent. */
const widths = [62, 48, 71, 55, 66, 40, 58] as const;

export function skeleton(rows = 6): TemplateResult {
  return html`
    <div class="skeleton" role="status">
      <span class="unseen">Loading…</span>
      ${Array.from({ length: rows }, (_, row) => html`<i .style=${`--wide: ${widths[row % widths.length]}%`}></i>`)}
    </div>
  `;
}
