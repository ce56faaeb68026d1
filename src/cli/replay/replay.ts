/** Replays a recording in a new project with a frozen clock, sends nothing, and finds the differences. */
import type { Callback } from '../../callbacks/callback.ts';
import type { Reply } from '../../http/reply.ts';
import { type CapturedSnapshot, toSnapshot } from '../../records/snapshot.ts';
import { createPlayer, type LoadedRecording, type ReplayPlan } from '../../replay/player.ts';
import { compareCallbacks, compareRequest, type Difference, type RequestChange } from './compare.ts';

/** Result of a replay: the numbers of compared requests and callbacks, and all differences. */
export interface ReplayResult {
  readonly requests: number;
  readonly callbacks: number;
  readonly differences: readonly Difference[];
}

/** Maximum advance until idle, in milliseconds: a day, as in the control API. */
const maxIdleMs = 24 * 3_600_000;

/** A recording, and how to replay it. */
export interface StoryPlan extends ReplayPlan {
  /** Whether to continue after the end of the recording until nothing is pending, at most for a day. */
  readonly untilIdle?: boolean;
}

/** State of the project after a replay. */
export interface PlayedProject {
  readonly callbacks: readonly Callback[];
  readonly records: CapturedSnapshot;
}

export interface ReplayEvents {
  /** Called with each request and its response in the replay. */
  replied(request: RequestChange, reply: Reply): void;
  /** Called with the number of replayed changes. */
  progress?(replayed: number): void;
}

/** Replays a recording, and compares it byte for byte. */
export async function replayRecording(
  loaded: LoadedRecording,
  progress: (replayed: number) => void = () => undefined,
): Promise<ReplayResult> {
  const { recording } = loaded;
  const differences: Difference[] = [];
  let requests = 0;
  const replied = (request: RequestChange, reply: Reply): void => {
    requests += 1;
    differences.push(...compareRequest(request, reply));
  };
  const { callbacks } = await playRecording(loaded, { replied, progress });
  const recorded = recording.changes.filter((change) => change.kind === 'callback');
  differences.push(...compareCallbacks(recording, recorded, callbacks));
  return { requests, callbacks: recorded.length, differences };
}

/** Replays a recording in a new project. */
export async function playRecording(plan: StoryPlan, { replied, progress }: ReplayEvents): Promise<PlayedProject> {
  const { recording, untilIdle } = plan;
  const { project, play, advanceTo, dispose } = createPlayer(plan);
  try {
    for (const [index, change] of recording.changes.entries()) {
      const reply = await play(change);
      if (change.kind === 'request' && reply) replied(change, reply);
      progress?.(index + 1);
    }
    await advanceTo(recording.now);
    if (untilIdle) await project.schedule.advance(() => ({ to: project.now() + maxIdleMs, stopIdle: true }));
    return { callbacks: [...project.state.callbacks.values()], records: toSnapshot(project.state.records) };
  } finally {
    dispose();
  }
}
