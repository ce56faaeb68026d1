/** Schedules again what was in progress when the server of a project stopped, so that no callback is lost. */
import { parseTimestamp } from '../../lib/time.ts';
import type { Due } from '../due-list.ts';
import { createDueWork, type DueWork, type ProjectState } from '../state.ts';

/**
 * Schedules interrupted attempts again. They are no longer due, and their result is unknown. A receiver may get a
 * callback twice with the same id, but never misses one.
 */
export function resumeInterrupted(data: ProjectState): void {
  const interrupted = [...findInterrupted(data)].map(
    ({ dueAt, what }): Due<DueWork> => ({ dueAt: parseTimestamp(dueAt) ?? data.shownMs, order: data.dueCount++, what }),
  );
  // They had started already, so they come first among items due at the same time.
  if (interrupted.length > 0)
    data.due = createDueWork([...interrupted, ...data.due].toSorted((a, b) => a.dueAt - b.dueAt));
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
