/** Chooses what clients should meet next: the failures that are most common in production come first. */
import type { Item, Shown } from '../coverage/filter.ts';

/** A failure or condition to meet; without `item`, an operation to call. */
export interface NextStep {
  readonly area: Shown;
  readonly item: Item | undefined;
}

/** The kinds that clients meet most often in production. All others follow in the order of the catalog. */
const commonKinds: readonly string[] = [
  ...['refused', 'failed-downstream', 'delivered', 'status-503', 'status-429', 'connection-reset-processed'],
  ...['latency', 'connection-hang', 'callback-copies', 'status-500', 'connection-reset'],
];

/**
 * Returns what is not met, of the operations that clients call and their callbacks. Each kind comes once before any
 * comes again, for the operation with the most calls. Kinds that clients have met anywhere come later. Operations
 * without a call are last.
 *
 * `unmet`: operations and callbacks with what is not met of them. `metKinds`: kinds that were met anywhere.
 */
export function findNextSteps(unmet: readonly Shown[], metKinds: ReadonlySet<string>): readonly NextStep[] {
  const called = unmet.filter(({ kind, calls }) => kind === 'operation' && calls > 0);
  // An operation that reports failures later causes callbacks, even if none was caused yet.
  const hasCallbacks = unmet.some(({ kind, calls }) => kind === 'callback' && calls > 0) || called.some(failsLater);
  const areas = [...called, ...unmet.filter(({ kind }) => kind === 'callback' && hasCallbacks)];
  const seen = new Map<string, number>();
  const found = areas
    .toSorted((a, b) => b.calls - a.calls || b.metCount - a.metCount)
    .flatMap((area) =>
      area.items.map((item) => {
        const round = seen.get(item.kind) ?? 0;
        seen.set(item.kind, round + 1);
        return { area, item, round: metKinds.has(item.kind) ? round + 1 : round, rank: rankOf(item.kind) };
      }),
    )
    .toSorted((a, b) => a.round - b.round || a.rank - b.rank);
  const uncalled = unmet.filter(({ kind, calls }) => kind === 'operation' && calls === 0);
  return [...found.map(({ area, item }) => ({ area, item })), ...uncalled.map((area) => ({ area, item: undefined }))];
}

function failsLater({ items }: Shown): boolean {
  return items.some(({ kind }) => kind === 'failed-downstream');
}

function rankOf(kind: string): number {
  const at = commonKinds.indexOf(kind);
  return at < 0 ? commonKinds.length : at;
}
