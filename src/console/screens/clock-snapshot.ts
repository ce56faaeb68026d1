/** Reads a snapshot from a file, says what is wrong with one that is none, and in a few words what is in one. */
import { counted } from '../parts/counted.ts';

const nouns = { jobs: 'job', orders: 'order', routes: 'route', users: 'user', locations: 'device' } as const;
const collections = Object.keys(nouns);
const version = 1;

export type ReadSnapshot = { readonly snapshot: object } | { readonly mistake: string };

/** Whether it has the shape of one; what may be wrong with a record in it, the sandbox says better. */
export function readSnapshot(text: string): ReadSnapshot {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { mistake: `it is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { mistake: `expected an object, got ${Array.isArray(value) ? 'an array' : JSON.stringify(value)}` };
  }
  const mistake = mistakeOf(value as Readonly<Record<string, unknown>>);
  return mistake === undefined ? { snapshot: value } : { mistake };
}

function mistakeOf(value: Readonly<Record<string, unknown>>): string | undefined {
  if ('changes' in value) return 'it is a recording, which field-sandbox replay plays';
  const missing = collections.filter((name) => !(name in value));
  if (missing.length > 0) {
    return `it has no ${missing.join(', ')}; a snapshot has ${collections.join(', ')}, each a list`;
  }
  const other = collections.find((name) => !Array.isArray(value[name]));
  if (other !== undefined) return `${other}: expected a list, got ${JSON.stringify(value[other])?.slice(0, 40)}`;
  if (value['version'] === version) return undefined;
  return `version: expected ${version}, got ${JSON.stringify(value['version']) ?? 'none'}`;
}

/** How many records there are of each kind: of a snapshot, or of the counts that a restore answers with. */
export function contentOf(records: object): string {
  const told = Object.entries(nouns).flatMap(([key, noun]) => {
    const value = (records as Record<string, unknown>)[key];
    const count = Array.isArray(value) ? value.length : Number(value ?? 0);
    return count > 0 ? [counted(count, noun)] : [];
  });
  return told.length === 0 ? 'no records' : told.join(', ');
}
