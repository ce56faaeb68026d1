/** Instants and spans, short enough to be read. Instants are UTC, as everywhere in the sandbox. */

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const;

/** An instant in seconds, with the milliseconds where there are any. */
export function instant(timestamp: string): string {
  return timestamp.replace('T', ' ').replace(/(\.000)?Z$/, '');
}

/** How long, in its two largest units. */
export function span(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const told: string[] = [];
  let rest = ms;
  for (const [unit, length] of units) {
    const count = Math.floor(rest / length);
    if (count > 0) told.push(`${count} ${unit}`);
    rest -= count * length;
  }
  return told.slice(0, 2).join(' ');
}

/** When something is due, seen from now. */
export function untilDue(dueAt: string, nowMs: number): string {
  const ms = Date.parse(dueAt) - nowMs;
  if (ms <= 0) return 'now';
  return ms < 1000 ? 'in a moment' : `in ${span(ms)}`;
}
