/** A text with the parts between backticks set as code, as whoever wrote it meant. */
import { html, type TemplateResult } from 'lit';

/** A backtick without another stays as it is. */
export function inlineCode(text: string): TemplateResult {
  const parts = text.split(/`([^`]+)`/);
  return html`${parts.map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`))}`;
}
