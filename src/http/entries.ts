/** Small checks of a body against its request, and the clearing away of what the contract does not know. */
import type { Json } from '../base/json.ts';
import type { Problem, Violation } from '../base/problem.ts';
import { quote } from '../contract/explain.ts';
import type { Match } from '../contract/router.ts';
import type { Findings } from '../contract/validate.ts';
import type { Operation } from '../operations/index.ts';

type Found = Extract<Match, { found: true }>;

/** A list of more entries than are taken, the jobs of all routes together counted too. */
export function countEntries({ list }: Operation, body: Json, most: number): Problem | undefined {
  if (list === undefined || typeof body !== 'object' || body === null) return undefined;
  const entries = body[list];
  if (!Array.isArray(entries)) return undefined;
  if (entries.length > most) return tooMany(`/${list}`, entries.length, most);
  if (list !== 'routes') return undefined;
  const jobs = (entries as readonly Json[]).reduce((sum, route) => {
    const own = route?.['jobs'];
    return sum + (Array.isArray(own) ? own.length : 0);
  }, 0);
  return jobs > most ? tooMany('/routes', jobs, most) : undefined;
}

function tooMany(path: string, count: number, most: number): Problem {
  const message = `expected at most ${most.toLocaleString('en')} entries, got ${count.toLocaleString('en')}`;
  return { kind: 'tooLarge', message: `${path}: ${message}`, errors: [{ path, message }] };
}

/** The body's names for what can stand in the path too. */
const named = [
  ['projectId', 'projectId'],
  ['username', 'username'],
  ['id', 'jobId'],
  ['id', 'orderId'],
] as const;

/** An id that stands in the body and in the path must be the same. */
export function checkAgreement(params: Readonly<Record<string, string>>, body: unknown): readonly Violation[] {
  if (typeof body !== 'object' || body === null) return [];
  const found: Violation[] = [];
  for (const [field, param] of named) {
    const inPath = params[param];
    if (inPath === undefined) continue;
    const inBody = (body as Json)[field];
    if (typeof inBody !== 'string' || inBody === inPath) continue;
    found.push({ path: `/${field}`, message: `expected ${quote(inPath)} as in the path, got ${quote(inBody)}` });
  }
  return found;
}

/** Takes unknown fields out of a body: the API accepts them, and stores nothing of them. */
export function dropUnknown(body: Json, unknown: Findings['unknown']): void {
  for (const { object, field } of unknown) {
    let at: unknown = body;
    for (const key of object.split('/').slice(1)) {
      at = (at as Json)[key.replace(/~1/g, '/').replace(/~0/g, '~')];
    }
    delete (at as Json)[field];
  }
}

/** A path names a project by its form; a query, into which a profile moved it, may do so not at all, or twice. */
export function checkProject({ params, operation }: Found): Problem | undefined {
  if (params['projectId']) return undefined;
  const [name] = Object.entries(operation.moved ?? {}).find(([, inner]) => inner === 'projectId') ?? ['projectId'];
  const path = `query:${name}`;
  const message = 'expected the id of a project, once';
  return { kind: 'invalid', message: `${path}: ${message}`, errors: [{ path, message }] };
}

/** Warnings as the journal tells of them: to a bound, then how many more there were. */
export function toWarnings({ warnings, warningCount }: Findings): readonly string[] {
  const texts = warnings.map(({ path, message }) => `${path}: ${message}`);
  const rest = warningCount - warnings.length;
  return rest > 0 ? [...texts, `and ${rest.toLocaleString('en')} more`] : texts;
}
