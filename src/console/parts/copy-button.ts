/** Copies a text and then shows a notice. */
import { html, type TemplateResult } from 'lit';
import { copyText } from '../state.ts';
import { icon } from './icon.ts';

/** Renders an icon that copies the text beside it. */
export function copyIcon(label: string, text: () => string): TemplateResult {
  return html`<button type="button" class="icon" aria-label=${label} title=${label} @click=${() => copyText(text())}>${icon('copy')}</button>`;
}

/** Renders a button that copies a text. */
export function copyButton(label: string, text: () => string | Promise<string>): TemplateResult {
  return html`<button type="button" @click=${() => copyText(text())}>${label}</button>`;
}
