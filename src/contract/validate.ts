/** Sorts what the validators of one operation found: mistakes of the whole, mistakes of single entries, and warnings. */
import type { ErrorObject, ValidateFunction } from 'ajv';
import { isDeeperThan } from '../base/depth.ts';
import type { Json } from '../base/json.ts';
import { mostViolations, type Violation } from '../base/problem.ts';
import { createExplainer, type Explainer, isNoise, isWarning } from './explain.ts';
import type { Taker } from './items-keyword.ts';

/** The lists that a body can hold; their entries are judged one by one. */
export type ListName = 'jobs' | 'orders' | 'routes' | 'locations';

/** What was found in one request. */
export interface Findings {
  /** Mistakes of the parameters and of the body as a whole, which refuse the request. */
  readonly violations: readonly Violation[];
  /** How many there are in all; `violations` holds the first hundred. */
  readonly violationCount: number;
  /** Whether there were so many mistakes that not all were looked for: then there are at least so many. */
  readonly isCutShort: boolean;
  /** Reasons why single entries are refused, by its place: `12`, or `2/5` for the sixth job of the third route. */
  readonly refused: ReadonlyMap<string, string>;
  readonly warnings: readonly Violation[];
  readonly warningCount: number;
  /** Unknown fields: the path of each object in the body and the field's name, to be left out of what is stored. */
  readonly unknown: readonly { readonly object: string; readonly field: string }[];
  /** Whether something stands deeper than is allowed; then the rest does not count. */
  readonly tooDeep: boolean;
}

/** The keyword that holds free-form values to the allowed depth. */
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

/** Whether nothing is wrong with a request, and nothing strange about it. */
export function isClean({ violationCount, warningCount, refused }: Findings): boolean {
  return violationCount === 0 && warningCount === 0 && refused.size === 0;
}

const mostReasons = 5;

/** How many mistakes are gathered before they are sorted: each is an object of some size. */
const gatheredAtOnce = 1000;

/** How many mistakes are counted; beyond, nothing is looked for in what is refused already. */
const mostCounted = 500_000;

/** How the mistakes of one request are judged. */
export interface Judgement {
  /** The list whose entries are judged one by one, if the operation has one. */
  readonly list: ListName | undefined;
  /** Whether what would be a warning refuses. */
  readonly strict: boolean;
  /** How many levels of objects and lists may stand in each other. */
  readonly depth: number;
}

interface Pile {
  readonly violations: Violation[];
  violationCount: number;
  readonly warnings: Violation[];
  warningCount: number;
  readonly entries: Map<string, { count: number; isCutShort: boolean; readonly texts: string[] }>;
  readonly unknown: { object: string; field: string }[];
  /** How many mistakes were sorted. */
  sorted: number;
  isCutShort: boolean;
  tooDeep: boolean;
}

/** Runs validators over `{ requestBody }` or `{ path, query, header }` and sorts all that they find. */
export function validate(validators: readonly (readonly [ValidateFunction, unknown])[], how: Judgement): Findings {
  let pile: Pile | undefined;
  let explainer: Explainer | undefined;
  const sortAll = (errors: readonly ErrorObject[]): Pile => {
    pile ??= createPile();
    explainer ??= createExplainer(how.strict);
    for (const error of errors) if (!isNoise(error)) sort(error, pile, explainer, how);
    return pile;
  };
  const taker: Taker = {
    room: gatheredAtOnce,
    take: (errors, path) => {
      const sorted = sortAll(errors);
      const isEnough = isDecided(sorted, path, how.list);
      // From then on whatever is found is asked about at once, and after the last word all lists around it are left.
      if (sorted.sorted > mostCounted || sorted.tooDeep) taker.room = isEnough ? 0 : 1;
      return isEnough;
    },
  };
  for (const [validator, value] of validators) {
    if (!validator.call(taker, value)) sortAll(validator.errors ?? []);
    if (pile?.isCutShort && isDeeperThan(value, how.depth + 1)) pile.tooDeep = true;
  }
  return pile ? toFindings(pile) : nothingFound;
}

function createPile(): Pile {
  const lists = { violations: [], warnings: [], unknown: [], entries: new Map() };
  return { ...lists, violationCount: 0, warningCount: 0, sorted: 0, isCutShort: false, tooDeep: false };
}

/** Whether more mistakes at this path would change nothing: too many were found, and what they are in is refused. */
function isDecided(pile: Pile, path: string, list: ListName | undefined): boolean {
  if (pile.tooDeep) return true;
  if (pile.sorted <= mostCounted) return false;
  const place = list && toPlace(path, list);
  const entry = place && pile.entries.get(place.key);
  if (pile.violationCount === 0 && !entry) return false;
  if (entry) entry.isCutShort = true;
  pile.isCutShort = true;
  return true;
}

/**
 * The schema goes only so deep: what stands deeper is in free-form values, in unknown fields, or where another type was
 * expected. Looking there alone spares valid bodies a second walk.
 */
function isTooDeep({ keyword, data, params, instancePath }: ErrorObject, depth: number): boolean {
  if (keyword === freeFormKeyword) return true;
  const isUnknown = keyword === 'additionalProperties';
  if (!isUnknown && keyword !== 'type' && keyword !== 'enum') return false;
  const value = isUnknown ? (data as Json)[String(params['additionalProperty'])] : data;
  // Millions of mistakes are about numbers and texts; their paths need not be cut up.
  if (typeof value !== 'object' || value === null) return false;
  return isDeeperThan(value, depth - instancePath.split('/').length + (isUnknown ? 1 : 2));
}

function sort(error: ErrorObject, pile: Pile, explainer: Explainer, { list, strict, depth }: Judgement): void {
  pile.sorted += 1;
  if (isTooDeep(error, depth)) pile.tooDeep = true;
  if (pile.tooDeep) return;
  const root = error.instancePath.startsWith('/requestBody') ? '/requestBody' : '';
  if (isWarning(error)) {
    if (error.keyword === 'additionalProperties' && root !== '') {
      pile.unknown.push({
        object: error.instancePath.slice(root.length),
        field: String(error.params['additionalProperty']),
      });
    }
    if (!strict) {
      pile.warningCount += 1;
      if (pile.warnings.length < mostViolations) pile.warnings.push(toViolation(error, root, explainer));
      return;
    }
  }
  const place = list && toPlace(error.instancePath, list);
  if (!place) {
    pile.violationCount += 1;
    if (pile.violations.length < mostViolations) pile.violations.push(toViolation(error, root, explainer));
    return;
  }
  const entry = pile.entries.get(place.key) ?? { count: 0, isCutShort: false, texts: [] };
  pile.entries.set(place.key, entry);
  entry.count += 1;
  if (entry.texts.length >= mostReasons) return;
  const { path, message } = explainer.explain(error, place.root);
  const field = path.slice(1).replace(/\//g, '.');
  entry.texts.push(field === '' ? message : `${field}: ${message}`);
}

/** Parameters are named `path:NAME`, `query:NAME`, `header:NAME`. */
function toViolation(error: ErrorObject, root: string, explainer: Explainer): Violation {
  const violation = explainer.explain(error, root);
  if (root !== '') return violation;
  const [, kind, ...rest] = violation.path.split('/');
  return { path: kind === '' || kind === undefined ? '' : `${kind}:${rest.join('/')}`, message: violation.message };
}

/** The entry that an error is about. A route's own fields are about the route, its jobs' fields about the job. */
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

function toFindings(pile: Pile): Findings {
  const refused = new Map<string, string>();
  for (const [key, { count, isCutShort, texts }] of pile.entries) {
    const rest = count - texts.length;
    const atLeast = isCutShort ? 'at least ' : '';
    refused.set(key, texts.join('; ') + (rest > 0 ? `; and ${atLeast}${rest.toLocaleString('en')} more` : ''));
  }
  const { entries: _entries, sorted: _sorted, ...rest } = pile;
  return { ...rest, refused };
}
