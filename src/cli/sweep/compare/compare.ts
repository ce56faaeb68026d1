/** Compares a run under a failure with runs without any, and lists what is missing, more than there, or different. */
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

export interface Comparer {
  /** How exactly records and changes are compared. */
  readonly levels: { readonly records: Level; readonly changes: Level };
  compare(run: ComparedRun): Differences;
}

/** Creates a comparer from runs without any failure. */
export function createComparer(baselines: readonly ComparedRun[]): Comparer {
  const contents = baselines.map(toContents);
  const [expected] = contents as [Contents, ...Contents[]];
  const stable = findById(
    contents.map((one) => one.records),
    false,
  );
  const records = findComparison(contents.map((one) => one.records));
  const changes = findComparison(contents.map((one) => one.changes));
  return {
    levels: { records: records.level, changes: changes.level },
    compare: (run) => {
      const actual = toContents(run);
      const left = cancel(expected.records, actual.records, records);
      return {
        ...pair(left.missing, left.extra, records, findById([stable, actual.records], true)),
        missingChanges: cancel(expected.changes, actual.changes, changes).missing,
      };
    },
  };
}

/** Removes the items that are on both sides. */
function cancel(
  expected: readonly Item[],
  actual: readonly Item[],
  comparison: Comparison,
): { readonly missing: readonly Item[]; readonly extra: readonly Item[] } {
  if (comparison.level === 'none') return { missing: [], extra: [] };
  return { missing: subtract(expected, actual, comparison), extra: subtract(actual, expected, comparison) };
}

function subtract(from: readonly Item[], items: readonly Item[], comparison: Comparison): readonly Item[] {
  const counts = new Map<string, number>();
  for (const item of items) {
    const key = toKey(item, comparison);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return from.filter((item) => {
    const key = toKey(item, comparison);
    const count = counts.get(key) ?? 0;
    counts.set(key, count - 1);
    return count <= 0;
  });
}

/** Returns the records of the first list whose ids are in all other lists, or are not, if `isMissing`. */
function findById([first = [], ...others]: readonly (readonly Item[])[], isMissing: boolean): readonly Item[] {
  const ids = others.map((items) => new Set(items.map(toId)));
  return first.filter((item) => ids.every((one) => one.has(toId(item)) !== isMissing));
}

function toId({ collection, id }: Item): string {
  return `${collection} ${id}`;
}

/** Finds the records that are on both sides with different content. `lost`: those whose ids are certain to be missing. */
function pair(
  missing: readonly Item[],
  extra: readonly Item[],
  { level, ignored }: Comparison,
  lost: readonly Item[],
): Omit<Differences, 'missingChanges'> {
  const isExact = level === 'exact';
  const unpaired = [...extra];
  const differing: DifferingItem[] = [];
  const stillMissing = missing.filter((item) => {
    const index = unpaired.findIndex(
      ({ collection, id }) => collection === item.collection && (!isExact || id === item.id),
    );
    const [other] = index < 0 ? [] : unpaired.splice(index, 1);
    if (!other) return true;
    const fields = level === 'numbers' ? ['status'] : findFields(item, other, ignored);
    differing.push({ collection: item.collection, id: isExact ? item.id : '', fields });
    return false;
  });
  const unnamed = (items: readonly Item[]): readonly Item[] => items.map((one) => ({ ...one, id: '' }));
  if (isExact) return { missing: stillMissing, extra: unpaired, differing };
  // Which of several records with the same content is missing, only ids can say.
  const names = [...lost];
  const named = stillMissing.map((item) => {
    const at = names.findIndex(({ collection }) => collection === item.collection);
    return { ...item, id: at < 0 ? '' : (names.splice(at, 1)[0]?.id ?? '') };
  });
  return { missing: named, extra: unnamed(unpaired), differing };
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
