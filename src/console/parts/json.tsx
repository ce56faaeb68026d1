/** Formatted JSON, with each error next to its value. */
import type { ComponentChildren } from 'preact';
import type { Schemas } from '../api.ts';
import { visible } from '../format.ts';
import { toLines } from '../json-lines.ts';

export type PlacedError = Schemas['PlacedError'];

/** Maximum length of highlighted text, in characters. Longer texts are shown as they are: highlighting takes too long. */
const maxHighlighted = 200_000;

/** A body: highlighted if it is JSON, with the `errors` after the lines that contain them. */
export function Json({ text, errors = [] }: { readonly text: string; readonly errors?: readonly PlacedError[] }) {
  const lines = text.length > maxHighlighted ? [] : toLines(text);
  const placed = new Set<PlacedError>();
  const shown = lines.map(({ path, parts }, index) => {
    const here = errors.filter((error) => error.path === path && !placed.has(error));
    for (const error of here) placed.add(error);
    return (
      <span key={index}>
        {parts.map(toContent)}
        {'\n'}
        {here.map(({ kind, message }) => (
          <span key={message} class="error">
            {/* Such an entry was accepted at first. */}
            {kind === 'failedLater' && 'failed later: '}
            {visible(message)}
          </span>
        ))}
      </span>
    );
  });
  return (
    <>
      <pre tabIndex={0} role="group" aria-label={shown.length === 0 ? 'Text' : 'JSON'}>
        {shown.length === 0 ? markedText(text, errors[0]) : shown}
      </pre>
      <OtherErrors errors={errors.filter((error) => !placed.has(error))} />
    </>
  );
}

/** Marks the text that is not JSON from the position of the error to the end of its line. */
function markedText(text: string, error: PlacedError | undefined): ComponentChildren {
  const { line, column } = error ?? {};
  if (line === undefined || column === undefined) return visibleLines(text);
  const before = text.split('\n').slice(0, line - 1);
  const at = before.reduce((sum, one) => sum + one.length + 1, 0) + column - 1;
  const end = text.indexOf('\n', at) < 0 ? text.length : text.indexOf('\n', at);
  return (
    <>
      {visibleLines(text.slice(0, at))}
      <mark class="error-here">{visibleLines(text.slice(at, end))}</mark>
      {visibleLines(text.slice(end))}
    </>
  );
}

/** Keeps the layout of a text of several lines. */
function visibleLines(text: string): string {
  return text.replace(/[^\t\r\n]+/g, visible);
}

/** Errors whose place is not in the body, such as a missing field or a header. */
function OtherErrors({ errors }: { readonly errors: readonly PlacedError[] }) {
  if (errors.length === 0) return null;
  return (
    <ul aria-label="Other errors">
      {errors.map(({ path, message }) => (
        <li key={`${path} ${message}`} class="bad">
          <code>{visible(path) || 'body'}</code> {visible(message)}
        </li>
      ))}
    </ul>
  );
}

function toContent(part: string, at: number, { [at + 1]: next }: readonly string[]): ComponentChildren {
  if (part.startsWith('"')) return <span class={next === ': ' ? 'json-key' : 'json-text'}>{visible(part)}</span>;
  return /^[\w-]/.test(part) ? <span class="json-number">{part}</span> : part;
}
