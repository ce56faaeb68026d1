/** Replays a recording in a new project with a frozen clock, sends nothing, and finds the first difference. */

import type { RecordedChange } from '../../journal/recording.ts';
import { createPlayer, type LoadedRecording } from '../../replay/player.ts';
import { compareCallbacks, compareRequest, type Difference } from './compare.ts';

/** Result of a replay: the numbers of compared requests and callbacks, and the first difference, if any. */
export interface ReplayResult {
  readonly requests: number;
  readonly callbacks: number;
  readonly difference: Difference | undefined;
}

type Change<Kind extends RecordedChange['kind']> = Extract<RecordedChange, { kind: Kind }>;

/** Replays a recording up to the first difference. Calls `progress` with the number of replayed changes. */
export async function replayRecording(
  loaded: LoadedRecording,
  progress: (replayed: number) => void = () => undefined,
): Promise<ReplayResult> {
  const { recording } = loaded;
  const { project, play, advanceTo, dispose } = createPlayer(loaded);
  let requests = 0;
  try {
    for (const [index, change] of recording.changes.entries()) {
      const reply = await play(change);
      if (change.kind === 'request' && reply) {
        const difference = compareRequest(change, reply);
        requests += 1;
        if (difference) return { requests, callbacks: 0, difference };
      }
      progress(index + 1);
    }
    await advanceTo(recording.now);
    const recorded = recording.changes.filter((change): change is Change<'callback'> => change.kind === 'callback');
    const difference = compareCallbacks(recording, recorded, [...project.state.callbacks.values()]);
    return { requests, callbacks: recorded.length, difference };
  } finally {
    dispose();
  }
}
