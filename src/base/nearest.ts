/** Finds what someone probably meant: the closest of the names that exist. */
import { distance } from 'fastest-levenshtein';

const longestName = 64;

/**
 * The candidate nearest to a misspelled name, or undefined where none is close (more than a third of it differs).
 * Case and the separators `-`, `_`, `.` and space count as no difference, two neighbours that changed places as one.
 */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length === 0 || name.length > longestName) return undefined;
  const wanted = simplify(name);
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of candidates) {
    const simple = simplify(candidate);
    const away = isSwap(wanted, simple) ? 1 : distance(wanted, simple);
    if (away < bestDistance) {
      best = candidate;
      bestDistance = away;
    }
  }
  return best;
}

/** `, did you mean X?` or nothing, to end a message with. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const found = nearest(name, candidates);
  return found === undefined || found === name ? '' : `, did you mean ${found}?`;
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
