/** Converts what a run left in its sandbox to comparable items, without values that differ from run to run. */
import type { Json } from '../../../lib/json.ts';
import { type Change, type Life, sandboxDates } from '../../trial/lives.ts';

/** A stored record, or a change of one. Projects do not count: tests often create projects with random ids. */
export interface Item {
  readonly collection: string;
  readonly id: string;
  readonly value: Json;
}

/** All records at the end of all projects' lives, and all changes that were applied to them. */
export interface Contents {
  readonly records: readonly Item[];
  readonly changes: readonly Item[];
}

/** The part of a run that is compared. */
export interface ComparedRun {
  readonly lives: readonly Pick<Life, 'records' | 'changes'>[];
  /** Wall time at its beginning, in milliseconds. */
  readonly startedAtMs: number;
}

/** Times this close to the run come from its clock, in milliseconds. */
const nearMs = 24 * 3_600_000;

/** Replaces a time that comes from the clock. */
const timePlaceholder = '(time)';

export function toContents({ lives, startedAtMs }: ComparedRun): Contents {
  const clean = (value: Json): Json => withoutTimes(value, startedAtMs) as Json;
  return {
    records: lives.flatMap(({ records }) =>
      recordLists.flatMap(({ name, idField }) =>
        records[name].map((record) => ({
          collection: name,
          id: String(record[idField]),
          value: clean(withoutFields(record)),
        })),
      ),
    ),
    changes: lives.flatMap(({ changes }) =>
      changes.map(({ collection, id, fields }: Change) => ({ collection, id, value: clean(fields) })),
    ),
  };
}

const recordLists = [
  { name: 'jobs', idField: 'id' },
  { name: 'orders', idField: 'id' },
  { name: 'routes', idField: 'id' },
  { name: 'users', idField: 'username' },
  { name: 'locations', idField: 'deviceId' },
] as const;

/** Removes the dates of the sandbox, and the trail of a device, whose locations count as changes. */
function withoutFields(record: Json): Json {
  return Object.fromEntries(
    Object.entries(record).filter(([name]) => name !== 'trail' && !sandboxDates.includes(name)),
  );
}

function withoutTimes(value: unknown, nowMs: number): unknown {
  if (typeof value === 'string') return isNear(value, nowMs) ? timePlaceholder : value;
  if (Array.isArray(value)) return value.map((one) => withoutTimes(one, nowMs));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutTimes(one, nowMs)]));
}

function isNear(text: string, nowMs: number): boolean {
  if (!/^\d{4}-\d\d-\d\d[T ]\d\d:/.test(text)) return false;
  return Math.abs(Date.parse(text) - nowMs) < nearMs;
}
