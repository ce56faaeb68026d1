/** Compares a run under a failure with runs without any, and lists what is missing, more than there, or different. */
import { type Pair, pairItems } from '../../story/compare.ts';
import { type ComparedRun, type Contents, type Item, toContents } from './contents.ts';
import { type Comparison, findComparison, type Level, toKey, toLeaves } from './level.ts';

/** Records that differ: the same record, or as many of a collection, with other content. */
export interface DifferingItem {
  readonly collection: string;
  readonly id: string;
  /** Names of the fields that differ. */
  readonly fields: readonly string[];
}

/** What a run under a failure left, compared with a run without any. Ids are '' where they differ from run to run. */
export interface Differences {
  readonly missing: readonly Item[];
  readonly extra: readonly Item[];
  readonly differing: readonly DifferingItem[];
  /** Changes that were not applied, although the records they belong to may be the same at the end. */
  readonly missingChanges: readonly Item[];
}

/** Compares runs with those without any failure. */
export class Comparer {
  readonly #expected: Contents;
  /** Records that all runs without a failure have, by their ids. */
  readonly #stable: readonly Item[];
  readonly #records: Comparison;
  readonly #changes: Comparison;

  constructor(baselines: readonly ComparedRun[]) {
    const contents = baselines.map(toContents);
    const records = contents.map((one) => one.records);
    [this.#expected] = contents as [Contents, ...Contents[]];
    this.#stable = findById(records, false);
    this.#records = findComparison(records);
    this.#changes = findComparison(contents.map((one) => one.changes));
  }

  /** How exactly records are compared. */
  get level(): Level {
    return this.#records.level;
  }

  compare(run: ComparedRun): Differences {
    const actual = toContents(run);
    const changes = this.#changes;
    const missingChanges = pairBy(this.#expected.changes, actual.changes, changes, (item) => [toKey(item, changes)])
      .filter(([, other]) => !other)
      .flatMap(([one]) => one ?? []);
    return { ...compareRecords(this.#expected.records, actual.records, this.#records, this.#stable), missingChanges };
  }
}

function pairBy(
  expected: readonly Item[],
  actual: readonly Item[],
  { level }: Comparison,
  toKeys: (item: Item) => readonly string[],
): readonly Pair<Item>[] {
  if (level === 'none') return [];
  const keyed = [expected, actual].map((items) => items.map((item) => ({ ...item, keys: toKeys(item) })));
  return pairItems(keyed[0] ?? [], keyed[1] ?? []);
}

/** Returns the records of the first list whose ids are in all other lists, or are not, if `isMissing`. */
function findById([first = [], ...others]: readonly (readonly Item[])[], isMissing: boolean): readonly Item[] {
  const ids = others.map((items) => new Set(items.map(toId)));
  return first.filter((item) => ids.every((one) => one.has(toId(item)) !== isMissing));
}

function toId({ collection, id }: Item): string {
  return `${collection} ${id}`;
}

/** Compares records. `stable`: those that all runs without a failure have, by their ids. */
function compareRecords(
  expected: readonly Item[],
  actual: readonly Item[],
  comparison: Comparison,
  stable: readonly Item[],
): Omit<Differences, 'missingChanges'> {
  const isExact = comparison.level === 'exact';
  const pairs = pairBy(expected, actual, comparison, (item) => {
    return [toKey(item, comparison), isExact ? toId(item) : item.collection];
  });
  const missing = pairs.flatMap(([one, other]) => (one && !other ? one : []));
  const extra = pairs.flatMap(([one, other]) => (other && !one ? other : []));
  const differing = pairs.flatMap(([one, other]) => {
    if (!one || !other || toKey(one, comparison) === toKey(other, comparison)) return [];
    const fields = comparison.level === 'numbers' ? ['status'] : findFields(one, other, comparison.ignored);
    return [{ collection: one.collection, id: isExact ? one.id : '', fields }];
  });
  if (isExact) return { missing, extra, differing };
  // Which of several records with the same content is missing, only ids can say.
  const names = [...findById([stable, actual], true)];
  const named = missing.map((item) => {
    const at = names.findIndex(({ collection }) => collection === item.collection);
    return { ...item, id: at < 0 ? '' : (names.splice(at, 1)[0]?.id ?? '') };
  });
  return { missing: named, extra: extra.map((one) => ({ ...one, id: '' })), differing };
}

function findFields(one: Item, other: Item, ignored: ReadonlySet<string>): readonly string[] {
  const textsOf = ({ value }: Item): ReadonlyMap<string, string> => {
    const texts = new Map<string, string>();
    for (const [path, text] of toLeaves('', value)) texts.set(path, `${texts.get(path) ?? ''}\n${text}`);
    return texts;
  };
  const [first, second] = [textsOf(one), textsOf(other)];
  const paths = [...new Set([...first.keys(), ...second.keys()])];
  return paths
    .filter((path) => first.get(path) !== second.get(path) && !ignored.has(`${one.collection}${path}`))
    .map((path) => path.trim().replaceAll(' ', '.'));
}
