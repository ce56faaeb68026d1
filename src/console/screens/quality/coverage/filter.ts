/** Selects what the coverage lists: operations and callbacks, each with the failures or conditions that match. */
import type { Schemas } from '../../../data/schemas.ts';

/** A failure of an operation, or a condition of a callback. */
export type Item = Schemas['FailureCoverage'] & { readonly taken?: number };

/** An operation or a callback type. */
export interface Shown {
  readonly kind: 'operation' | 'callback';
  readonly name: string;
  /** Method and path of an operation. */
  readonly target: string;
  readonly calls: number;
  readonly succeeded: number;
  readonly isMet: boolean;
  /** Those that match. */
  readonly items: readonly Item[];
  readonly metCount: number;
  readonly total: number;
  /** The first one that clients have not met, whether it matches or not. */
  readonly next: Item | undefined;
}

export interface Filter {
  /** In lower case. */
  readonly search: string;
  /** Undefined: both. */
  readonly met: boolean | undefined;
}

export function filterAreas({ items, callbackItems }: Schemas['Coverage'], filter: Filter): readonly Shown[] {
  const operations = items.map(({ operation, method, path, calls, succeeded, met, failures }) => ({
    ...{ kind: 'operation' as const, name: operation, target: `${method} ${path}`, calls, succeeded, isMet: met },
    all: failures,
  }));
  const callbacks = callbackItems.map(({ type, conditions }) => {
    const sum = conditions.reduce((count, one) => count + one.count, 0);
    const taken = conditions.reduce((count, one) => count + one.taken, 0);
    const base = { kind: 'callback' as const, name: type, target: '', calls: sum, succeeded: taken, isMet: sum > 0 };
    return { ...base, all: conditions };
  });
  return [...operations, ...callbacks].flatMap(({ all, ...area }) => {
    const isNamed = includes(filter.search, area.name, area.target);
    const matching = all.filter(
      (item) =>
        (filter.met === undefined || item.met === filter.met) &&
        (isNamed || includes(filter.search, item.kind, item.about, item.provoke)),
    );
    const isListed = matching.length > 0 || (isNamed && filter.met !== !area.isMet);
    if (!isListed) return [];
    const unmet = all.filter(({ met }) => !met);
    return [{ ...area, items: matching, metCount: all.length - unmet.length, total: all.length, next: unmet[0] }];
  });
}

function includes(search: string, ...texts: readonly string[]): boolean {
  return texts.some((text) => text.toLowerCase().includes(search));
}
