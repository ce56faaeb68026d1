/** Collects the results of a search, and orders them by how well they match. */
import type { components } from '../../openapi/control.gen.ts';

export type SearchResult = components['schemas']['SearchResult'];

export interface SearchQuery {
  readonly q: string;
  readonly limit?: number;
  readonly project?: string;
}

const defaultResults = 20;
/** Number of ids to compare without a pause. */
const idsInARow = 1000;

/** Kinds in the order of results of the same rank. */
const kinds: readonly SearchResult['kind'][] = ['project', 'record', 'entity', 'request', 'callback', 'scenario'];

/** Matches found so far. */
export interface Found {
  readonly matches: RegExp;
  /** Length of the searched text. */
  readonly textLength: number;
  /** Compares an id. Returns whether enough were compared for a pause. */
  add(result: SearchResult): boolean;
  list(): SearchResult[];
}

export function createFound({ q, limit = defaultResults }: SearchQuery): Found {
  const matches = new RegExp(q.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i');
  let compared = 0;
  const groups = new Map<string, Map<string, SearchResult>>();
  return {
    matches,
    textLength: q.length,
    add: (result) => {
      compared += 1;
      const isEnough = compared % idsInARow === 0;
      if (!matches.test(result.id)) return isEnough;
      const name = `${toRank(result.id, q)} ${result.kind}`;
      const group = groups.get(name) ?? new Map<string, SearchResult>();
      groups.set(name, group);
      if (group.size < limit) group.set(toKey(result), result);
      return isEnough;
    },
    list: () =>
      mergeResults(
        [...groups.values()].map((group) => [...group.values()]),
        { q, limit },
      ),
  };
}

/** Merges lists of results to the best ones, each once. */
export function mergeResults(
  lists: readonly (readonly SearchResult[])[],
  { q, limit = defaultResults }: Pick<SearchQuery, 'q' | 'limit'>,
): SearchResult[] {
  const unique = new Map(lists.flat().map((result) => [toKey(result), result]));
  const compare = (a: SearchResult, b: SearchResult): number =>
    toRank(a.id, q) - toRank(b.id, q) ||
    kinds.indexOf(a.kind) - kinds.indexOf(b.kind) ||
    a.id.length - b.id.length ||
    (toKey(a) < toKey(b) ? -1 : 1);
  return [...unique.values()].sort(compare).slice(0, limit);
}

/** Returns 0 for the text itself, 1 for it in another case, 2 if an id begins with it, and otherwise 3. */
function toRank(id: string, q: string): number {
  if (id === q) return 0;
  const lower = id.toLowerCase();
  const text = q.toLowerCase();
  if (lower === text) return 1;
  return lower.startsWith(text) ? 2 : 3;
}

function toKey({ kind, project, collection, id }: SearchResult): string {
  return JSON.stringify([kind, project, collection, id]);
}
