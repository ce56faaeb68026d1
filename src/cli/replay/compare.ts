/** Compares responses and callbacks of a replay with the recording, byte for byte. */
import type { Callback } from '../../callbacks/callback.ts';
import type { Reply } from '../../http/reply.ts';
import type { RecordedCallback, RecordedChange, RecordedRequest, Recording } from '../../journal/recording.ts';

/** The first difference. */
export interface Difference {
  /** The part that differs: `status`, `body`, `callback`, … */
  readonly part: string;
  readonly recorded: string;
  readonly replayed: string;
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
  const [part, expected, actual] = difference;
  return { part, recorded: toText(expected), replayed: toText(actual), request: recorded };
}

/** Compares all callbacks, in the order in which they were created. */
export function compareCallbacks(
  { changes }: Recording,
  recorded: readonly RecordedCallback[],
  replayed: readonly Callback[],
): Difference | undefined {
  for (let index = 0; index < Math.max(recorded.length, replayed.length); index += 1) {
    const expected = recorded[index];
    const actual = replayed[index];
    const found =
      expected?.id === actual?.id
        ? { part: 'callback body', recorded: toText(expected?.body), replayed: toText(actual?.body) }
        : { part: 'callback', recorded: describe(expected), replayed: describe(actual) };
    if (found.recorded === found.replayed) continue;
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
