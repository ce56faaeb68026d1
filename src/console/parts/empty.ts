/** Placeholder of an empty view: one line, and one action that leads on. */
import { html, nothing, type TemplateResult } from 'lit';

/** `action`: a link or a button. */
export function empty(line: string, action: unknown = nothing): TemplateResult {
  return html`<div class="empty"><h2>${line}</h2>${action === nothing ? nothing : html`<div>${action}</div>`}</div>`;
}
