/** Renders the parts of a text between backticks as code. */
import { html, type TemplateResult } from 'lit';

/** An unpaired backtick stays unchanged. */
export function inlineCode(text: string): TemplateResult {
  const parts = text.split(/`([^`]+)`/);
  return html`${parts.map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`))}`;
}
