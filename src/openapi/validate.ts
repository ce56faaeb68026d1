/** Runs the validators of an operation, and has their errors sorted. */
import type { ErrorObject, ValidateFunction } from 'ajv';
import { isDeeperThan } from '../lib/depth.ts';
import { createExplainer, type Explainer, isNoise } from './explain.ts';
import type { ErrorSink } from './items-keyword.ts';
import {
  createSortedErrors,
  type Findings,
  isDecided,
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
  let sorted: SortedErrors | undefined;
  let explainer: Explainer | undefined;
  let batchSize = errorBatchSize;

  function run(validator: ValidateFunction, value: unknown): void {
    let isDeep: boolean | undefined;
    const sortAll = (errors: readonly ErrorObject[]): SortedErrors => {
      sorted ??= createSortedErrors();
      explainer ??= createExplainer(options.strict);
      // The schema has a fixed depth, and checks that of free-form values: only a value with mistakes is visited again.
      isDeep ??= isDeeperThan(value, options.depth + 1);
      if (isDeep) sorted.tooDeep = true;
      for (const error of errors) if (!isNoise(error)) sortError(error, sorted, explainer, options);
      return sorted;
    };
    const sink: ErrorSink = {
      batchSize,
      receive: (errors, path) => {
        const all = sortAll(errors);
        const isEnough = isDecided(all, path, options.list);
        // From here on, every error is passed on at once (1). If nothing more can change the result, each enclosing
        // list stops, too, even without an error (0).
        if (all.count > maxCounted || all.tooDeep) sink.batchSize = isEnough ? 0 : 1;
        return isEnough;
      },
    };
    if (!validator.call(sink, value)) sortAll(validator.errors ?? []);
    batchSize = sink.batchSize;
  }

  for (const [validator, value] of runs) run(validator, value);
  return sorted ? toFindings(sorted) : nothingFound;
}
