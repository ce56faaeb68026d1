/** Checks a body against its request, and removes what the API does not store. */
import type { Json } from '../lib/json.ts';
import { type Problem, type Violation, type Warning, withCause } from '../lib/problem.ts';
import { quote } from '../openapi/explain.ts';
import { describePlace } from '../openapi/identify.ts';
import type { FoundMatch, RoutedOperation } from '../openapi/router.ts';
import type { Findings } from '../openapi/validate.ts';
import type { Entry } from '../operations/command.ts';
import type { Operation } from '../operations/index.ts';

/** Checks the number of entries in the body's list; for routes, also the total number of their jobs. */
export function countEntries({ list }: Operation, body: Json, max: number): Problem | undefined {
  if (list === undefined || typeof body !== 'object' || body === null) return undefined;
  const entries = body[list];
  if (!Array.isArray(entries)) return undefined;
  if (entries.length > max) return tooMany(`/${list}`, entries.length, max);
  if (list !== 'routes') return undefined;
  const jobs = (entries as readonly Json[]).reduce((sum, route) => {
    const list = route?.['jobs'];
    return sum + (Array.isArray(list) ? list.length : 0);
  }, 0);
  return jobs > max ? tooMany('/routes', jobs, max) : undefined;
}

/** Warns of an empty list, which is valid and changes nothing. */
export function checkList({ list }: Operation, body: Json): readonly Violation[] {
  const entries = list === undefined ? undefined : (body as Json | null)?.[list];
  if (!Array.isArray(entries) || entries.length > 0) return noViolations;
  return [withCause('emptyList', `/${list}`, 'the list is empty, so nothing changes')];
}

function tooMany(path: string, count: number, max: number): Problem {
  const message = `expected at most ${max.toLocaleString('en')} entries, got ${count.toLocaleString('en')}`;
  return { kind: 'tooLarge', message: `${path}: ${message}`, errors: [{ path, message }] };
}

/** Body fields and the identifiers that they must equal. */
const sharedNames = [
  ['projectId', 'projectId'],
  ['username', 'username'],
  ['id', 'jobId'],
  ['id', 'orderId'],
] as const;

/** Checks that ids in the body equal the request's identifiers. */
export function checkAgreement(
  { params, operation }: Pick<FoundMatch, 'params' | 'operation'>,
  body: unknown,
): readonly Violation[] {
  if (typeof body !== 'object' || body === null) return [];
  const found: Violation[] = [];
  for (const [field, param] of sharedNames) {
    const expected = params[param];
    if (expected === undefined) continue;
    const inBody = (body as Json)[field];
    if (typeof inBody !== 'string' || inBody === expected) continue;
    const place = describePlace(operation.identifiers, param);
    const message = `expected ${quote(expected)} as in ${place}, got ${quote(inBody)}`;
    found.push({ ...withCause('disagreement', `/${field}`, `expected the same as in ${place}`), message });
  }
  return found;
}

/** Removes unknown fields from a body: the API accepts but does not store them. */
export function dropUnknown(body: Json, unknown: Findings['unknown']): void {
  for (const { object, fields } of unknown) {
    const at = findObject(body, object);
    for (const field of fields) delete at[field];
  }
}

function findObject(body: Json, pointer: string): Json {
  const keys = pointer.split('/').slice(1);
  return keys.reduce((at, key) => at[key.replace(/~1/g, '/').replace(/~0/g, '~')] as Json, body);
}

/** Removes the fields of entries that count as absent if they are empty. */
export function dropEmpty(entries: readonly Entry[]): void {
  for (const { value } of entries) if (value['subProjectId'] === '') delete value['subProjectId'];
}

/** Checks that a request names its project exactly once. Only fails if a profile moved the project out of the path. */
export function checkProject({ params, operation }: FoundMatch): Problem | undefined {
  if (params['projectId']) return undefined;
  const path = operation.identifiers?.places['projectId'] ?? 'path:projectId';
  const message = path.startsWith('header:') ? 'required, but missing' : 'expected exactly one project id';
  return { kind: 'invalid', message: `${path}: ${message}`, errors: [{ path, message }] };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: finds control characters
const controlCharacter = /[\u0000-\u001f\u007f]/;

/** Warns of ids with control characters. They are only possible in a URL with escapes. */
export function checkParams(url: string, params: Readonly<Record<string, string>>): readonly Violation[] {
  if (!url.includes('%')) return noViolations;
  return Object.entries(params)
    .filter(([, value]) => controlCharacter.test(value))
    .map(([name]) =>
      withCause('ambiguous', `path:${name}`, 'the id contains a control character, which no real id has'),
    );
}

const noViolations: readonly Violation[] = [];

/** Returns what the journal keeps of warnings: the first ones, then the number of the rest. */
export function toWarnings({ warnings, warningCount }: Pick<Findings, 'warnings' | 'warningCount'>): Warning[] {
  const kept = warnings.map(({ path, message, cause }): Warning => ({ path, message, ...(cause && { cause }) }));
  const rest = warningCount - warnings.length;
  return rest > 0 ? [...kept, { path: '', message: `and ${rest.toLocaleString('en')} more` }] : kept;
}

type Operations = ReadonlyMap<string, RoutedOperation>;

/**
 * Adds a hint to the first mistake if a body has the shape of another operation: a list for one record, or the reverse.
 */
export function addShapeHint(
  findings: Findings,
  id: string,
  { list }: Operation,
  body: unknown,
  operations: Operations,
): Findings {
  const [first, ...others] = findings.violations;
  if (!first) return findings;
  const hint =
    list === undefined ? hintAtList(findOther(id, operations), body) : hintAtWrapper(list, id, body, operations);
  return hint === '' ? findings : { ...findings, violations: [{ ...first, message: first.message + hint }, ...others] };
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

function toName({ id, method, path }: RoutedOperation): string {
  return `${method} ${path} (${id})`;
}

/**
 * Removes nulls from a body, as if their fields were absent, at any depth up to the maximum, but not from lists. Keeps `driver: null` of a job, which
 * unassigns the driver.
 */
export function removeNulls(body: Json, { collection, list }: Operation, maxDepth: number): void {
  if (typeof body !== 'object' || body === null) return;
  const kept = collection === 'jobs' ? 'driver' : undefined;
  const entries = list && body[list];
  if (list === undefined || !Array.isArray(entries)) {
    removeFrom(body, maxDepth, kept);
    return;
  }
  for (const key of Object.keys(body)) if (key !== list) removeField(body, key, maxDepth);
  for (const entry of entries) removeFrom(entry, maxDepth, kept);
}

function removeFrom(value: unknown, depth: number, kept?: string): void {
  if (typeof value !== 'object' || value === null || depth <= 0) return;
  if (Array.isArray(value)) {
    for (const item of value) removeFrom(item, depth - 1);
    return;
  }
  const object = value as Json;
  for (const key of Object.keys(object)) if (key !== kept) removeField(object, key, depth);
  if (kept !== undefined) removeFrom(object[kept], depth - 1);
}

/** Removes a field if it is null, or else the nulls in it. */
function removeField(object: Json, key: string, depth: number): void {
  if (object[key] === null) delete object[key];
  else removeFrom(object[key], depth - 1);
}
