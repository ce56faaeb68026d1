/** Removes nulls from a body, as if their fields were absent, where the profile says `nulls: ignore`. */
import type { Json } from '../lib/json.ts';
import type { Operation } from '../operations/index.ts';

/**
 * Removes nulls from objects at any depth up to the maximum, but not from lists. Keeps `driver: null` of a job, which
 * unassigns the driver.
 */
export function removeNulls(body: Json, { collection, list }: Operation, maxDepth: number): void {
  if (typeof body !== 'object' || body === null) return;
  const kept = collection === 'jobs' ? 'driver' : undefined;
  const entries = list && body[list];
  if (list === undefined || !Array.isArray(entries)) {
    removeFrom(body, maxDepth, kept);
    return;
  }
  for (const key of Object.keys(body)) if (key !== list) removeField(body, key, maxDepth);
  for (const entry of entries) removeFrom(entry, maxDepth, kept);
}

function removeFrom(value: unknown, depth: number, kept?: string): void {
  if (typeof value !== 'object' || value === null || depth <= 0) return;
  if (Array.isArray(value)) {
    for (const item of value) removeFrom(item, depth - 1);
    return;
  }
  const object = value as Json;
  for (const key of Object.keys(object)) if (key !== kept) removeField(object, key, depth);
  if (kept !== undefined) removeFrom(object[kept], depth - 1);
}

/** Removes a field if it is null, or else the nulls in it. */
function removeField(object: Json, key: string, depth: number): void {
  if (object[key] === null) delete object[key];
  else removeFrom(object[key], depth - 1);
}
