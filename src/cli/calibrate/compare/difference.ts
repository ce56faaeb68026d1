/** Defines the differences between the real API and the sandbox. */
import type { OperationId } from '../../../operations/index.ts';

export const differenceKinds = [
  'path',
  'status',
  'error body',
  'result body',
  'unknown field',
  'missing field',
  'enum value',
  'required field',
  'header',
] as const;
export type DifferenceKind = (typeof differenceKinds)[number];

/** One difference of one exchange. Equal ones are counted together. */
export interface Finding {
  /** `*` for differences of all operations. */
  readonly operation: OperationId | '*';
  readonly kind: DifferenceKind;
  /** What the sandbox does. */
  readonly expected: string;
  /** What the real API did. */
  readonly seen: string;
  readonly example: string;
}

/** A kind of difference with its number, and what settles it. */
export interface Difference extends Finding {
  readonly count: number;
  /** The profile key or overlay action that settles it; undefined if nothing does. */
  readonly proposal?: string | undefined;
}

/** Counts equal findings, most frequent first. */
export function countFindings(findings: readonly Finding[]): readonly Difference[] {
  const counted = new Map<string, { first: Finding; count: number }>();
  for (const finding of findings) {
    const key = toDifferenceKey(finding);
    const entry = counted.get(key) ?? { first: finding, count: 0 };
    entry.count += 1;
    counted.set(key, entry);
  }
  return [...counted.values()].map(({ first, count }) => ({ ...first, count })).toSorted((a, b) => b.count - a.count);
}

/** Returns a text that is equal for findings to count together. */
export function toDifferenceKey({ operation, kind, expected, seen }: Finding): string {
  return JSON.stringify([operation, kind, expected, seen]);
}
