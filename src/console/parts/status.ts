/** Renders a status code as a colored chip. */
import { html, type TemplateResult } from 'lit';

export function statusChip(status: number): TemplateResult {
  const kind = status === 0 || status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good';
  return html`<span class="chip ${kind}">${status === 0 ? 'no response' : status}</span>`;
}
