/** Reads a snapshot from a file, and says in a few words what is in one. */
import { counted } from './callbacks-words.ts';

const nouns = { jobs: 'job', orders: 'order', routes: 'route', users: 'user', locations: 'device' } as const;

/** Any object: what is wrong with it the sandbox says better. Undefined for what is none. */
export function readSnapshot(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
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
