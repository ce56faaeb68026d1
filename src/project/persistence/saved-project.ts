/** Restores a project from its log, or from an evicted project that is not written yet. */
import { parseTimestamp } from '../../lib/time.ts';
import { type CompiledScenario, compileWith } from '../../scenarios/compile.ts';
import type { Expressions } from '../../scenarios/matcher.ts';
import type { Project, SavedProject } from '../project.ts';
import { compareDue, type Due } from '../schedule.ts';
import { createDueWork, type DueWork, type ProjectState } from '../state.ts';
import type { ProjectLog } from './project-log.ts';

/** Hands over the state of an evicted project that is not written yet. */
export function handOver({ state, scenarios, usage }: Project, log: ProjectLog): SavedProject {
  resumeInterrupted(state);
  log.handOver();
  return { state, scenarios, recordBytes: usage.recordBytes };
}

/** Prepares a state that was read or copied for a new project. */
export function toSavedProject(state: ProjectState, expressions: Expressions): SavedProject {
  resumeInterrupted(state);
  const scenarios = state.scenarios.map((scenario): CompiledScenario => compileWith(scenario, expressions));
  return { state, scenarios };
}

export function toFileProblem(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EISDIR') return 'is a folder; expected a file';
  return code === undefined ? message : `can't be read (${code})`;
}

/**
 * Schedules interrupted attempts again. They are no longer due, and their result is unknown. A receiver may get a
 * callback twice with the same id, but never misses one.
 */
function resumeInterrupted(data: ProjectState): void {
  const found = [...findInterrupted(data)];
  if (found.length === 0) return;
  // They had started already, so they come first among items due at the same time.
  let first = -found.length;
  for (const { order } of data.due) first = Math.min(first, order - found.length);
  const interrupted = found.map(
    ({ dueAt, what }, index): Due<DueWork> => ({
      dueAt: parseTimestamp(dueAt) ?? data.shownMs,
      order: first + index,
      what,
    }),
  );
  data.due = createDueWork([...interrupted, ...data.due].toSorted(compareDue));
}

/** Yields the attempts that callbacks still need, and that are not scheduled. */
function* findInterrupted({
  due,
  callbacks,
  groups,
}: ProjectState): Generator<{ readonly dueAt: string; readonly what: DueWork }> {
  const grouped = new Set([...groups.values()].flatMap(({ callbackIds }) => callbackIds));
  const scheduled = countScheduled(due);
  for (const { id: callbackId, state, dueAt, copiesLeft } of callbacks.values()) {
    if (grouped.has(callbackId)) continue;
    const { attempts, copies } = scheduled.get(callbackId) ?? { attempts: 0, copies: 0 };
    if (state === 'scheduled' && attempts === 0) yield { dueAt, what: { kind: 'attempt', callbackId } };
    for (let copy = copies; copy < copiesLeft; copy += 1)
      yield { dueAt, what: { kind: 'attempt', callbackId, isCopy: true } };
  }
}

/** Counts the scheduled attempts and copies of each callback. */
function countScheduled(due: ProjectState['due']): ReadonlyMap<string, { attempts: number; copies: number }> {
  const counts = new Map<string, { attempts: number; copies: number }>();
  for (const { what } of due) {
    if (what.kind !== 'attempt') continue;
    const count = counts.get(what.callbackId) ?? { attempts: 0, copies: 0 };
    count[what.isCopy ? 'copies' : 'attempts'] += 1;
    counts.set(what.callbackId, count);
  }
  return counts;
}
