/** The rules of device locations: the latest is the one with the latest instant, whatever the order of arrival. */
import { parseTimestamp } from '../base/time.ts';
import { createDraft, type StoredRecord } from '../store/records.ts';
import type { Action } from './task.ts';

/** Adds every location to its device's trail, and keeps the latest of each device. */
export const addLocations: Action = (reads, task, setting) => {
  const draft = createDraft(reads);
  for (const { id, value } of task.entries) {
    const at = instantOf(value);
    const existing = draft.get('devices', id);
    draft.writes.push({ point: value, device: id, at });
    if (!existing) draft.put('devices', id, toDevice(value, setting.now, setting.now));
    else if (instantOf(existing) <= at) draft.put('devices', id, toDevice(value, existing['createdAt'], setting.now));
  }
  return { writes: draft.writes, failures: [], warnings: [] };
};

function toDevice(value: StoredRecord, createdAt: unknown, updatedAt: string): StoredRecord {
  // V8 copies what was parsed ten times as fast so as by spreading it; unknown fields, such as `__proto__`, are gone by now.
  return Object.assign({}, value, { createdAt, updatedAt });
}

function instantOf(value: StoredRecord): number {
  return parseTimestamp(String(value['eventDateTime'])) ?? 0;
}
