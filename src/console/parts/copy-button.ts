/** A button that copies a text and then shows a notice. */
import { html, type TemplateResult } from 'lit';
import { notice } from './notices.ts';

export function copyButton(label: string, text: () => string | Promise<string>): TemplateResult {
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(await text());
      notice('good', 'Copied.');
    } catch {
      notice('bad', 'The browser blocked copying. Select the text and copy it manually.');
    }
  };
  return html`<button type="button" @click=${copy}>${label}</button>`;
}
