/** What was under way in a world when its server ended is due again: nothing that was promised is lost. */
import { parseTimestamp } from './base/time.ts';
import type { Due } from './downstream/schedule.ts';
import type { WorldData, WorldDue } from './world-data.ts';

/**
 * Attempts that had begun are no longer due, and nothing is known of how they ended: they are made again. So a receiver may
 * get a callback twice, with one id, and never not at all.
 */
export function resume(data: WorldData): void {
  const { due, callbacks, groups } = data;
  const gathered = new Set([...groups.values()].flatMap(({ callbackIds }) => callbackIds));
  const planned = new Map<string, { attempts: number; copies: number }>();
  for (const { what } of due) {
    if (what.kind !== 'attempt') continue;
    const count = planned.get(what.callbackId) ?? { attempts: 0, copies: 0 };
    count[what.isCopy ? 'copies' : 'attempts'] += 1;
    planned.set(what.callbackId, count);
  }
  const lost: Due<WorldDue>[] = [];
  for (const { id, state, dueAt, copiesLeft } of callbacks.values()) {
    if (gathered.has(id)) continue;
    const { attempts, copies } = planned.get(id) ?? { attempts: 0, copies: 0 };
    const add = (what: WorldDue): void =>
      void lost.push({ dueAt: parseTimestamp(dueAt) ?? data.shownMs, order: data.dueCount++, what });
    if (state === 'scheduled' && attempts === 0) add({ kind: 'attempt', callbackId: id });
    for (let copy = copies; copy < copiesLeft; copy += 1) add({ kind: 'attempt', callbackId: id, isCopy: true });
  }
  // They had begun, so they come before all else of the same instant.
  if (lost.length > 0) data.due = [...lost, ...due].toSorted((a, b) => a.dueAt - b.dueAt);
}
