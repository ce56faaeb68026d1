/**
 * Runs the validators of an operation and sorts errors into mistakes of the request, mistakes of entries, and warnings.
 */
import type { ErrorObject, ValidateFunction } from 'ajv';
import { isDeeperThan } from '../lib/depth.ts';
import type { Json } from '../lib/json.ts';
import { maxViolations, type Violation } from '../lib/problem.ts';
import type { Slices } from '../lib/slices.ts';
import { createExplainer, type Explainer, isNoise, isWarning } from './explain.ts';
import type { ErrorSink } from './items-keyword.ts';

/** Lists that a body can hold; their entries are accepted or rejected one by one. */
export type ListName = 'jobs' | 'orders' | 'routes' | 'locations';

/** Result of validating one request. */
export interface Findings {
  /** Mistakes in the parameters and in the body as a whole, which reject the request. */
  readonly violations: readonly Violation[];
  /** Total number of mistakes; `violations` holds the first hundred. */
  readonly violationCount: number;
  /** Whether validation stopped early because of too many mistakes; the counts are then minimums. */
  readonly isCutShort: boolean;
  /** Reasons why single entries are rejected, by entry index: `12`, or `2/5` for the sixth job of the third route. */
  readonly refused: ReadonlyMap<string, string>;
  readonly warnings: readonly Violation[];
  readonly warningCount: number;
  /** Unknown fields, which are not stored: the path of the object in the body, and the field's name. */
  readonly unknown: readonly { readonly object: string; readonly field: string }[];
  /** Whether the body is nested deeper than allowed; ignore the other findings then. */
  readonly tooDeep: boolean;
}

/** Keyword that checks the depth of free-form values. */
export const freeFormKeyword = 'x-free-form';

const nothingFound: Findings = {
  violations: [],
  violationCount: 0,
  isCutShort: false,
  refused: new Map(),
  warnings: [],
  warningCount: 0,
  unknown: [],
  tooDeep: false,
};

/** Returns whether a request has neither mistakes nor warnings. */
export function isClean({ violationCount, warningCount, refused }: Findings): boolean {
  return violationCount === 0 && warningCount === 0 && refused.size === 0;
}

/** Maximum number of reasons listed per entry. */
const maxReasons = 5;

/** Number of errors to collect before they are sorted and freed, because each needs memory. */
const errorBatchSize = 1000;

/** Maximum number of counted mistakes; after that, validation skips entries and requests that are already rejected. */
const maxCounted = 500_000;

/** Options for validating one request. */
export interface ValidateOptions {
  /** The list whose entries are accepted or rejected one by one, if the operation has one. */
  readonly list: ListName | undefined;
  /** Whether warnings count as mistakes. */
  readonly strict: boolean;
  /** Maximum levels of nested objects and lists. */
  readonly depth: number;
}

interface SortedErrors {
  readonly violations: Violation[];
  violationCount: number;
  readonly warnings: Violation[];
  warningCount: number;
  readonly entries: Map<string, { count: number; isCutShort: boolean; readonly texts: string[] }>;
  readonly unknown: { object: string; field: string }[];
  /** Number of errors sorted so far. */
  count: number;
  isCutShort: boolean;
  tooDeep: boolean;
}

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
      if (!isNoise(error) && error.instancePath.startsWith(path)) sort(error, sorted, explainer, options);
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

function createSortedErrors(): SortedErrors {
  const lists = { violations: [], warnings: [], unknown: [], entries: new Map() };
  return { ...lists, violationCount: 0, warningCount: 0, count: 0, isCutShort: false, tooDeep: false };
}

/**
 * Returns whether more errors at this path change nothing: the maximum is reached, and the entry or request is
 * rejected.
 */
function isDecided(sorted: SortedErrors, path: string, list: ListName | undefined): boolean {
  if (sorted.tooDeep) return true;
  if (sorted.count <= maxCounted) return false;
  const place = list && toPlace(path, list);
  const entry = place && sorted.entries.get(place.key);
  if (sorted.violationCount === 0 && !entry) return false;
  if (entry) entry.isCutShort = true;
  sorted.isCutShort = true;
  return true;
}

/**
 * Returns whether an error is about a value that is nested too deep. The schema has a fixed depth, so such a value is a
 * free-form value, an unknown field, or a value of another type. With only these checked, valid bodies need no second
 * traversal.
 */
function isTooDeep({ keyword, data, params, instancePath }: ErrorObject, depth: number): boolean {
  if (keyword === freeFormKeyword) return true;
  const isUnknown = keyword === 'additionalProperties';
  if (!isUnknown && keyword !== 'type' && keyword !== 'enum') return false;
  const value = isUnknown ? (data as Json)[String(params['additionalProperty'])] : data;
  // Most errors are about numbers and texts; this avoids splitting millions of paths.
  if (typeof value !== 'object' || value === null) return false;
  return isDeeperThan(value, depth - instancePath.split('/').length + (isUnknown ? 1 : 2));
}

function sort(
  error: ErrorObject,
  sorted: SortedErrors,
  explainer: Explainer,
  { list, strict, depth }: ValidateOptions,
): void {
  sorted.count += 1;
  if (isTooDeep(error, depth)) sorted.tooDeep = true;
  if (sorted.tooDeep) return;
  const root = error.instancePath.startsWith('/requestBody') ? '/requestBody' : '';
  if (isWarning(error)) {
    if (error.keyword === 'additionalProperties' && root !== '') {
      sorted.unknown.push({
        object: error.instancePath.slice(root.length),
        field: String(error.params['additionalProperty']),
      });
    }
    if (!strict) {
      sorted.warningCount += 1;
      if (sorted.warnings.length < maxViolations) sorted.warnings.push(toViolation(error, root, explainer));
      return;
    }
  }
  const place = list && toPlace(error.instancePath, list);
  if (!place) {
    sorted.violationCount += 1;
    if (sorted.violations.length < maxViolations) sorted.violations.push(toViolation(error, root, explainer));
    return;
  }
  const entry = sorted.entries.get(place.key) ?? { count: 0, isCutShort: false, texts: [] };
  sorted.entries.set(place.key, entry);
  entry.count += 1;
  if (entry.texts.length >= maxReasons) return;
  const { path, message } = explainer.explain(error, place.root);
  const field = path.slice(1).replace(/\//g, '.');
  entry.texts.push(field === '' ? message : `${field}: ${message}`);
}

/** Converts an error to a violation; names parameters `path:NAME`, `query:NAME`, `header:NAME`. */
function toViolation(error: ErrorObject, root: string, explainer: Explainer): Violation {
  const violation = explainer.explain(error, root);
  if (root !== '') return violation;
  const [, kind, ...rest] = violation.path.split('/');
  return { path: kind === '' || kind === undefined ? '' : `${kind}:${rest.join('/')}`, message: violation.message };
}

/** Returns the entry of an error: the job for a field of a route's job, the route for the route's other fields. */
function toPlace(path: string, list: ListName): { key: string; root: string } | undefined {
  const match = list === 'routes' ? routePath.exec(path) : entryPath[list].exec(path);
  if (!match) return undefined;
  const [root, index, job] = match;
  return { key: job === undefined ? String(index) : `${index}/${job}`, root };
}

const routePath = /^\/requestBody\/routes\/(\d+)(?:\/jobs\/(\d+))?/;
const entryPath = {
  jobs: /^\/requestBody\/jobs\/(\d+)/,
  orders: /^\/requestBody\/orders\/(\d+)/,
  locations: /^\/requestBody\/locations\/(\d+)/,
} as const;

function toFindings(sorted: SortedErrors): Findings {
  const refused = new Map<string, string>();
  for (const [key, { count, isCutShort, texts }] of sorted.entries) {
    const rest = count - texts.length;
    const atLeast = isCutShort ? 'at least ' : '';
    refused.set(key, texts.join('; ') + (rest > 0 ? `; and ${atLeast}${rest.toLocaleString('en')} more` : ''));
  }
  const { entries: _entries, count: _count, ...rest } = sorted;
  return { ...rest, refused };
}
