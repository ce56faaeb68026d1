/** Finds the state of a project as it was after an earlier change, by replaying its recording up to that change. */
import type { Callback } from '../callbacks/callback.ts';
import type { AppliedProfile } from '../config/config-files.ts';
import type { CapturedRecording, RecordedChange } from '../journal/recording.ts';
import { type InitialClock, setClock } from '../lib/clock.ts';
import type { Slices } from '../lib/slices.ts';
import { toTimestamp, type WallClock } from '../lib/time.ts';
import type { Contract } from '../openapi/contract.ts';
import { toCallbackAt } from '../project/fork/copy-state.ts';
import type { ProjectState } from '../project/state.ts';
import { type CompiledScenario, compileScenario } from '../scenarios/compile.ts';
import type { Scenario } from '../scenarios/types.ts';
import { createPlayer } from './player.ts';

/** A project of this server: its complete recording, and what a recording does not have. */
export interface ProjectHistory {
  readonly recording: CapturedRecording;
  /** The scenarios of the recording, with their secrets. */
  readonly scenarios: readonly Scenario[];
  /** The callbacks of the project at present, by id. */
  readonly callbacks: ReadonlyMap<string, Callback>;
  /** The clock that the project started with. */
  readonly clock: InitialClock;
  readonly applied: AppliedProfile;
  readonly contract: Contract;
  readonly wall: WallClock;
  readonly slices: Slices;
}

/** Returns the state after the change with this number. It is nobody else's, but may share objects with the history. */
export async function stateAt(history: ProjectHistory, change: number): Promise<ProjectState> {
  const { applied, contract, wall, slices } = history;
  const { changes, ...recording } = history.recording;
  const scenarios: readonly CompiledScenario[] = await Promise.all(history.scenarios.map(compileScenario));
  const player = createPlayer({ recording: { ...recording, changes: [] }, applied, contract, scenarios });
  const { state } = player.project;
  const past: Past = { clock: history.clock, restoredBy: 0 };
  try {
    for (const one of changes) {
      if (one.n > change) break;
      await player.play(one);
      note(past, one);
      if (slices.isOver()) await slices.next();
    }
  } finally {
    player.dispose();
  }
  state.shownMs = Math.max(state.shownMs, past.clock.nowMs ?? 0);
  setPastCallbacks(state, history.callbacks, past);
  state.clock = setClock(past.clock.mode, state.shownMs, wall, past.clock.rate);
  return state;
}

/** What a replay does not keep of the changes that it played. */
interface Past {
  /** The clock as it was last set. */
  clock: InitialClock;
  /** Number of the last change that restored a snapshot, and so cancelled all callbacks. */
  restoredBy: number;
}

function note(past: Past, change: RecordedChange): void {
  if (change.kind === 'snapshot') past.restoredBy = change.n;
  if (change.kind !== 'clock') return;
  const { mode, rate = 1, now } = change;
  past.clock = { mode, rate, nowMs: Date.parse(now) };
}

/** Gives callbacks the attempts that were made by then: a replay sends nothing. */
function setPastCallbacks(state: ProjectState, present: ProjectHistory['callbacks'], { restoredBy }: Past): void {
  const at = toTimestamp(state.shownMs);
  for (const [id, replayed] of state.callbacks) {
    const now = present.get(id);
    if (now) state.callbacks.set(id, toCallbackAt(replayed, now, at, now.change < restoredBy));
  }
}
