/** Runs the validators of an operation, and sorts their errors into mistakes of the request, mistakes of entries, and warnings. */
import type { ErrorObject, ValidateFunction } from 'ajv';
import { type Cause, maxViolations, type Violation } from '../lib/problem.ts';
import { createExplain, type Explain, isNoise, isWarning } from './explain.ts';
import type { ErrorSink } from './items-keyword.ts';

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
}

/** Keyword that checks the depth of free-form values. */
export const freeFormKeyword = 'x-free-form';

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
}

/** A validator and its input: `{ requestBody }` or `{ path, query, header }`. */
export type ValidationRun = readonly [ValidateFunction, unknown];

/** Returns whether a request has neither mistakes nor warnings. */
export function isClean({ violationCount, warningCount, refused }: Findings): boolean {
  return violationCount === 0 && warningCount === 0 && refused.size === 0;
}

/** Runs the validators and sorts their errors. */
export function validate(runs: readonly ValidationRun[], options: ValidateOptions): Findings {
  let sorter: ErrorSorter | undefined;
  const sort = (errors: readonly ErrorObject[]): ErrorSorter => {
    sorter ??= new ErrorSorter(options);
    for (const error of errors) if (!isNoise(error)) sorter.add(error);
    return sorter;
  };
  const sink: ErrorSink = {
    batchSize: errorBatchSize,
    receive: (errors, path) => {
      const sorted = sort(errors);
      const isEnough = sorted.isDecided(path);
      // From here on, every error is passed on at once (1). If nothing more can change the result, each enclosing list
      // stops, too, even without an error (0).
      if (sorted.isFull) sink.batchSize = isEnough ? 0 : 1;
      return isEnough;
    },
  };
  for (const [validator, value] of runs) if (!validator.call(sink, value)) sort(validator.errors ?? []);
  return sorter?.toFindings() ?? nothingFound;
}

interface RefusedEntry {
  count: number;
  isCutShort: boolean;
  cause: Cause | undefined;
  readonly texts: string[];
}

/** An entry, and the path of its value. */
interface Place {
  readonly key: string;
  readonly root: string;
}

/** The path of a request's body in the validated value. */
const bodyRoot = '/requestBody';

/** Sorts the errors of one request. Its public fields are those of the findings. */
class ErrorSorter {
  readonly violations: Violation[] = [];
  violationCount = 0;
  isCutShort = false;
  readonly warnings: Violation[] = [];
  warningCount = 0;
  readonly unknown: { readonly object: string; readonly fields: string[] }[] = [];
  readonly #options: ValidateOptions;
  readonly #explain: Explain;
  readonly #entries = new Map<string, RefusedEntry>();
  /** Number of errors so far. */
  #count = 0;
  /** The path of the object of the last unknown field: its fields follow each other, and there may be 500,000 of them. */
  #unknownAt: string | undefined;
  /** The entry of the last error, and the path of its object: the errors of an object follow each other. */
  #placed: { readonly path: string; readonly place: Place | undefined } | undefined;

  constructor(options: ValidateOptions) {
    this.#options = options;
    this.#explain = createExplain(options.strict);
  }

  /** Whether more errors change nothing but entries without one. */
  get isFull(): boolean {
    return this.#count > maxCounted;
  }

  /**
   * Returns whether more errors at this path change nothing: the maximum is reached, and the entry or request is
   * rejected.
   */
  isDecided(path: string): boolean {
    if (!this.isFull) return false;
    const place = toPlace(path, this.#options.list);
    const entry = place && this.#entries.get(place.key);
    if (this.violationCount === 0 && !entry) return false;
    if (entry) entry.isCutShort = true;
    this.isCutShort = true;
    return true;
  }

  add(error: ErrorObject): void {
    this.#count += 1;
    const root = error.instancePath.startsWith(bodyRoot) ? bodyRoot : '';
    if (!this.#options.strict && isWarning(error)) {
      if (root !== '') this.#addUnknown(error);
      this.warningCount += 1;
      if (this.warnings.length < maxViolations) this.warnings.push(this.#toViolation(error, root));
      return;
    }
    const place = this.#findPlace(error.instancePath);
    if (place) {
      this.#addReason(error, place);
      return;
    }
    this.violationCount += 1;
    if (this.violations.length < maxViolations) this.violations.push(this.#toViolation(error, root));
  }

  toFindings(): Findings {
    const refused = new Map<string, Refusal>();
    for (const [key, { count, isCutShort, cause, texts }] of this.#entries) {
      const rest = count - texts.length;
      const atLeast = isCutShort ? 'at least ' : '';
      const reason = texts.join('; ') + (rest > 0 ? `; and ${atLeast}${rest.toLocaleString('en')} more` : '');
      refused.set(key, { reason, cause });
    }
    return { ...this, refused };
  }

  /** Adds the unknown field of a body. Unknown parameters are not stored anyway. */
  #addUnknown({ keyword, instancePath, params }: ErrorObject): void {
    if (keyword !== 'additionalProperties') return;
    if (this.#unknownAt !== instancePath)
      this.unknown.push({ object: instancePath.slice(bodyRoot.length), fields: [] });
    this.#unknownAt = instancePath;
    this.unknown.at(-1)?.fields.push(String(params['additionalProperty']));
  }

  /** Adds an error to the reasons why its entry is rejected. */
  #addReason(error: ErrorObject, place: Place): void {
    let entry = this.#entries.get(place.key);
    if (!entry) {
      entry = { count: 0, isCutShort: false, cause: undefined, texts: [] };
      this.#entries.set(place.key, entry);
    }
    entry.count += 1;
    if (entry.texts.length >= maxReasons) return;
    // A path without a leading slash begins at the entry; the paths in `errors` begin at the body.
    const { path, message, cause } = this.#explain(error, place.root);
    const field = path.slice(1);
    entry.cause ??= cause && { ...cause, place: field };
    entry.texts.push(field === '' ? message : `${field}: ${message}`);
  }

  /** Converts an error to a violation; names parameters `path:NAME`, `query:NAME`, `header:NAME`. */
  #toViolation(error: ErrorObject, root: string): Violation {
    const violation = this.#explain(error, root);
    if (root !== '') return violation;
    const [, kind, ...rest] = violation.path.split('/');
    return { ...violation, path: kind === '' || kind === undefined ? '' : `${kind}:${rest.join('/')}` };
  }

  /** Does what `toPlace` does, once for all errors of an object. */
  #findPlace(path: string): Place | undefined {
    if (this.#placed?.path !== path) this.#placed = { path, place: toPlace(path, this.#options.list) };
    return this.#placed.place;
  }
}

const entryPaths: Readonly<Record<ListName, RegExp>> = {
  jobs: /^\/requestBody\/jobs\/(\d+)/,
  orders: /^\/requestBody\/orders\/(\d+)/,
  routes: /^\/requestBody\/routes\/(\d+)(?:\/jobs\/(\d+))?/,
  locations: /^\/requestBody\/locations\/(\d+)/,
};

/** Returns the entry of an error: the job for a field of a route's job, the route for the route's other fields. */
function toPlace(path: string, list: ListName | undefined): Place | undefined {
  const [root, index, job] = (list && entryPaths[list].exec(path)) ?? [];
  if (root === undefined) return undefined;
  return { key: job === undefined ? String(index) : `${index}/${job}`, root };
}

const nothingFound = new ErrorSorter({ list: undefined, strict: false }).toFindings();
