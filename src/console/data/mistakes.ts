/** What was wrong with a request, each thing at its place in the body. */
import type { Mistake } from '../parts/json-view.ts';
import type { Schemas } from './schemas.ts';

interface Answer {
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

/** Violations of the answer, entries that failed, at once or `later`, and warnings. */
export function mistakesOf(
  { request, response, warnings }: Schemas['RequestSummary'],
  later: readonly Failed[] = [],
): readonly Mistake[] {
  const answer = (readJson(response.body) ?? {}) as Answer;
  const errors = Array.isArray(answer.errors) ? answer.errors : [];
  const failed = Array.isArray(answer.failed) ? answer.failed : [];
  const placed = placeFailed(readJson(request.body), [
    ...failed,
    ...later.map(({ id, reason }) => ({ id, reason: `failed later: ${reason}` })),
  ]);
  const unread = errors.length === 0 && response.status === 400 ? notJson(answer.message) : [];
  return [...errors, ...unread, ...placed, ...warnings.map(toMistake)];
}

/** A body that is no JSON has a place by line and column alone. */
function notJson(message = ''): readonly Mistake[] {
  return /at line \d+, column \d+$/.test(message) ? [{ path: '', message }] : [];
}

/** A warning begins with its place, if it has one. */
function toMistake(warning: string): Mistake {
  const [, path, message] = /^(\/[^:\s]*|[a-z]+:[^:\s]+): (.*)$/s.exec(warning) ?? [];
  return path === undefined || message === undefined ? { path: '', message: warning } : { path, message };
}

/** The places of entries, by their ids: the n-th failure of an id is taken for its n-th entry. */
function placeFailed(body: unknown, failed: readonly Failed[]): readonly Mistake[] {
  const places = new Map<string, string[]>();
  for (const { path, id } of entriesOf(body)) places.set(id, [...(places.get(id) ?? []), path]);
  return failed.flatMap(({ id, reason }) => {
    const entry = places.get(id)?.shift() ?? '';
    return reason.split('; ').map((one) => toPlaced(body, entry, id, one));
  });
}

/** A reason begins with the field that it is about, if it is about one: `address.postcode: …`. */
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
