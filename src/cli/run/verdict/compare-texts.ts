/** The order of lists in reports. Projects run in parallel, so the order of their events is random. */

/** Compares texts by UTF-16 code units, independent of the locale. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
