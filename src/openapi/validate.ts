/** Runs the validators of an operation, at once or in slices, and has their errors sorted. */
import type { ErrorObject, ValidateFunction } from 'ajv';
import { isDeeperThan } from '../lib/depth.ts';
import type { Json } from '../lib/json.ts';
import type { Slices } from '../lib/slices.ts';
import { createExplainer, type Explainer, isNoise } from './explain.ts';
import type { ErrorSink } from './items-keyword.ts';
import {
  createSortedErrors,
  type Findings,
  isDecided,
  type ListName,
  maxCounted,
  type SortedErrors,
  sortError,
  toFindings,
  type ValidateOptions,
} from './sort-errors.ts';

export { type Findings, freeFormKeyword, type ListName, type ValidateOptions } from './sort-errors.ts';

const nothingFound = toFindings(createSortedErrors());

/** Returns whether a request has neither mistakes nor warnings. */
export function isClean({ violationCount, warningCount, refused }: Findings): boolean {
  return violationCount === 0 && warningCount === 0 && refused.size === 0;
}

/** Number of errors to collect before they are sorted and freed, because each needs memory. */
const errorBatchSize = 1000;

/** A validator and its input: `{ requestBody }` or `{ path, query, header }`. */
export type ValidationRun = readonly [ValidateFunction, unknown];

/** Runs the validators and sorts their errors. */
export function validate(runs: readonly ValidationRun[], options: ValidateOptions): Findings {
  const sorter = createSorter(options);
  for (const [validator, value] of runs) {
    sorter.run(validator, value);
    sorter.checkDepth(value);
  }
  return sorter.findings();
}

/** Options for validating a body with a long list. */
export interface SlicedValidateOptions extends ValidateOptions {
  /** The list to validate in slices. */
  readonly slicedBy: ListName | undefined;
  readonly slices: Slices;
}

/** Number of entries to validate before the clock is read. */
const sliceLength = 20;

/** Runs the validators in slices, so that other requests can run in between. */
export async function validateInSlices(
  runs: readonly ValidationRun[],
  options: SlicedValidateOptions,
): Promise<Findings> {
  const sorter = createSorter(options);
  for (const [validator, value] of runs) {
    const list = toSliced(value, options.slicedBy);
    sorter.run(validator, value, list && { path: '', from: 0, to: sliceLength });
    // The first slice has validated everything outside the list.
    const rest = list && { requestBody: { [list.name]: list.entries } };
    for (let from = sliceLength; list && from < list.entries.length; from += sliceLength) {
      if (options.slices.isOver()) await options.slices.next();
      sorter.run(validator, rest, { path: `/requestBody/${list.name}/`, from, to: from + sliceLength });
    }
    sorter.checkDepth(value);
  }
  return sorter.findings();
}

function toSliced(value: unknown, name: ListName | undefined): { name: ListName; entries: unknown[] } | undefined {
  const { requestBody } = value as { readonly requestBody?: unknown };
  if (name === undefined || typeof requestBody !== 'object' || requestBody === null) return undefined;
  const entries = (requestBody as Json)[name];
  return Array.isArray(entries) && entries.length > sliceLength ? { name, entries } : undefined;
}

/** A range of entries in the body's list; errors outside of this path are ignored. */
interface Part {
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

/** Creates a sorter, which runs validators and sorts their errors. */
function createSorter(options: ValidateOptions) {
  let sorted: SortedErrors | undefined;
  let explainer: Explainer | undefined;
  let batchSize = errorBatchSize;
  const sortAll = (errors: readonly ErrorObject[], path: string): SortedErrors => {
    sorted ??= createSortedErrors();
    explainer ??= createExplainer(options.strict);
    for (const error of errors) {
      if (!isNoise(error) && error.instancePath.startsWith(path)) sortError(error, sorted, explainer, options);
    }
    return sorted;
  };
  function run(validator: ValidateFunction, value: unknown, part?: Part): void {
    const prefix = part?.path ?? '';
    const sink: ErrorSink = {
      batchSize,
      ...(part && { from: part.from, to: part.to }),
      receive: (errors, path) => {
        const all = sortAll(errors, prefix);
        const isEnough = isDecided(all, path, options.list);
        // From here on, every error is passed on at once (1). If nothing more can change the result, each enclosing
        // list stops, too, even without an error (0).
        if (all.count > maxCounted || all.tooDeep) sink.batchSize = isEnough ? 0 : 1;
        return isEnough;
      },
    };
    if (!validator.call(sink, value)) sortAll(validator.errors ?? [], prefix);
    batchSize = sink.batchSize;
  }
  return {
    run,
    /** Checks the depth of parts that were skipped because of too many mistakes. */
    checkDepth: (value: unknown): void => {
      if (sorted?.isCutShort && isDeeperThan(value, options.depth + 1)) sorted.tooDeep = true;
    },
    findings: (): Findings => (sorted ? toFindings(sorted) : nothingFound),
  };
}
