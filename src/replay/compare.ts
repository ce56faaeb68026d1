/** Says whether what came now is what was recorded, byte for byte, and shows the first difference. */
import type { Callback } from '../callbacks/callback.ts';
import type { Reply } from '../http/reply.ts';
import type { RecordedCallback, RecordedChange, RecordedRequest, Recording } from '../journal/recording.ts';

/** The first thing that was otherwise. */
export interface Difference {
  /** In what they differ: `status`, `body`, `callback`, … */
  readonly what: string;
  readonly recorded: string;
  readonly played: string;
  /** The request that it is of, if one was found. */
  readonly request: (RecordedRequest & { readonly n: number; readonly at: string }) | undefined;
}

/** Compares an answer. */
export function compareRequest(
  recorded: RecordedRequest & { readonly n: number; readonly at: string },
  reply: Reply,
): Difference | undefined {
  const { response } = recorded;
  const pairs: readonly (readonly [string, unknown, unknown])[] = [
    ['request id', recorded.id, reply.headers['x-request-id'] ?? recorded.id],
    ['status', response.status, reply.status],
    ['connection', response.fault, reply.fault?.kind],
    ['body', response.body, reply.body],
  ];
  const other = pairs.find(([, before, now]) => before !== now);
  if (!other) return undefined;
  const [what, before, now] = other;
  return { what, recorded: toText(before), played: toText(now), request: recorded };
}

/** Compares all callbacks, in the order in which they were raised. */
export function compareCallbacks(
  { changes }: Recording,
  recorded: readonly RecordedCallback[],
  played: readonly Callback[],
): Difference | undefined {
  for (let index = 0; index < Math.max(recorded.length, played.length); index += 1) {
    const before = recorded[index];
    const now = played[index];
    const found =
      before?.id === now?.id
        ? { what: 'callback body', recorded: toText(before?.body), played: toText(now?.body) }
        : { what: 'callback', recorded: name(before), played: name(now) };
    if (found.recorded === found.played) continue;
    const requestId = before?.requestId ?? now?.requestId;
    const request = changes.find(
      (change): change is Extract<RecordedChange, { kind: 'request' }> =>
        change.kind === 'request' && change.id === requestId,
    );
    return { ...found, request };
  }
  return undefined;
}

function name(callback: { readonly id: string; readonly body: object } | undefined): string {
  return callback ? `${callback.id} ${JSON.stringify(callback.body)}` : 'none';
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined ? 'none' : JSON.stringify(value);
}
