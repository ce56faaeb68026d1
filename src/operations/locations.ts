/**
 * Implements the actions of device locations. The latest location is the one with the latest time, independent of the
 * order of arrival.
 */
import { truncate } from '../lib/format.ts';
import type { Warning } from '../lib/problem.ts';
import { createDraft, type StoredRecord, timeOf } from '../records/records.ts';
import type { Action, Command } from './command.ts';
import { toWarning } from './record.ts';

/** Adds every location to its device's trail, and stores the latest one of each device. */
export const addLocations: Action = (reads, command, context) => {
  const draft = createDraft(reads);
  for (const { id, value } of command.entries) {
    const at = timeOf(value);
    const existing = draft.get('devices', id);
    draft.writes.push({ point: value, device: id, at });
    if (!existing) draft.put('devices', id, toDevice(value, context.now, context.now));
    else if (timeOf(existing) <= at) draft.put('devices', id, toDevice(value, existing['createdAt'], context.now));
  }
  return { writes: draft.writes, failures: [], warnings: command.entries.length > 1 ? findRepeated(command) : [] };
};

/** Warns of two locations of one device and time. */
function findRepeated({ entries }: Command): readonly Warning[] {
  const seen = new Set<string>();
  return entries.flatMap(({ id, value }) => {
    const key = `${timeOf(value)} ${id}`;
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    const text = 'a device has two locations of the same time; the last one counts';
    const message = `device ${truncate(id)} has two locations of ${String(value['eventDateTime'])}; the last one counts`;
    return [toWarning('unexpected', text, message)];
  });
}

function toDevice(value: StoredRecord, createdAt: unknown, updatedAt: string): StoredRecord {
  // V8 copies a parsed object this way ten times as fast as by spreading it. Unknown fields, such as `__proto__`, are
  // removed already.
  return Object.assign({}, value, { createdAt, updatedAt });
}
