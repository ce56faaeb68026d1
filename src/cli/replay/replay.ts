/** Replays a recording in a new project with a frozen clock, sends nothing, and finds the differences byte for byte. */
import type { Callback } from '../../callbacks/callback.ts';
import type { Reply } from '../../http/reply.ts';
import type { RecordedChange } from '../../journal/recording.ts';
import { type CapturedSnapshot, toSnapshot } from '../../records/snapshot.ts';
import { createPlayer, type LoadedRecording, type ReplayPlan } from '../../replay/player.ts';

/** Maximum advance until idle, in milliseconds: a day, as in the control API. */
const maxIdleMs = 24 * 3_600_000;

/** A recording, and how to replay it. */
export interface StoryPlan extends ReplayPlan {
  /** Whether to continue after the end of the recording until nothing is pending, at most for a day. */
  readonly untilIdle?: boolean;
}

/** State of the project after a replay. */
interface PlayedProject {
  readonly callbacks: readonly Callback[];
  readonly records: CapturedSnapshot;
}

export type RequestChange = Extract<RecordedChange, { kind: 'request' }>;

/** Replays a recording in a new project. `replied` is called with each request and its response in the replay. */
export async function playRecording(
  plan: StoryPlan,
  replied: (request: RequestChange, reply: Reply) => void,
): Promise<PlayedProject> {
  const { recording, untilIdle } = plan;
  const { project, play, advanceTo, dispose } = createPlayer(plan);
  try {
    for (const change of recording.changes) {
      const reply = await play(change);
      if (change.kind === 'request' && reply) replied(change, reply);
    }
    await advanceTo(recording.now);
    if (untilIdle) await project.schedule.advance(() => ({ to: project.now() + maxIdleMs, stopIdle: true }));
    return { callbacks: [...project.state.callbacks.values()], records: toSnapshot(project.state.records) };
  } finally {
    dispose();
  }
}

/** A part that differs. */
export interface Difference {
  /** The part that differs: `status`, `body`, `callback`, … */
  readonly part: string;
  readonly recorded: string;
  readonly replayed: string;
  /** The request that the difference belongs to, if found. */
  readonly request: RequestChange | undefined;
}

/** Result of a replay: the numbers of compared requests and callbacks, and all differences. */
export interface ReplayResult {
  readonly requests: number;
  readonly callbacks: number;
  readonly differences: readonly Difference[];
}

/** Replays a recording, and compares it byte for byte: callbacks by their ids. */
export async function replayRecording(loaded: LoadedRecording): Promise<ReplayResult> {
  const differences: Difference[] = [];
  const requests = new Map<string, RequestChange>();
  const played = await playRecording(loaded, (request, reply) => {
    requests.set(request.id, request);
    differences.push(...compareRequest(request, reply));
  });
  const recorded = loaded.recording.changes.filter((change) => change.kind === 'callback');
  const [before, after] = [recorded, played.callbacks].map((all) => new Map(all.map((one) => [one.id, one])));
  for (const [id, { requestId }] of new Map([...(before ?? []), ...(after ?? [])])) {
    const [one, other] = [before?.get(id), after?.get(id)];
    differences.push(
      ...(one && other
        ? toDifference('callback body', JSON.stringify(one.body), JSON.stringify(other.body), requests.get(requestId))
        : toDifference('callback', describe(one), describe(other), requests.get(requestId))),
    );
  }
  return { requests: requests.size, callbacks: recorded.length, differences };
}

/** Compares a response. */
function compareRequest(request: RequestChange, reply: Reply): readonly Difference[] {
  const { id, response } = request;
  return [
    toDifference('request id', id, reply.headers['x-request-id'] ?? id, request),
    toDifference('status', response.status, reply.status, request),
    toDifference('connection', response.fault, reply.fault?.kind, request),
    toDifference('body', response.body, reply.body, request),
  ].flat();
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
