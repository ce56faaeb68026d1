/** Finds the project that a request names whose path leads to no operation, so that lists show it with that project. */
import { distance } from 'fastest-levenshtein';
import type { RoutedOperation } from '../openapi/router.ts';

/** Maximum length of a path to search, in characters. */
const maxPathLength = 1000;

const parameter = '{projectId}';

/** Maximum share of letters that may differ in the word before a project, as in `project` for `projects`. */
const maxDifference = 0.3;

/**
 * Creates a function that returns the project in a path of no operation: the segment after the word that comes before
 * the project in the paths of operations.
 */
export function createProjectNaming(operations: Iterable<RoutedOperation>): (url: string) => string | undefined {
  const words = new Set<string>();
  const before = new Set<string>();
  for (const { path } of operations) {
    const segments = toSegments(path);
    for (const segment of segments) words.add(segment.toLowerCase());
    const previous = segments[segments.indexOf(parameter) - 1];
    if (previous !== undefined) before.add(previous.toLowerCase());
  }
  const isBefore = (segment: string): boolean => [...before].some((word) => isNear(segment.toLowerCase(), word));

  return (url) => {
    const segments = toSegments(url.slice(0, maxPathLength).split('?')[0] ?? '');
    const named = segments[segments.findIndex(isBefore) + 1];
    // Without such a word, `named` is the first segment.
    if (named === undefined || !segments.some(isBefore) || words.has(named.toLowerCase())) return undefined;
    return decode(named);
  };
}

function toSegments(path: string): readonly string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function isNear(segment: string, word: string): boolean {
  return distance(segment, word) <= maxDifference * Math.max(segment.length, word.length);
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
