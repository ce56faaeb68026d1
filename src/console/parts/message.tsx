/** A message: its headers, and its body with the errors at their places. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { formatCount } from '../../lib/format.ts';
import { Json, type PlacedError } from './json.tsx';
import { Copy, Facts } from './small.tsx';

interface MessageProps {
  readonly label: string;
  readonly title: ComponentChildren;
  readonly message: {
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string | undefined;
    /** Size of a body that was stored in part, in bytes. */
    readonly bodyCut?: number | undefined;
  };
  readonly errors?: readonly PlacedError[];
}

/** Scrolls to the first error when it is shown. */
export function Message({ label, title, message, errors = [] }: MessageProps) {
  const { headers, body = '', bodyCut } = message;
  const part = useRef<HTMLDivElement>(null);
  useEffect(() => part.current?.querySelector('.error, .error-here')?.scrollIntoView({ block: 'center' }), []);
  return (
    <div ref={part} class="column" role="group" aria-label={label}>
      <div class="row">
        <span>{title}</span>
        <span class="push">
          <Copy label={`Copy ${label.toLowerCase()}`} text={body} />
        </span>
      </div>
      <Headers of={headers} />
      {body === '' ? (
        <p class="quiet">{isBodyMissing(message) ? 'The body is not in the journal.' : 'No body.'}</p>
      ) : (
        <Json text={body} errors={errors} />
      )}
      {bodyCut !== undefined && (
        <p class="quiet">
          The first {sizeOf(body)} of {formatCount(bodyCut, 'byte')}.
        </p>
      )}
    </div>
  );
}

/** Whether a message had a body that the journal does not have. */
export function isBodyMissing({ headers, body = '' }: MessageProps['message']): boolean {
  return body === '' && Number(headers['content-length'] ?? 0) > 0;
}

/** Returns the size of a text, such as `2 bytes`. */
export function sizeOf(text: string): string {
  return formatCount(new TextEncoder().encode(text).length, 'byte');
}

/** The headers of a message, folded. */
function Headers({ of }: { readonly of: Readonly<Record<string, string>> }) {
  const all = Object.entries(of);
  return (
    <details>
      <summary class="quiet">{formatCount(all.length, 'header')}</summary>
      <Facts of={all} look="facts mono" />
    </details>
  );
}
