/** Renders states as colored chips. */
import { html, type TemplateResult } from 'lit';

/** Renders the status code of a response. It is 0 if no response was sent, which `none` describes. */
export function statusChip(status: number, none = 'no response'): TemplateResult {
  return html`<span class="chip ${statusKind(status)}">${status === 0 ? none : status}</span>`;
}

/** Returns the color of a status code. */
function statusKind(status: number): 'good' | 'warn' | 'bad' {
  if (status === 0 || status >= 500) return 'bad';
  return status >= 400 ? 'warn' : 'good';
}
