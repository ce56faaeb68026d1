/** Converts a calibration to the values that all reports show. */
import type { Calibration } from '../calibrate.ts';
import type { Difference } from '../compare/difference.ts';
import { type BrokenEntry, toExampleName } from '../exchange.ts';

/** The content of a report; `--json` writes it. */
export interface Summary {
  readonly exchanges: number;
  readonly mapped: number;
  readonly unmapped: readonly {
    readonly method: string;
    readonly path: string;
    readonly count: number;
    readonly example: string;
    readonly reason: string;
    readonly candidates: readonly string[];
    readonly map: string | undefined;
  }[];
  /** Share of the mapped exchanges with the same status and body shape, from 0 to 1. */
  readonly agreement: number;
  readonly differences: readonly Difference[];
  readonly broken: readonly BrokenEntry[];
  readonly assumed: readonly { readonly project: string; readonly collection: string; readonly id: string }[];
  /** With all proposals. */
  readonly proposed: { readonly agreement: number; readonly inexpressible: readonly Difference[] };
  readonly notes: readonly string[];
}

export function toSummary(
  { before, after, differences, remaining }: Calibration,
  exchanges: number,
  broken: readonly BrokenEntry[],
): Summary {
  const { mapping } = before;
  const unknown = mapping.mapped.filter(({ exchange }) => exchange.response.isBodyUnknown).length;
  return {
    exchanges,
    mapped: mapping.mapped.length,
    unmapped: mapping.unmapped.map(({ example, ...group }) => ({ ...group, example: toExampleName(example) })),
    agreement: toShare(before.agreed, before.cases.length),
    differences,
    broken,
    assumed: after.assumed.map(({ project, collection, id }) => ({ project, collection, id })),
    proposed: { agreement: toShare(after.agreed, after.cases.length), inexpressible: remaining },
    notes: [
      ...mapping.unusedMaps.map(({ text }) => `--map '${text}' matches no exchange`),
      ...(unknown > 0
        ? [`${unknown} of the mapped responses have no recorded body: only their status is compared`]
        : []),
    ],
  };
}

/** Rounds down to four digits, so that 1 means all. */
function toShare(part: number, all: number): number {
  return all === 0 ? 0 : Math.floor((part / all) * 10_000) / 10_000;
}
