/** Suggests the existing name that is closest to a misspelled one. */
import { distance } from 'fastest-levenshtein';

const maxNameLength = 64;

/** Shorter parts are in too many names. */
const minPartLength = 5;

/**
 * Returns the candidate nearest to a name, or undefined if each differs in more than a third of the name's characters and
 * none contains the name. Ignores case and the separators `-`, `_`, `.` and space. Counts two swapped adjacent characters as one difference.
 */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length === 0 || name.length > maxNameLength) return undefined;
  const simplified = simplify(name);
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of candidates) {
    const simple = simplify(candidate);
    const difference = isSwap(simplified, simple) ? 1 : distance(simplified, simple);
    if (difference === Math.max(simplified.length, simple.length)) continue;
    const isAsNear = difference === bestDistance && best !== undefined;
    if (
      difference < bestDistance ||
      (isAsNear && startLength(simplified, simple) > startLength(simplified, simplify(best ?? '')))
    ) {
      best = candidate;
      bestDistance = difference;
    }
  }
  return best ?? shortestWith(simplified, candidates);
}

/** Returns the shortest candidate that contains the name, such as `asyncImportJobs` for `importJobs`. */
function shortestWith(simplified: string, candidates: Iterable<string>): string | undefined {
  if (simplified.length < minPartLength) return undefined;
  const containing = [...candidates].filter((candidate) => simplify(candidate).includes(simplified));
  return containing.toSorted((one, other) => one.length - other.length)[0];
}

/** Returns `, did you mean X?` to append to an error message, or an empty string if no candidate is close. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const found = nearest(name, candidates);
  return found === undefined || found === name ? '' : `, did you mean ${found}?`;
}

/** Returns the number of characters that two names have in common at their start. */
function startLength(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

function simplify(name: string): string {
  return name.toLowerCase().replace(/[-_. ]/g, '');
}

function isSwap(one: string, other: string): boolean {
  if (one.length !== other.length || one === other) return false;
  let at = 0;
  while (one[at] === other[at]) at += 1;
  return one[at] === other[at + 1] && one[at + 1] === other[at] && one.slice(at + 2) === other.slice(at + 2);
}
