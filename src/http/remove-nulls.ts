/** Removes nulls from a body, as if their fields were absent, where the profile says `nulls: ignore`. */
import type { Json } from '../lib/json.ts';
import type { Operation } from '../operations/index.ts';

/**
 * Removes nulls from objects at any depth up to the maximum, but not from lists. Keeps `driver: null` of a job, which
 * unassigns the driver. Returns whether there were any.
 */
export function removeNulls(body: Json, { collection, list }: Operation, maxDepth: number): boolean {
  if (typeof body !== 'object' || body === null) return false;
  const kept = collection === 'jobs' ? 'driver' : undefined;
  const entries = list && body[list];
  if (list === undefined || !Array.isArray(entries)) return removeFrom(body, maxDepth, kept);
  let isChanged = false;
  for (const key of Object.keys(body)) if (key !== list && removeField(body, key, maxDepth)) isChanged = true;
  for (const entry of entries) if (removeFrom(entry, maxDepth, kept)) isChanged = true;
  return isChanged;
}

function removeFrom(value: unknown, depth: number, kept?: string): boolean {
  if (typeof value !== 'object' || value === null || depth <= 0) return false;
  let isChanged = false;
  if (Array.isArray(value)) {
    for (const item of value) if (removeFrom(item, depth - 1)) isChanged = true;
    return isChanged;
  }
  const object = value as Json;
  for (const key of Object.keys(object)) if (key !== kept && removeField(object, key, depth)) isChanged = true;
  if (kept !== undefined && removeFrom(object[kept], depth - 1)) isChanged = true;
  return isChanged;
}

/** Removes a field if it is null, or else the nulls in it. */
function removeField(object: Json, key: string, depth: number): boolean {
  if (object[key] === null) return delete object[key];
  return removeFrom(object[key], depth - 1);
}
