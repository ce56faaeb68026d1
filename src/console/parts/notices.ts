/** Short notices of success or failure. Screen readers announce them, and they disappear after a few seconds. */
import { html, nothing, type TemplateResult } from 'lit';

export { attempt, notice } from '../state.ts';

/** Renders an error on a screen, or nothing if the text is empty. */
export function errorNote(text: string): TemplateResult | typeof nothing {
  return text === '' ? nothing : html`<p class="note bad" role="alert">${text}</p>`;
}
