/** Finds out what a request means that fits no operation: the nearest operations, its project, or the document of the API. */
import { distance } from 'fastest-levenshtein';
import type { Json } from '../lib/json.ts';
import type { Problem } from '../lib/problem.ts';
import { quote } from '../openapi/explain.ts';
import type { Match, RoutedOperation } from '../openapi/router.ts';
import type { Reply } from './reply.ts';

type NotFound = Extract<Match, { found: false }>;

/** Names the URL of the records that a request was about. */
function toReadHint(path: string, project: string | undefined): string {
  const at = project === undefined ? '{projectId}' : encodeURIComponent(project);
  const collection = path.match(/\/(?:jobs|orders|routes|users|locations)(?![\w-])/g)?.at(-1) ?? '';
  return `. The API has no read operations: read stored records at /_sandbox/projects/${at}${collection}`;
}

const preflightHint =
  '. As a preflight of a browser (CORS), it is refused on purpose: pages of other origins may not use the sandbox. Send requests from your server; docs/operating/security.md has the reasons';

/** Creates a function that returns the problem of a request without an operation, in the API or the control API. */
export function createNotFound(
  operations: Iterable<RoutedOperation>,
  where: 'api' | 'control',
): (notFound: NotFound, method: string, url: string) => Problem {
  const candidates = [...operations];
  const toProject = createProjectNaming(candidates);
  return (notFound, method, url) => {
    const path = url.split('?')[0] ?? '';
    const readHint = where === 'api' && method === 'GET' ? toReadHint(path, toProject(path)) : '';
    switch (notFound.why) {
      case 'encoding':
        return {
          kind: 'invalid',
          message: `the path can't be decoded: ${toExpectedEncoding(path)}, got ${quote(path)}`,
        };
      case 'emptyId': {
        const { withId, withoutId } = notFound;
        const names = `${toName(withId)}, or remove the last "/" for ${toName(withoutId)}`;
        return {
          kind: 'unknownPath',
          message: `the id after the last "/" of ${quote(path)} is empty: send it for ${names}`,
        };
      }
      case 'method': {
        const allow = notFound.allow.join(', ');
        return {
          kind: 'unknownMethod',
          message: `this path does not support ${method}; expected ${allow}${method === 'OPTIONS' ? preflightHint : readHint}`,
          cause: { kind: 'unknownMethod', place: '', text: `expected ${allow}` },
          headers: { allow },
        };
      }
      case 'unknown': {
        const nearest = nearestOperations(candidates, method, path);
        const hint = toHint(nearest) + readHint;
        const advice = where === 'api' ? '. To use other paths, start the sandbox with a profile (--profile)' : '';
        return {
          kind: 'unknownPath',
          message: `no operation has the path ${quote(path)}${toDoubledHint(path)}${hint}${advice}`,
          cause: { kind: 'unknownPath', place: '', text: 'no operation has this path', operation: nearest[0]?.id },
        };
      }
      default:
        return notFound satisfies never;
    }
  };
}

function toDoubledHint(path: string): string {
  if (path.startsWith('//')) return '; the path begins with two slashes: does the base URL end with one?';
  return path.includes('//') ? '; an id between two slashes is empty' : '';
}

function toExpectedEncoding(path: string): string {
  return /%(?![\da-f]{2})/i.test(path)
    ? 'expected two hexadecimal digits after each "%"'
    : 'expected percent-encoded UTF-8 (such as "%C3%A9" for "é")';
}

function toName({ id, method, path }: RoutedOperation): string {
  return `${method} ${path} (${id})`;
}

function toHint(nearest: readonly RoutedOperation[]): string {
  const names = nearest.map(toName);
  return names.length === 0 ? '' : `; the nearest ${names.length > 1 ? 'are' : 'is'} ${names.join(' and ')}`;
}

const maxPathLength = 200;

/** Maximum number of operations to name, each with another path. */
const maxNamed = 2;

/** Returns the operations whose paths are nearest: several if they are equally near, such as async and sync. */
function nearestOperations(
  candidates: readonly RoutedOperation[],
  method: string,
  path: string,
): readonly RoutedOperation[] {
  const words = new Set(candidates.flatMap((one) => toSegments(one.path.toLowerCase())));
  const given = toSegments(path.slice(0, maxPathLength).toLowerCase());
  const segments = given.map((text) => ({ text, isKnown: words.has(text) }));
  let nearest: RoutedOperation[] = [];
  let minCost = Number.POSITIVE_INFINITY;
  for (const operation of candidates) {
    const cost =
      pathCost(segments, toSegments(operation.path.toLowerCase())) + (operation.method === method ? 0 : methodCost);
    if (cost > minCost) continue;
    if (cost < minCost) nearest = [];
    minCost = cost;
    if (nearest.every((other) => other.path !== operation.path)) nearest.push(operation);
  }
  return nearest.slice(0, maxNamed);
}

// Costs of the differences between two paths. A missing segment (`/async`) costs less than another word: `/jobs` is
// nearer to `/async/projects/{projectId}/jobs` than to `/projects/{projectId}/users`.
const missingCost = 0.5;
const extraCost = 1;
const otherWordCost = 1.5;
const parameterCost = 0.1;
const methodCost = 0.3;

/** A segment of a request's path. One that is a word of some operation, such as `sync`, is no misspelled `async`. */
interface Segment {
  readonly text: string;
  readonly isKnown: boolean;
}

const toSegments = (path: string): readonly string[] => path.split('/').filter((segment) => segment !== '');

/** Returns the edit distance of a path to an operation's path, by segments. */
function pathCost(segments: readonly Segment[], template: readonly string[]): number {
  let row: readonly number[] = [0, ...template.map((_, place) => (place + 1) * missingCost)];
  for (const at of segments.keys()) {
    const next = [(row[0] as number) + extraCost];
    for (const place of template.keys()) {
      const same = (row[place] as number) + segmentCost(segments, at, template, place);
      const extra = (row[place + 1] as number) + extraCost;
      const missing = (next[place] as number) + missingCost;
      next.push(Math.min(same, extra, missing));
    }
    row = next;
  }
  return row.at(-1) as number;
}

/** Returns the cost of a segment in a place. A parameter accepts anything, but only after the segment before it. */
function segmentCost(segments: readonly Segment[], at: number, template: readonly string[], place: number): number {
  const expected = template[place] as string;
  if (!isParameter(expected)) return wordCost(segments[at] as Segment, expected);
  const before = template[place - 1];
  const isInPlace =
    before === undefined
      ? at === 0
      : isParameter(before) || (at > 0 && wordCost(segments[at - 1] as Segment, before) < otherWordCost);
  return isInPlace ? parameterCost : otherWordCost;
}

const isParameter = (segment: string): boolean => segment.startsWith('{');

function wordCost({ text: word, isKnown }: Segment, expected: string): number {
  if (isKnown) return word === expected ? 0 : otherWordCost;
  const difference = distance(word, expected) / Math.max(word.length, expected.length);
  return difference > 0.5 ? otherWordCost : difference * otherWordCost;
}

/** Maximum length of a path in which a project is searched, in characters. */
const maxSearchedLength = 1000;

/** Maximum share of letters that may differ in the word before a project, as in `project` for `projects`. */
const maxDifference = 0.3;

/**
 * Creates a function that returns the project in a path of no operation, so that lists show the request with that project:
 * the segment after the word that comes before the project in the paths of operations.
 */
export function createProjectNaming(operations: Iterable<RoutedOperation>): (url: string) => string | undefined {
  const words = new Set<string>();
  const before = new Set<string>();
  for (const { path } of operations) {
    const segments = toSegments(path);
    for (const segment of segments) words.add(segment.toLowerCase());
    const previous = segments[segments.indexOf('{projectId}') - 1];
    if (previous !== undefined) before.add(previous.toLowerCase());
  }
  const isBefore = (segment: string): boolean => [...before].some((word) => isNear(segment.toLowerCase(), word));

  return (url) => {
    const segments = toSegments(url.slice(0, maxSearchedLength).split('?')[0] ?? '');
    const named = segments[segments.findIndex(isBefore) + 1];
    // Without such a word, `named` is the first segment.
    if (named === undefined || !segments.some(isBefore) || words.has(named.toLowerCase())) return undefined;
    return decode(named);
  };
}

function isNear(segment: string, word: string): boolean {
  return distance(segment, word) <= maxDifference * Math.max(segment.length, word.length);
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

type Operations = ReadonlyMap<string, RoutedOperation>;

/** Returns a hint for a body that has the shape of another operation: a list for one record, or the reverse. Empty for others. */
export function toShapeHint(id: string, list: string | undefined, body: unknown, operations: Operations): string {
  return list === undefined ? hintAtList(findOther(id, operations), body) : hintAtWrapper(list, id, body, operations);
}

const lists = ['jobs', 'orders', 'routes', 'locations'];

/** The body of a list has neither the list nor a misspelled one. */
function hintAtWrapper(list: string, id: string, body: unknown, operations: Operations): string {
  const wrapper = `{ "${list}": [ … ] }`;
  if (Array.isArray(body)) return `; wrap the list: ${wrapper}`;
  if (typeof body !== 'object' || body === null || list in body) return '';
  const fields = body as Json;
  const other = lists.find((name) => Array.isArray(fields[name]));
  if (fields['id'] === undefined) return other === undefined ? '' : `; got "${other}"`;
  const single = findOther(id, operations);
  return `; wrap the record: ${wrapper}${single ? `, or send it to ${toName(single)}` : ''}`;
}

/** The body of a single record is a list, or has one. */
function hintAtList(batch: RoutedOperation | undefined, body: unknown): string {
  const named = lists.find((name) => Array.isArray((body as Json | null)?.[name]));
  if (!batch || (named === undefined && !Array.isArray(body))) return '';
  return `; a list goes to ${toName(batch)}`;
}

/** Finds the operation for a list if this one is for a single record, and the reverse: their ids differ by an s. */
function findOther(id: string, operations: Operations): RoutedOperation | undefined {
  const [, start, plural, end] = /^(.*(?:Job|Order|Location))(s?)(InSubproject)?$/.exec(id) ?? [];
  return operations.get(`${start}${plural === 's' ? '' : 's'}${end ?? ''}`);
}

const document = '/_sandbox/openapi.json';
const reference = '/_sandbox/#/reference';

const targets: Readonly<Record<string, string>> = {
  '/openapi.json': document,
  '/openapi.yaml': document,
  '/swagger.json': document,
  '/docs': reference,
  '/swagger': reference,
};

/** Returns the redirect for a path under which clients look for the document of an API, or undefined. Call it only if no operation has the path. */
export function toDocumentRedirect(method: string, url: string): Reply | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  const path = url.split('?')[0]?.replace(/(?<=.)\/$/, '') ?? '';
  const location = Object.hasOwn(targets, path) ? targets[path] : undefined;
  return location === undefined ? undefined : { status: 302, headers: { location }, body: undefined };
}
