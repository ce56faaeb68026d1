/** Groups and sorts kinds of failure as the failure catalog does. */

export type KindGroup = 'entries' | 'statuses' | 'connection' | 'callbacks' | 'others';

/** Kinds except statuses, in the order of the catalog; `test/sweep-report/matrix.test.ts` compares them. */
const groups: Readonly<Record<KindGroup, readonly string[]>> = {
  entries: ['refused', 'refused-last', 'failed-downstream', 'failed-downstream-last'],
  statuses: [],
  connection: [
    'latency',
    'connection-reset',
    'connection-reset-processed',
    'connection-close',
    'connection-close-processed',
    'connection-hang',
    'connection-hang-processed',
    'connection-truncate',
    'connection-truncate-processed',
    'connection-drip',
    'connection-drip-processed',
  ],
  callbacks: [
    'callback-delay',
    'callback-copies',
    'callback-order-reverse',
    'callback-order-shuffle',
    'callback-drop',
    'callback-signature-invalid',
    'callback-signature-missing',
    'callback-signature-stale',
    'callback-body-malformed',
  ],
  others: [],
};

export const kindGroups: readonly KindGroup[] = ['entries', 'statuses', 'connection', 'callbacks', 'others'];

export function groupOf(kind: string): KindGroup {
  if (kind.startsWith('status-')) return 'statuses';
  const listed = kindGroups.find((group) => groups[group].includes(kind));
  return listed ?? 'others';
}

/** Sorts kinds in the order of the catalog; unknown kinds are last. */
export function sortKinds(kinds: Iterable<string>): readonly string[] {
  const listed = Object.values(groups).flat();
  const groupAt = (kind: string): number => kindGroups.indexOf(groupOf(kind));
  return [...kinds].toSorted(
    (a, b) => groupAt(a) - groupAt(b) || listed.indexOf(a) - listed.indexOf(b) || (a < b ? -1 : a > b ? 1 : 0),
  );
}
