/** Copies a text and then shows a notice. */
import { html, type TemplateResult } from 'lit';
import { copyText } from '../state.ts';

/** Renders a button that copies a text. */
export function copyButton(label: string, text: () => string | Promise<string>): TemplateResult {
  return html`<button type="button" @click=${() => copyText(text())}>${label}</button>`;
}
