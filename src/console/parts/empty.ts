/** Placeholder of an empty view. It says what to do next. */
import { html, type TemplateResult } from 'lit';

export function empty(title: string, next: unknown): TemplateResult {
  return html`<div class="empty"><h2>${title}</h2><div>${next}</div></div>`;
}
