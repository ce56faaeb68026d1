/** One line of the form: its name on the left, its fields on the right. */
import { html, type TemplateResult } from 'lit';

export function part(name: string, fields: unknown): TemplateResult {
  return html`<div class="part"><span class="part-name">${name}</span><div class="row">${fields}</div></div>`;
}
