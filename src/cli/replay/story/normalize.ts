/** Replaces what differs from run to run without a meaning: ids that the sandbox generates, times, the project. */
import type { Json } from '../../../lib/json.ts';

/** Returns a value with sorted keys and placeholders. */
export type Normalize = (value: unknown) => unknown;

const replacements: readonly (readonly [pattern: RegExp, placeholder: string])[] = [
  [/\b(?:TRK-|req_|msg_)[0-9a-f]{16}(?:_(?:route)?\d+)?(?![0-9a-z])/g, '{id}'],
  [/\b\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:[Zz]|[+-]\d\d(?::?\d\d)?)?/g, '{time}'],
  [/(?<=try again in )\d+(?= s\b)/g, '{time}'],
];

/** Creates a function that normalizes values of one project, whose id is a placeholder too. */
export function createNormalizer(project: string): Normalize {
  const toText = (text: string): string =>
    text === project ? '{project}' : replacements.reduce((shown, [from, to]) => shown.replace(from, to), text);
  const normalize: Normalize = (value) => {
    if (typeof value === 'string') return toText(value);
    if (Array.isArray(value)) return value.map(normalize);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value as Json).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(entries.map(([key, item]) => [key, normalize(item)]));
  };
  return normalize;
}
