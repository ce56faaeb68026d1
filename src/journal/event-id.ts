/** Reads and writes the ids of events: a number for each server that has events. */

/** Reads the numbers in an event id, by server: `ORIGIN-NUMBER`, joined by dots if several servers share the projects. */
export function readPositions(id: string): Map<string, number> {
  const parts = id.split('.').map((part) => /^([0-9a-z]+)-(\d{1,15})$/.exec(part));
  return new Map(parts.flatMap((found) => (found?.[1] === undefined ? [] : [[found[1], Number(found[2])]])));
}

/** Writes the numbers of servers as an event id. */
export function toEventId(positions: ReadonlyMap<string, number>): string {
  return [...positions].map(([origin, number]) => `${origin}-${number}`).join('.');
}
