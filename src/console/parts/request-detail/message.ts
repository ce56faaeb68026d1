/** Renders the headers and the body of a message. */
import { html, type TemplateResult } from 'lit';
import type { LocatedError } from '../../data/located-errors.ts';
import { counted } from '../counted.ts';
import { jsonView } from '../json-view.ts';

export function headerTable(headers: Readonly<Record<string, string>>): TemplateResult {
  const all = Object.entries(headers);
  return html`
    <details class="headers">
      <summary>${counted(all.length, 'header')}</summary>
      <dl class="facts mono">${all.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
    </details>
  `;
}

export function renderMessage(
  label: string,
  title: unknown,
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body?: string },
  errors: readonly LocatedError[] = [],
): TemplateResult {
  return html`
    <section class="column" aria-label=${label}>
      <p>${title}</p>
      ${headerTable(headers)}
      ${body === undefined ? html`<p class="quiet">No body.</p>` : jsonView(body, errors)}
    </section>
  `;
}
