/** Records the results of conditions on secrets: each test by name if there are few, as ranges of entries if many. */

/**
 * Whether a secret matched, by rule key, field and, for a condition on entries, entry number. If there are many tests,
 * by rule key and field only: ranges of entries such as `+1-3 -4`, which match (`+`) or do not match (`-`).
 */
export type SecretTests = Readonly<Record<string, boolean | string>>;

/** Maximum number of tests of one request that are recorded by name. More are recorded as ranges. */
const maxByName = 1000;

interface Range {
  readonly from: number;
  to: number;
  readonly result: boolean;
}

/** Collects the tests of one request. Entry numbers must ascend. */
export class SecretNotes {
  readonly #byName: Record<string, boolean> = {};
  readonly #withoutItem: Record<string, boolean> = {};
  readonly #ranges = new Map<string, Range[]>();
  #count = 0;

  add(name: string, item: number | undefined, result: boolean): void {
    this.#count += 1;
    if (this.#count <= maxByName) this.#byName[item === undefined ? name : `${name} ${item}`] = result;
    if (item === undefined) this.#withoutItem[name] = result;
    else this.#addToRanges(name, item, result);
  }

  tests(): SecretTests {
    if (this.#count <= maxByName) return this.#byName;
    const ranges = [...this.#ranges].map(([name, list]) => [name, list.map(toText).join(' ')]);
    return { ...this.#withoutItem, ...Object.fromEntries(ranges) };
  }

  #addToRanges(name: string, item: number, result: boolean): void {
    const existing = this.#ranges.get(name) ?? [];
    if (existing.length === 0) this.#ranges.set(name, existing);
    const last = existing.at(-1);
    if (last && last.result === result && last.to + 1 === item) last.to = item;
    else existing.push({ from: item, to: item, result });
  }
}

function toText({ from, to, result }: Range): string {
  return `${result ? '+' : '-'}${from}${to > from ? `-${to}` : ''}`;
}

/** Creates a lookup of recorded results; it returns undefined for a missing test. */
export function createSecretLookup(
  tests: SecretTests,
): (name: string, item: number | undefined) => boolean | undefined {
  const ranges = new Map<string, readonly Range[]>();
  const rangesOf = (name: string, text: string): readonly Range[] => {
    const existing = ranges.get(name) ?? text.split(' ').map(toRange);
    ranges.set(name, existing);
    return existing;
  };
  return (name, item) => {
    const found = tests[name];
    if (item === undefined) return typeof found === 'boolean' ? found : undefined;
    if (typeof found === 'string') return findRange(rangesOf(name, found), item)?.result;
    const result = tests[`${name} ${item}`];
    return typeof result === 'boolean' ? result : undefined;
  };
}

function toRange(text: string): Range {
  const [from = '', to = from] = text.slice(1).split('-');
  return { from: Number(from), to: Number(to), result: text.startsWith('+') };
}

/** Returns the range that contains a number; the ranges must ascend. */
function findRange(ranges: readonly Range[], item: number): Range | undefined {
  let low = 0;
  let high = ranges.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const range = ranges[middle] as Range;
    if (item < range.from) high = middle - 1;
    else if (item > range.to) low = middle + 1;
    else return range;
  }
  return undefined;
}
