/** Schedules again what was in progress when the server of a project stopped, so that no callback is lost. */
import { parseTimestamp } from '../../lib/time.ts';
import type { Due } from '../due-list.ts';
import { createDueWork, type DueWork, type ProjectState } from '../state.ts';

/**
 * Schedules interrupted attempts again. They are no longer due, and their result is unknown. A receiver may get a
 * callback twice with the same id, but never misses one.
 */
export function resumeInterrupted(data: ProjectState): void {
  const { due, callbacks, groups } = data;
  const grouped = new Set([...groups.values()].flatMap(({ callbackIds }) => callbackIds));
  const scheduled = new Map<string, { attempts: number; copies: number }>();
  for (const { what } of due) {
    if (what.kind !== 'attempt') continue;
    const count = scheduled.get(what.callbackId) ?? { attempts: 0, copies: 0 };
    count[what.isCopy ? 'copies' : 'attempts'] += 1;
    scheduled.set(what.callbackId, count);
  }
  const interrupted: Due<DueWork>[] = [];
  for (const { id, state, dueAt, copiesLeft } of callbacks.values()) {
    if (grouped.has(id)) continue;
    const { attempts, copies } = scheduled.get(id) ?? { attempts: 0, copies: 0 };
    const add = (what: DueWork): void =>
      void interrupted.push({ dueAt: parseTimestamp(dueAt) ?? data.shownMs, order: data.dueCount++, what });
    if (state === 'scheduled' && attempts === 0) add({ kind: 'attempt', callbackId: id });
    for (let copy = copies; copy < copiesLeft; copy += 1) add({ kind: 'attempt', callbackId: id, isCopy: true });
  }
  // They had started already, so they come first among items due at the same time.
  if (interrupted.length > 0) data.due = createDueWork([...interrupted, ...due].toSorted((a, b) => a.dueAt - b.dueAt));
}
