/** Checks a body against its request, and removes unknown fields. */
import type { Json } from '../lib/json.ts';
import { type Problem, type Violation, type Warning, withCause } from '../lib/problem.ts';
import { quote } from '../openapi/explain.ts';
import { describePlace } from '../openapi/identify.ts';
import type { FoundMatch } from '../openapi/router.ts';
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
