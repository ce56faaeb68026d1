/** Indexes rules by entry id and field value, so that a thousand rules about ids cost hardly more than one. */
import type { Entry } from '../operations/command.ts';
import type { Candidates, CompiledRule, ScopedRule } from './compiled.ts';
import { type FieldTest, toScalar, valueAt } from './matcher.ts';
import type { Scalar } from './types.ts';

/** Finds the rules that may match a request with these entries. */
export type IdIndex = (entries: readonly Entry[]) => Candidates;

// Each indexed field costs a lookup for every entry.
const maxFields = 16;
const allEntries: ReadonlyMap<number, readonly number[]> = new Map();

/** Passes the indexes of the rules that may match an entry to `found`; possibly the same index twice. */
type Finder = (entry: Entry, found: (index: number) => void) => void;

/**
 * Creates an index of rules. A rule is a candidate for every request if it requires neither an id nor an exact field
 * value, or if it has a condition on a field of the request, which is tested first.
 */
export function createIdIndex(rules: readonly ScopedRule[]): IdIndex {
  const { always, byPrefix, byField } = groupRules(rules);
  const finders: Finder[] = [...byField.values()].map(({ field, byValue }) => createFieldFinder(field, byValue));
  if (byPrefix.size > 0) finders.push(createIdFinder(byPrefix));
  const fields = [...byField.values()].map(({ field }) => field);
  const alwaysOnly = { rules: always.map((index) => rules[index] as ScopedRule), entries: allEntries, fields };
  if (finders.length === 0) return () => ({ rules, entries: allEntries, fields });
  return (entries) => {
    const found = findIndexes(entries, finders);
    if (!found) return alwaysOnly;
    const indexes = [...found.keys(), ...always].sort((a, b) => a - b);
    const entriesByRule = new Map(
      [...found].map(([index, entryIndexes]) => [(rules[index] as ScopedRule).index, entryIndexes]),
    );
    return { rules: indexes.map((index) => rules[index] as ScopedRule), entries: entriesByRule, fields };
  };
}

/** Indexes of rules by what they require of an entry. */
interface RuleGroups {
  readonly always: number[];
  readonly byPrefix: Map<string, number[]>;
  readonly byField: Map<string, { readonly field: FieldTest; readonly byValue: Map<string | null, number[]> }>;
}

function groupRules(rules: readonly ScopedRule[]): RuleGroups {
  const groups: RuleGroups = { always: [], byPrefix: new Map(), byField: new Map() };
  for (const [index, { rule }] of rules.entries()) addToGroup(groups, rule, index);
  return groups;
}

function addToGroup({ always, byPrefix, byField }: RuleGroups, rule: CompiledRule, index: number): void {
  const field = toExactField(rule);
  if (field && (byField.has(field.path) || byField.size < maxFields)) {
    const group = byField.get(field.path) ?? { field, byValue: new Map() };
    byField.set(field.path, group);
    for (const key of new Set(field.exact.map(toKey))) append(group.byValue, key, index);
    return;
  }
  const prefixes = rule.item?.by === 'id' ? rule.item.globs.map(toPrefix) : [''];
  if (rule.where.length > 0 || prefixes.includes('')) always.push(index);
  else for (const prefix of prefixes) append(byPrefix, prefix, index);
}

/** Returns the only field of a rule if it requires an exact value and is not secret: secret tests are recorded. */
function toExactField({ where, item }: CompiledRule): (FieldTest & { readonly exact: readonly Scalar[] }) | undefined {
  if (where.length > 0 || item?.by !== 'fields' || item.fields.length !== 1) return undefined;
  const [field] = item.fields;
  const { exact } = field ?? {};
  return field && exact && !field.isSecret && field.keys[0] !== 'headers' ? { ...field, exact } : undefined;
}

/** Appends to the list of a key in place, because a scenario may have very many rules for one id. */
function append<Key>(indexes: Map<Key, number[]>, key: Key, index: number): void {
  const list = indexes.get(key);
  if (list) list.push(index);
  else indexes.set(key, [index]);
}

/** Returns the indexes of the entries by the index of the rule, or undefined if there are none. */
function findIndexes(entries: readonly Entry[], finders: readonly Finder[]): Map<number, number[]> | undefined {
  let found: Map<number, number[]> | undefined;
  let entryIndex = 0;
  const addRule = (index: number): void => {
    found ??= new Map();
    const list = found.get(index);
    if (!list) found.set(index, [entryIndex]);
    else if (list.at(-1) !== entryIndex) list.push(entryIndex);
  };
  for (; entryIndex < entries.length; entryIndex += 1) {
    for (const find of finders) find(entries[entryIndex] as Entry, addRule);
  }
  return found;
}

/** Creates a finder for the rules whose id prefix matches an entry. */
function createIdFinder(byPrefix: ReadonlyMap<string, readonly number[]>): Finder {
  const lengths = [...new Set([...byPrefix.keys()].map(({ length }) => length))].sort((a, b) => a - b);
  const firstCodes = new Set([...byPrefix.keys()].map((prefix) => prefix.charCodeAt(0)));
  return ({ id }, found) => {
    if (!firstCodes.has(id.charCodeAt(0))) return;
    for (const length of lengths) {
      if (length > id.length) break;
      const list = byPrefix.get(id.slice(0, length));
      if (list) for (const one of list) found(one);
    }
  };
}

/** Creates a finder for the rules that require the value of a field. */
function createFieldFinder({ keys }: FieldTest, byValue: ReadonlyMap<string | null, readonly number[]>): Finder {
  return (entry, found) => {
    const value = valueAt(entry.value, keys) as Scalar | object | undefined;
    if (typeof value === 'object' && value !== null) return;
    const exact = value === undefined ? undefined : byValue.get(toKey(value));
    if (exact) for (const one of exact) found(one);
  };
}

/** Returns the same key for a number, a boolean and the text that is written alike. */
function toKey(value: Scalar): string | null {
  return value === null ? null : String(toScalar(value));
}

/** Returns the prefix of a glob before its first wildcard. */
function toPrefix(glob: string): string {
  const end = glob.search(/[*?]/);
  return end < 0 ? glob : glob.slice(0, end);
}
