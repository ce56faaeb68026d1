/** Sorts the errors of validators into mistakes of the request, mistakes of entries, and warnings. */
import type { ErrorObject } from 'ajv';
import { type Cause, maxViolations, type Violation } from '../lib/problem.ts';
import { type Explainer, isWarning } from './explain.ts';

/** Lists that a body can hold; their entries are accepted or rejected one by one. */
export type ListName = 'jobs' | 'orders' | 'routes' | 'locations';

/** Why an entry is rejected: all its mistakes as one text, and the cause of the first. */
export interface Refusal {
  readonly reason: string;
  readonly cause?: Cause | undefined;
}

/** Result of validating one request. */
export interface Findings {
  /** Mistakes in the parameters and in the body as a whole, which reject the request. */
  readonly violations: readonly Violation[];
  /** Total number of mistakes; `violations` holds the first hundred. */
  readonly violationCount: number;
  /** Whether validation stopped early because of too many mistakes; the counts are then minimums. */
  readonly isCutShort: boolean;
  /** Reasons why single entries are rejected, by entry index: `12`, or `2/5` for the sixth job of the third route. */
  readonly refused: ReadonlyMap<string, Refusal>;
  readonly warnings: readonly Violation[];
  readonly warningCount: number;
  /** Unknown fields, which are not stored: the path of their object in the body, and their names. */
  readonly unknown: readonly { readonly object: string; readonly fields: string[] }[];
  /** Whether the body is nested deeper than allowed; ignore the other findings then. */
  readonly tooDeep: boolean;
}

/** Keyword that checks the depth of free-form values. */
export const freeFormKeyword = 'x-free-form';

/** Maximum number of reasons listed per entry. */
const maxReasons = 5;

/** Maximum number of counted mistakes; after that, validation skips entries and requests that are already rejected. */
export const maxCounted = 500_000;

/** Options for validating one request. */
export interface ValidateOptions {
  /** The list whose entries are accepted or rejected one by one, if the operation has one. */
  readonly list: ListName | undefined;
  /** Whether warnings count as mistakes. */
  readonly strict: boolean;
  /** Maximum levels of nested objects and lists. */
  readonly depth: number;
}

interface RefusedEntry {
  count: number;
  isCutShort: boolean;
  cause: Cause | undefined;
  readonly texts: string[];
}

/** The errors sorted so far. */
export type SortedErrors = {
  -readonly [Key in keyof Omit<Findings, 'refused'>]: Findings[Key] extends readonly (infer Item)[]
    ? Item[]
    : Findings[Key];
} & {
  readonly entries: Map<string, RefusedEntry>;
  /** Number of errors sorted so far. */
  count: number;
  /** The path of the object of the last unknown field: its fields follow each other, and there may be 500,000 of them. */
  unknownAt: string | undefined;
  /** The entry of the last error, and the path of its object: the errors of an object follow each other. */
  placed: { readonly path: string; readonly place: Place | undefined } | undefined;
};

/** Creates an empty result. */
export function createSortedErrors(): SortedErrors {
  const lists = { violations: [], warnings: [], unknown: [], entries: new Map() };
  return {
    ...lists,
    violationCount: 0,
    warningCount: 0,
    count: 0,
    isCutShort: false,
    tooDeep: false,
    unknownAt: undefined,
    placed: undefined,
  };
}

/**
 * Returns whether more errors at this path change nothing: the maximum is reached, and the entry or request is
 * rejected.
 */
export function isDecided(sorted: SortedErrors, path: string, list: ListName | undefined): boolean {
  if (sorted.tooDeep) return true;
  if (sorted.count <= maxCounted) return false;
  const place = list && toPlace(path, list);
  const entry = place && sorted.entries.get(place.key);
  if (sorted.violationCount === 0 && !entry) return false;
  if (entry) entry.isCutShort = true;
  sorted.isCutShort = true;
  return true;
}

/** The path of a request's body in the validated value. */
const bodyRoot = '/requestBody';

/** Adds one error to the sorted ones. */
export function sortError(
  error: ErrorObject,
  sorted: SortedErrors,
  explainer: Explainer,
  { list, strict }: ValidateOptions,
): void {
  sorted.count += 1;
  if (sorted.tooDeep) return;
  const root = error.instancePath.startsWith(bodyRoot) ? bodyRoot : '';
  if (!strict && isWarning(error)) {
    addUnknown(error, root, sorted);
    sorted.warningCount += 1;
    if (sorted.warnings.length < maxViolations) sorted.warnings.push(toViolation(error, root, explainer));
    return;
  }
  const place = list && findPlace(error.instancePath, list, sorted);
  if (place) {
    addReason(error, place, sorted, explainer);
    return;
  }
  sorted.violationCount += 1;
  if (sorted.violations.length < maxViolations) sorted.violations.push(toViolation(error, root, explainer));
}

/** Adds the unknown field of a body. Unknown parameters are not stored anyway. */
function addUnknown({ keyword, instancePath, params }: ErrorObject, root: string, sorted: SortedErrors): void {
  if (keyword !== 'additionalProperties' || root === '') return;
  if (sorted.unknownAt !== instancePath) sorted.unknown.push({ object: instancePath.slice(root.length), fields: [] });
  sorted.unknownAt = instancePath;
  sorted.unknown.at(-1)?.fields.push(String(params['additionalProperty']));
}

/** Adds an error to the reasons why its entry is rejected. */
function addReason(error: ErrorObject, place: Place, sorted: SortedErrors, explainer: Explainer): void {
  let entry = sorted.entries.get(place.key);
  if (!entry) {
    entry = { count: 0, isCutShort: false, cause: undefined, texts: [] };
    sorted.entries.set(place.key, entry);
  }
  entry.count += 1;
  if (entry.texts.length >= maxReasons) return;
  // A path without a leading slash begins at the entry; the paths in `errors` begin at the body.
  const { path, message, cause } = explainer.explain(error, place.root);
  const field = path.slice(1);
  entry.cause ??= cause && { ...cause, place: field };
  entry.texts.push(field === '' ? message : `${field}: ${message}`);
}

/** Converts an error to a violation; names parameters `path:NAME`, `query:NAME`, `header:NAME`. */
function toViolation(error: ErrorObject, root: string, explainer: Explainer): Violation {
  const violation = explainer.explain(error, root);
  if (root !== '') return violation;
  const [, kind, ...rest] = violation.path.split('/');
  return { ...violation, path: kind === '' || kind === undefined ? '' : `${kind}:${rest.join('/')}` };
}

/** An entry, and the path of its value. */
interface Place {
  readonly key: string;
  readonly root: string;
}

/** Does what `toPlace` does, once for all errors of an object. */
function findPlace(path: string, list: ListName, sorted: SortedErrors): Place | undefined {
  if (sorted.placed?.path !== path) sorted.placed = { path, place: toPlace(path, list) };
  return sorted.placed.place;
}

/** Returns the entry of an error: the job for a field of a route's job, the route for the route's other fields. */
function toPlace(path: string, list: ListName): Place | undefined {
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

/** Converts the sorted errors to the result of a validation. */
export function toFindings(sorted: SortedErrors): Findings {
  const refused = new Map<string, Refusal>();
  for (const [key, { count, isCutShort, cause, texts }] of sorted.entries) {
    const rest = count - texts.length;
    const atLeast = isCutShort ? 'at least ' : '';
    const reason = texts.join('; ') + (rest > 0 ? `; and ${atLeast}${rest.toLocaleString('en')} more` : '');
    refused.set(key, { reason, cause });
  }
  const { entries: _entries, count: _count, unknownAt: _at, placed: _placed, ...rest } = sorted;
  return { ...rest, refused };
}
