/** Matches globs with `*` (any characters) and `?` (one character), in time linear in the text length for each star. */
import { didYouMean } from '../lib/nearest.ts';

/** Whether the pattern matches the whole text. */
export function matchesGlob(pattern: string, text: string): boolean {
  let p = 0;
  let t = 0;
  let star = -1;
  let resume = 0;
  while (t < text.length) {
    if (pattern[p] === '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === text[t])) {
      p += 1;
      t += 1;
    } else if (star >= 0) {
      p = star + 1;
      t = ++resume;
    } else return false;
  }
  while (pattern[p] === '*') p += 1;
  return p === pattern.length;
}

/** Whether a text matches one of the globs, or there are no globs. */
export function matchesAny(globs: readonly string[] | undefined, text: string | undefined): boolean {
  return globs === undefined || (text !== undefined && globs.some((glob) => matchesGlob(glob, text)));
}

/** Cost of testing a text, where a test of a number costs 1. The longest part after a `*` is tried at each character. */
export function costOfGlobs(globs: readonly string[], text: string): number {
  const cost = (glob: string): number => {
    let star = glob.indexOf('*');
    const head = star < 0 ? glob.length : star;
    let longest = 0;
    while (star >= 0) {
      const next = glob.indexOf('*', star + 1);
      longest = Math.max(longest, (next < 0 ? glob.length : next) - star - 1);
      star = next;
    }
    return Math.max(1, (Math.min(head, text.length) + glob.length - head + text.length * longest) / 20);
  };
  return globs.reduce((sum, glob) => sum + cost(glob), 0);
}

export function toGlobs(globs: string | readonly string[] | undefined): readonly string[] | undefined {
  return typeof globs === 'string' ? [globs] : globs;
}

/** Returns a message for each glob that matches none of the names. `noun`: what the names are, such as `operation`. */
export function findUnmatched(
  option: string,
  noun: string,
  globs: readonly string[] | undefined,
  names: readonly string[],
): readonly string[] {
  return (globs ?? [])
    .filter((glob) => !names.some((name) => matchesGlob(glob, name)))
    .map((glob) => `${option}: no ${noun} matches ${JSON.stringify(glob)}${didYouMean(glob, names)}`);
}
