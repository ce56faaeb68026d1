/** Finds the rules that the ids of a request can concern, so that a thousand rules about ids cost hardly more than one. */
import type { Entry } from '../operations/task.ts';
import type { ScopedRule } from './compile.ts';

/** Of some rules those that can concern a request with these entries, in their order. */
export type IdIndex = (entries: readonly Entry[]) => readonly ScopedRule[];

/** Rules that ask for no id, or for a field of the request before it, concern every request. */
export function createIdIndex(rules: readonly ScopedRule[]): IdIndex {
  const always: number[] = [];
  const byBeginning = new Map<string, number[]>();
  for (const [place, { rule }] of rules.entries()) {
    const beginnings = rule.item?.by === 'id' && rule.where.length === 0 ? rule.item.globs.map(toBeginning) : [''];
    if (beginnings.includes('')) always.push(place);
    else for (const beginning of beginnings) note(byBeginning, beginning, place);
  }
  if (byBeginning.size === 0) return () => rules;
  const find = createFinder(byBeginning);
  const usual = always.map((place) => rules[place] as ScopedRule);
  return (entries) => {
    const found = find(entries);
    if (!found) return usual;
    return [...found, ...always].sort((a, b) => a - b).map((place) => rules[place] as ScopedRule);
  };
}

/** Adds to a list in place: a scenario may have very many rules for one id. */
function note(byBeginning: Map<string, number[]>, beginning: string, place: number): void {
  const places = byBeginning.get(beginning);
  if (places) places.push(place);
  else byBeginning.set(beginning, [place]);
}

/** Finds all that stands under a beginning of an entry's id. */
function createFinder<T>(byBeginning: ReadonlyMap<string, readonly T[]>) {
  const lengths = [...new Set([...byBeginning.keys()].map(({ length }) => length))].sort((a, b) => a - b);
  const firstCodes = new Set([...byBeginning.keys()].map((beginning) => beginning.charCodeAt(0)));
  return (entries: readonly Entry[]): ReadonlySet<T> | undefined => {
    let found: Set<T> | undefined;
    for (const { id } of entries) {
      if (!firstCodes.has(id.charCodeAt(0))) continue;
      for (const length of lengths) {
        if (length > id.length) break;
        const known = byBeginning.get(id.slice(0, length));
        if (!known) continue;
        found ??= new Set();
        for (const one of known) found.add(one);
      }
    }
    return found;
  };
}

/** What every text begins with that a glob matches. */
function toBeginning(glob: string): string {
  const end = glob.search(/[*?]/);
  return end < 0 ? glob : glob.slice(0, end);
}
