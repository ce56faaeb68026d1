/** What was wrong with a request, each thing at its place in the body. */
import type { Mistake } from '../parts/json-view.ts';
import type { Schemas } from './schemas.ts';

interface Answer {
  readonly message?: string;
  readonly errors?: readonly Mistake[];
  readonly failed?: readonly { readonly id: string; readonly reason: string }[];
}

export function readJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

/** Violations of the answer, entries that failed, and warnings. */
export function mistakesOf({ request, response, warnings }: Schemas['RequestSummary']): readonly Mistake[] {
  const answer = (readJson(response.body) ?? {}) as Answer;
  const errors = Array.isArray(answer.errors) ? answer.errors : [];
  const failed = Array.isArray(answer.failed) ? placeFailed(readJson(request.body), answer.failed) : [];
  return [...errors, ...failed, ...warnings.map(toMistake)];
}

/** A warning begins with its place, if it has one. */
function toMistake(warning: string): Mistake {
  const [, path, message] = /^(\/[^:\s]*|[a-z]+:[^:\s]+): (.*)$/s.exec(warning) ?? [];
  return path === undefined || message === undefined ? { path: '', message: warning } : { path, message };
}

/** The places of entries, by their ids: the n-th failure of an id is taken for its n-th entry. */
function placeFailed(body: unknown, failed: NonNullable<Answer['failed']>): readonly Mistake[] {
  const places = new Map<string, string[]>();
  for (const { path, id } of entriesOf(body)) places.set(id, [...(places.get(id) ?? []), path]);
  return failed.map(({ id, reason }) => ({
    path: places.get(id)?.shift() ?? '',
    message: id === '' ? reason : `${id}: ${reason}`,
  }));
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
