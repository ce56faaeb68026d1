/** Compares responses and callbacks of a replay with the recording, byte for byte. */
import type { Callback } from '../../callbacks/callback.ts';
import type { Reply } from '../../http/reply.ts';
import type { RecordedCallback, RecordedChange, RecordedRequest, Recording } from '../../journal/recording.ts';

/** A part that differs. */
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
): readonly Difference[] {
  const { response } = recorded;
  const pairs: readonly (readonly [string, unknown, unknown])[] = [
    ['request id', recorded.id, reply.headers['x-request-id'] ?? recorded.id],
    ['status', response.status, reply.status],
    ['connection', response.fault, reply.fault?.kind],
    ['body', response.body, reply.body],
  ];
  return pairs
    .filter(([, expected, actual]) => expected !== actual)
    .map(([part, expected, actual]) => ({
      part,
      recorded: toText(expected),
      replayed: toText(actual),
      request: recorded,
    }));
}

/** Compares all callbacks, in the order in which they were created. */
export function compareCallbacks(
  { changes }: Recording,
  recorded: readonly RecordedCallback[],
  replayed: readonly Callback[],
): readonly Difference[] {
  const differences: Difference[] = [];
  for (const [expected, actual] of pairById(recorded, replayed)) {
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
    differences.push({ ...found, request });
  }
  return differences;
}

/** Pairs callbacks in their order. One that the other list does not contain has no partner, unless both are such. */
function* pairById(
  recorded: readonly RecordedCallback[],
  replayed: readonly Callback[],
): Generator<readonly [RecordedCallback | undefined, Callback | undefined]> {
  const recordedIds = new Set(recorded.map(({ id }) => id));
  const replayedIds = new Set(replayed.map(({ id }) => id));
  let [from, to] = [0, 0];
  while (from < recorded.length || to < replayed.length) {
    const [expected, actual] = [recorded[from], replayed[to]];
    const isMissing = expected !== undefined && !replayedIds.has(expected.id);
    const isExtra = actual !== undefined && !recordedIds.has(actual.id);
    const pair = [isExtra && !isMissing ? undefined : expected, isMissing && !isExtra ? undefined : actual] as const;
    if (pair[0]) from += 1;
    if (pair[1]) to += 1;
    yield pair;
  }
}

function describe(callback: { readonly id: string; readonly body: object } | undefined): string {
  return callback ? `${callback.id} ${JSON.stringify(callback.body)}` : 'none';
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined ? 'none' : JSON.stringify(value);
}
