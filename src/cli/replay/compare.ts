/** Compares responses and callbacks of a replay with the recording, byte for byte. */
import type { Callback } from '../../callbacks/callback.ts';
import type { Reply } from '../../http/reply.ts';
import type { RecordedCallback, RecordedChange, RecordedRequest, Recording } from '../../journal/recording.ts';

/** The first difference. */
export interface Difference {
  /** The part that differs: `status`, `body`, `callback`, … */
  readonly what: string;
  readonly recorded: string;
  readonly played: string;
  /** The request that the difference belongs to, if found. */
  readonly request: (RecordedRequest & { readonly n: number; readonly at: string }) | undefined;
}

/** Compares a response. */
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
  const difference = pairs.find(([, expected, actual]) => expected !== actual);
  if (!difference) return undefined;
  const [what, expected, actual] = difference;
  return { what, recorded: toText(expected), played: toText(actual), request: recorded };
}

/** Compares all callbacks, in the order in which they were created. */
export function compareCallbacks(
  { changes }: Recording,
  recorded: readonly RecordedCallback[],
  played: readonly Callback[],
): Difference | undefined {
  for (let index = 0; index < Math.max(recorded.length, played.length); index += 1) {
    const expected = recorded[index];
    const actual = played[index];
    const found =
      expected?.id === actual?.id
        ? { what: 'callback body', recorded: toText(expected?.body), played: toText(actual?.body) }
        : { what: 'callback', recorded: describe(expected), played: describe(actual) };
    if (found.recorded === found.played) continue;
    const requestId = expected?.requestId ?? actual?.requestId;
    const request = changes.find(
      (change): change is Extract<RecordedChange, { kind: 'request' }> =>
        change.kind === 'request' && change.id === requestId,
    );
    return { ...found, request };
  }
  return undefined;
}

function describe(callback: { readonly id: string; readonly body: object } | undefined): string {
  return callback ? `${callback.id} ${JSON.stringify(callback.body)}` : 'none';
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined ? 'none' : JSON.stringify(value);
}
