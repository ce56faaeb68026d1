/** The order in which a report lists what has none of its own: projects go side by side, so which came first says nothing. */

/** By characters, on every machine alike. */
export function inOrder(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
