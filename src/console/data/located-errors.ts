/** Lists the errors of a request, each with its location in the body. */
import { type FailedEntry, readJson, readResponse } from './response-body.ts';
import type { Schemas } from './schemas.ts';

/** An error at a location, which is a JSON Pointer. */
export interface LocatedError {
  readonly path: string;
  readonly message: string;
}

/** Returns the violations of the response, the entries that failed (at once or `later`), and the warnings. */
export function locatedErrorsOf(
  { request, response, warnings }: Schemas['RequestSummary'],
  later: readonly FailedEntry[] = [],
): readonly LocatedError[] {
  const { message, errors, failed } = readResponse(response);
  const placedErrors = placeFailed(readJson(request.body), [
    ...failed,
    ...later.map(({ id, reason }) => ({ id, reason: `failed later: ${reason}` })),
  ]);
  const syntaxErrors = errors.length === 0 && response.status === 400 ? toSyntaxErrors(message) : [];
  return [...errors, ...syntaxErrors, ...placedErrors, ...warnings.map(toLocatedError)];
}

/** A body that is not JSON has only a line and a column as its location. */
function toSyntaxErrors(message: string): readonly LocatedError[] {
  return /at line \d+, column \d+$/.test(message) ? [{ path: '', message }] : [];
}

/** Splits a warning into its path, if it has one, and its message. */
function toLocatedError(warning: string): LocatedError {
  const [, path, message] = /^(\/[^:\s]*|[a-z]+:[^:\s]+): (.*)$/s.exec(warning) ?? [];
  return path === undefined || message === undefined ? { path: '', message: warning } : { path, message };
}

/** Finds the paths of entries by id. The n-th failure of an id belongs to the n-th entry with that id. */
function placeFailed(body: unknown, failed: readonly FailedEntry[]): readonly LocatedError[] {
  const pathsById = new Map<string, string[]>();
  for (const { path, id } of entriesOf(body)) pathsById.set(id, [...(pathsById.get(id) ?? []), path]);
  return failed.flatMap(({ id, reason }) => {
    const entry = pathsById.get(id)?.shift() ?? '';
    return reason.split('; ').map((one) => toPlaced(body, entry, id, one));
  });
}

/** Splits a reason into its field, if it has one, and its message, such as `address/postcode: …`. */
function toPlaced(body: unknown, entry: string, id: string, reason: string): LocatedError {
  const [, field = '', message = ''] = /^([\w/~]+): (.*)$/s.exec(reason) ?? [];
  const path = `${entry}/${field}`;
  if (entry !== '' && field !== '' && valueAt(body, path) !== undefined) return { path, message };
  return { path: entry, message: id === '' ? reason : `${id}: ${reason}` };
}

function valueAt(body: unknown, path: string): unknown {
  return path
    .split('/')
    .slice(1)
    .reduce<unknown>((value, key) => (value as Readonly<Record<string, unknown>> | null | undefined)?.[key], body);
}

/** Returns the entries of a body, and the jobs of its routes, in order. */
export function entriesOf(body: unknown): readonly { readonly path: string; readonly id: string }[] {
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body).flatMap(([list, entries]) => {
    if (!Array.isArray(entries)) return [];
    return entries.flatMap((entry, index) => {
      const path = `/${list}/${index}`;
      const jobs: unknown[] = Array.isArray(entry?.jobs) ? entry.jobs : [];
      return [{ path, id: idOf(entry) }, ...jobs.map((job, at) => ({ path: `${path}/jobs/${at}`, id: idOf(job) }))];
    });
  });
}

/** Responses name an entry by its id as a text, also if the id is a number. */
function idOf(entry: unknown): string {
  const { id } = (entry ?? {}) as { readonly id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? String(id) : '';
}
