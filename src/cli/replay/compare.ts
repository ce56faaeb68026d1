/** Compares responses and callbacks of a replay with the recording, byte for byte. */
import type { Callback } from '../../callbacks/callback.ts';
import type { Reply } from '../../http/reply.ts';
import type { RecordedCallback, RecordedChange, Recording } from '../../journal/recording.ts';

export type RequestChange = Extract<RecordedChange, { kind: 'request' }>;

/** A part that differs. */
export interface Difference {
  /** The part that differs: `status`, `body`, `callback`, … */
  readonly part: string;
  readonly recorded: string;
  readonly replayed: string;
  /** The request that the difference belongs to, if found. */
  readonly request: RequestChange | undefined;
}

/** Compares a response. */
export function compareRequest(request: RequestChange, reply: Reply): readonly Difference[] {
  const { id, response } = request;
  return [
    toDifference('request id', id, reply.headers['x-request-id'] ?? id, request),
    toDifference('status', response.status, reply.status, request),
    toDifference('connection', response.fault, reply.fault?.kind, request),
    toDifference('body', response.body, reply.body, request),
  ].flat();
}

/** Compares all callbacks, by their ids. */
export function compareCallbacks(
  { changes }: Recording,
  recorded: readonly RecordedCallback[],
  replayed: readonly Callback[],
): readonly Difference[] {
  const [before, after] = [recorded, replayed].map((all) => new Map(all.map((callback) => [callback.id, callback])));
  const all = new Map([...(before ?? []), ...(after ?? [])]);
  return [...all].flatMap(([id, { requestId }]) => {
    const [one, other] = [before?.get(id), after?.get(id)];
    const request = changes.find((change) => change.kind === 'request' && change.id === requestId);
    const found = request?.kind === 'request' ? request : undefined;
    return one && other
      ? toDifference('callback body', JSON.stringify(one.body), JSON.stringify(other.body), found)
      : toDifference('callback', describe(one), describe(other), found);
  });
}

function describe(callback: { readonly id: string; readonly body: object } | undefined): string | undefined {
  return callback && `${callback.id} ${JSON.stringify(callback.body)}`;
}

/** Returns the difference, or nothing if there is none. */
function toDifference(
  part: string,
  recorded: unknown,
  replayed: unknown,
  request: RequestChange | undefined,
): readonly Difference[] {
  const toText = (value: unknown) => (value === undefined ? 'none' : String(value));
  return recorded === replayed ? [] : [{ part, recorded: toText(recorded), replayed: toText(replayed), request }];
}
