/** Reads a snapshot from a file, explains why a file is not a snapshot, and summarizes its content. */
import { formatCount } from '../../lib/format.ts';

const nouns = { jobs: 'job', orders: 'order', routes: 'route', users: 'user', locations: 'device' } as const;
const collections = Object.keys(nouns);
const version = 1;

export type ReadSnapshot = { readonly snapshot: object } | { readonly errorText: string };

/** Checks the shape of the snapshot. The sandbox validates the records in it. */
export function readSnapshot(text: string): ReadSnapshot {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { errorText: `it is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { errorText: `expected an object, got ${Array.isArray(value) ? 'an array' : JSON.stringify(value)}` };
  }
  const errorText = findError(value as Readonly<Record<string, unknown>>);
  return errorText === undefined ? { snapshot: value } : { errorText };
}

function findError(value: Readonly<Record<string, unknown>>): string | undefined {
  if ('changes' in value) return 'it is a recording; use field-sandbox replay';
  const missing = collections.filter((name) => !(name in value));
  if (missing.length > 0) {
    return `missing ${missing.join(', ')}; expected the lists ${collections.join(', ')}`;
  }
  const other = collections.find((name) => !Array.isArray(value[name]));
  if (other !== undefined) return `${other}: expected a list, got ${JSON.stringify(value[other])?.slice(0, 40)}`;
  if (value['version'] === version) return undefined;
  return `version: expected ${version}, got ${JSON.stringify(value['version']) ?? 'none'}`;
}

/** Counts the records of each kind, either in a snapshot or in the counts that a restore returns. */
export function contentOf(records: object): string {
  const counts = Object.entries(nouns).flatMap(([key, noun]) => {
    const value = (records as Record<string, unknown>)[key];
    const count = Array.isArray(value) ? value.length : Number(value ?? 0);
    return count > 0 ? [formatCount(count, noun)] : [];
  });
  return counts.length === 0 ? 'no records' : counts.join(', ');
}
