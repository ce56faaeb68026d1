/** Lists the errors of a request, each with its location in the body. */
import type { Mistake } from '../parts/json-view.ts';
import type { Schemas } from './schemas.ts';

interface ResponseBody {
  readonly message?: string;
  readonly errors?: readonly Mistake[];
  readonly failed?: readonly Failed[];
}

interface Failed {
  readonly id: string;
  readonly reason: string;
}

export function readJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

/** Returns the violations of the response, the entries that failed (at once or `later`), and the warnings. */
export function mistakesOf(
  { request, response, warnings }: Schemas['RequestSummary'],
  later: readonly Failed[] = [],
): readonly Mistake[] {
  const body = (readJson(response.body) ?? {}) as ResponseBody;
  const errors = Array.isArray(body.errors) ? body.errors : [];
  const failed = Array.isArray(body.failed) ? body.failed : [];
  const placedErrors = placeFailed(readJson(request.body), [
    ...failed,
    ...later.map(({ id, reason }) => ({ id, reason: `failed later: ${reason}` })),
  ]);
  const syntaxErrors = errors.length === 0 && response.status === 400 ? toSyntaxErrors(body.message) : [];
  return [...errors, ...syntaxErrors, ...placedErrors, ...warnings.map(toMistake)];
}

/** A body that is not JSON has only a line and a column as its location. */
function toSyntaxErrors(message = ''): readonly Mistake[] {
  return /at line \d+, column \d+$/.test(message) ? [{ path: '', message }] : [];
}

/** Splits a warning into its path, if it has one, and its message. */
function toMistake(warning: string): Mistake {
  const [, path, message] = /^(\/[^:\s]*|[a-z]+:[^:\s]+): (.*)$/s.exec(warning) ?? [];
  return path === undefined || message === undefined ? { path: '', message: warning } : { path, message };
}

/** Finds the paths of entries by id. The n-th failure of an id belongs to the n-th entry with that id. */
function placeFailed(body: unknown, failed: readonly Failed[]): readonly Mistake[] {
  const pathsById = new Map<string, string[]>();
  for (const { path, id } of entriesOf(body)) pathsById.set(id, [...(pathsById.get(id) ?? []), path]);
  return failed.flatMap(({ id, reason }) => {
    const entry = pathsById.get(id)?.shift() ?? '';
    return reason.split('; ').map((one) => toPlaced(body, entry, id, one));
  });
}

/** Splits a reason into its field, if it has one, and its message, such as `address.postcode: …`. */
function toPlaced(body: unknown, entry: string, id: string, reason: string): Mistake {
  const [, field = '', message = ''] = /^([\w.]+): (.*)$/s.exec(reason) ?? [];
  const path = `${entry}/${field.replaceAll('.', '/')}`;
  if (entry !== '' && field !== '' && valueAt(body, path) !== undefined) return { path, message };
  return { path: entry, message: id === '' ? reason : `${id}: ${reason}` };
}

function valueAt(body: unknown, path: string): unknown {
  return path
    .split('/')
    .slice(1)
    .reduce<unknown>((value, key) => (value as Readonly<Record<string, unknown>> | null | undefined)?.[key], body);
}

function entriesOf(body: unknown): readonly { readonly path: string; readonly id: string }[] {
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body).flatMap(([list, entries]) => {
    if (!Array.isArray(entries)) return [];
    return entries.flatMap((entry, index) => {
      const path = `/${list}/${index}`;
      const id = typeof entry?.id === 'string' ? entry.id : '';
      const jobs = Array.isArray(entry?.jobs) ? (entry.jobs as { id?: unknown }[]) : [];
      const inner = jobs.map((job, at) => ({
        path: `${path}/jobs/${at}`,
        id: typeof job?.id === 'string' ? job.id : '',
      }));
      return [{ path, id }, ...inner];
    });
  });
}
