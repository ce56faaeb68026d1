/** Delta debugging: finds a part of a list that still fails, from which nothing can be removed. */

/**
 * Removes parts of a list, first halves, then ever smaller ones, as long as the rest still fails. Never returns an empty
 * list. One of n elements takes about 2 log n tests, two about twice as many.
 */
export async function minimize<Element>(
  elements: readonly Element[],
  stillFails: (rest: readonly Element[]) => Promise<boolean>,
): Promise<readonly Element[]> {
  let left = elements;
  let size = Math.ceil(left.length / 2);
  for (;;) {
    const before = left.length;
    for (let from = 0; from < left.length; ) {
      const rest = [...left.slice(0, from), ...left.slice(from + size)];
      if (rest.length > 0 && (await stillFails(rest))) left = rest;
      else from += size;
    }
    if (size === 1 && left.length === before) return left;
    size = Math.max(1, Math.min(Math.ceil(size / 2), Math.ceil(left.length / 2)));
  }
}

/** Tries the minimum, then halves the distance between a number that passes and one that fails. */
export async function lower(
  number: number,
  minimum: number,
  stillFails: (lower: number) => Promise<boolean>,
): Promise<void> {
  if (number <= minimum || (await stillFails(minimum))) return;
  let passing = minimum;
  let failing = number;
  while (failing - passing > 1) {
    const middle = Math.floor((passing + failing) / 2);
    if (await stillFails(middle)) failing = middle;
    else passing = middle;
  }
}
