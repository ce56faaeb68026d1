/** Lists the ids that a request names, for lists of requests. */
/** The ids that a request names, of any collection. */
export interface NamedIds {
  /** The first few, each once. */
  readonly first: readonly string[];
  /** Number of different ids. */
  readonly count: number;
  /** Number of entries, including routes and invalid entries. */
  readonly entries: number;
}

interface Named {
  readonly id: string;
}

const maxFirst = 3;

export const noIds: NamedIds = { first: [], count: 0, entries: 0 };

/** Collects the ids in their order, each once; ignores empty ones. */
export function toNamedIds(ids: readonly Named[]): NamedIds {
  const [only] = ids;
  if (ids.length === 1 && only && only.id !== '') return { first: [only.id], count: 1, entries: 1 };
  const different = new Set<string>();
  for (const { id } of ids) if (id !== '') different.add(id);
  const first: string[] = [];
  for (const id of different) if (first.push(id) === maxFirst) break;
  return { first, count: different.size, entries: ids.length };
}

/** The parsed entries of a request, numbered as in its body. */
interface ParsedEntries {
  readonly command: {
    readonly entries: readonly (Named & { readonly item: number })[];
    readonly routes?: readonly Named[];
  };
  readonly refused: readonly (Named & { readonly order: number })[];
}

/** Collects the ids of a parsed request: routes first, then the entries as in the body. */
export function nameEntries({ command: { entries, routes }, refused }: ParsedEntries): NamedIds {
  if (!routes && refused.length === 0) return toNamedIds(entries);
  const invalid = refused.map(({ order, id }) => ({ item: order, id }));
  return toNamedIds([...(routes ?? []), ...[...entries, ...invalid].sort((a, b) => a.item - b.item)]);
}
