/** Records the results of conditions on secrets, those on entries as ranges of entry numbers. */

/**
 * Whether a secret matched, by rule key and field; for a condition on entries: ranges of entries such as `+1-3 -4`, which
 * match (`+`) or do not match (`-`).
 */
export type SecretTests = Readonly<Record<string, boolean | string>>;

interface Range {
  readonly from: number;
  to: number;
  readonly result: boolean;
}

/** Collects the tests of one request. Entry numbers must ascend. */
export class SecretNotes {
  readonly #ofRequest: Record<string, boolean> = {};
  readonly #ofEntries = new Map<string, Range[]>();

  add(name: string, item: number | undefined, result: boolean): void {
    if (item === undefined) {
      this.#ofRequest[name] = result;
      return;
    }
    const ranges = this.#ofEntries.get(name) ?? [];
    this.#ofEntries.set(name, ranges);
    const last = ranges.at(-1);
    if (last && last.result === result && last.to + 1 === item) last.to = item;
    else ranges.push({ from: item, to: item, result });
  }

  tests(): SecretTests {
    const ranges = [...this.#ofEntries].map(([name, list]) => [name, list.map(toText).join(' ')]);
    return { ...this.#ofRequest, ...Object.fromEntries(ranges) };
  }
}

function toText({ from, to, result }: Range): string {
  return `${result ? '+' : '-'}${from}${to > from ? `-${to}` : ''}`;
}

/** Creates a lookup of recorded results for tests in the same order; it returns undefined for a missing test. */
export function createSecretLookup(
  tests: SecretTests,
): (name: string, item: number | undefined) => boolean | undefined {
  // The ranges that are still to come, the next one last.
  const ranges = new Map<string, Range[]>();
  return (name, item) => {
    // Earlier recordings have each result of an entry by its number.
    const found = tests[`${name} ${item}`] ?? tests[name];
    if (item === undefined || typeof found !== 'string') return typeof found === 'boolean' ? found : undefined;
    const left = ranges.get(name) ?? found.split(' ').map(toRange).reverse();
    ranges.set(name, left);
    while ((left.at(-1)?.to ?? item) < item) left.pop();
    const next = left.at(-1);
    return next && next.from <= item ? next.result : undefined;
  };
}

function toRange(text: string): Range {
  const [from = '', to = from] = text.slice(1).split('-');
  return { from: Number(from), to: Number(to), result: text.startsWith('+') };
}
