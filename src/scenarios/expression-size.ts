/** Limits for regular expressions. The time of a match is proportional to the text length times the compiled size. */

/** Maximum compiled size of one expression, in instructions. */
export const maxExpressionSize = 2000;

/** Maximum total size of the different expressions of a scenario. Compiling takes about 10 µs per instruction. */
export const maxExpressionSizes = 20_000;

/** Maximum of characters times instructions for one match: about 30 ms. */
const maxSteps = 1_000_000;

/** Returns the maximum text length for an expression of this size, in characters. Longer texts do not match. */
export function maxTextLength(size: number): number {
  return Math.floor(maxSteps / Math.max(size, 1));
}

/** Matches one element: an escape, a class, a bracket, a repetition, or a character. */
const element = /\\[\s\S]|\[\^?\]?(?:\\[\s\S]|\[:\^?\w+:\]|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|[\s\S]/g;

/**
 * Estimates the compiled size of an expression, in instructions. Nested repetitions such as `(a{10}){100}` multiply it.
 * The estimate is cheap, and used to reject expressions that are far too large before compiling gives the exact size.
 */
export function estimateExpressionSize(pattern: string): number {
  // The sizes of the open groups, and of the last element in each.
  const groups: { size: number; last: number }[] = [{ size: 0, last: 0 }];
  const add = (size: number): void => {
    const group = groups.at(-1);
    if (!group) return;
    group.size += size;
    group.last = size;
  };
  for (const [text, from, to] of pattern.matchAll(element)) {
    const group = groups.at(-1);
    if (text === '(') groups.push({ size: 0, last: 0 });
    else if (text === ')' && groups.length > 1) add((groups.pop()?.size ?? 0) + 2);
    else if (from !== undefined && group) {
      const times = Math.max(Number(from), Number(to || 0), 1);
      const repeated = group.last * times;
      group.size += repeated - group.last;
      group.last = repeated;
    } else add(1);
  }
  return groups.reduce((sum, { size }) => sum + size, 0);
}
