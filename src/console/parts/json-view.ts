/** Renders formatted JSON, with each error next to its value. */
import { html, nothing, type TemplateResult } from 'lit';
import { readJson } from '../data/response-body.ts';
import type { PlacedError as LocatedError } from './json.tsx';

/**
 * Maximum length of highlighted text, in characters. Longer texts are shown as plain text, because highlighting takes
 * too long.
 */
const maxHighlightedLength = 200_000;

/** Renders a body: highlighted if it is JSON, with the `errors` after the lines that contain them. */
export function jsonView(text: string, errors: readonly LocatedError[] = []): TemplateResult {
  const value = text.length > maxHighlightedLength ? undefined : readJson(text);
  if (value === undefined)
    return html`<pre tabindex="0" role="group" aria-label="Text">${markedText(text, errors)}</pre>${errorList(errors)}`;
  const placed = new Set<LocatedError>();
  const lines = toLines(value, '', '');
  const shown = lines.map(({ path, content }) => {
    const lineErrors = errors.filter((error) => error.path === path && !placed.has(error));
    for (const error of lineErrors) placed.add(error);
    return html`${content}\n${lineErrors.map(({ message }) => html`<span class="error">${message}</span>`)}`;
  });
  const others = errors.filter((error) => !placed.has(error));
  return html`<pre tabindex="0" role="group" aria-label="JSON">${shown}</pre>${errorList(others)}`;
}

/** Marks the text that is not JSON from the position of the syntax error. The message ends with its line and column. */
function markedText(text: string, errors: readonly LocatedError[]): unknown {
  const [, line, column] = /line (\d+), column (\d+)$/.exec(errors[0]?.message ?? '') ?? [];
  if (line === undefined) return text;
  const before = text.split('\n').slice(0, Number(line) - 1);
  const at = before.reduce((sum, one) => sum + one.length + 1, 0) + Number(column) - 1;
  const end = text.indexOf('\n', at) < 0 ? text.length : text.indexOf('\n', at);
  return html`${text.slice(0, at)}<mark class="error-here">${text.slice(at, end)}</mark>${text.slice(end)}`;
}

/** Lists the errors whose location is not in the body, such as a missing field or a header. */
function errorList(errors: readonly LocatedError[]): TemplateResult | typeof nothing {
  if (errors.length === 0) return nothing;
  return html`<ul aria-label="Other errors">${errors.map(({ path, message }) => html`<li class="bad"><code>${path || 'body'}</code> ${message}</li>`)}</ul>`;
}

interface Line {
  /** JSON Pointer of the value that starts on this line. */
  readonly path: string;
  readonly content: TemplateResult;
}

/** `before`: what precedes the value on its line, such as its key. */
function toLines(value: unknown, path: string, indent: string, before: unknown = nothing, after = ''): readonly Line[] {
  if (typeof value !== 'object' || value === null) {
    return [{ path, content: html`${indent}${before}${scalar(value)}${after}` }];
  }
  const isList = Array.isArray(value);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  const entries = Object.entries(value);
  if (entries.length === 0) return [{ path, content: html`${indent}${before}${open}${close}${after}` }];
  return [
    { path, content: html`${indent}${before}${open}` },
    ...entries.flatMap(([key, inner], index) =>
      toLines(
        inner,
        `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`,
        `${indent}  `,
        isList ? nothing : html`<span class="json-key">${JSON.stringify(key)}</span>: `,
        index < entries.length - 1 ? ',' : '',
      ),
    ),
    { path: '(end)', content: html`${indent}${close}${after}` },
  ];
}

function scalar(value: unknown): TemplateResult {
  const kind = typeof value === 'string' ? 'json-text' : 'json-number';
  return html`<span class=${kind}>${JSON.stringify(value)}</span>`;
}
