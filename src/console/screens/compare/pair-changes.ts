/** Pairs the changes of two recordings, and finds those that differ. */
import { diffArrays } from 'diff';
import type { Schemas } from '../../data/schemas.ts';

export type Recording = Schemas['Recording'];

/** A request, callback or setting of a recording, as far as two recordings can agree. */
export interface Change {
  readonly number: number;
  /** What it is, such as `POST /sync/projects/PROJECT/jobs`. */
  readonly title: string;
  /** Its result, such as a status. */
  readonly result: string;
  /** Its content, without what differs in every recording: ids of requests, times, the project. */
  readonly content: Readonly<Record<string, string>>;
}

export type ChangePair =
  | { readonly kind: 'equal' | 'different'; readonly a: Change; readonly b: Change }
  | { readonly kind: 'only-a'; readonly a: Change; readonly b?: undefined }
  | { readonly kind: 'only-b'; readonly a?: undefined; readonly b: Change };

type RecordedChange = Record<string, unknown> & { readonly n: number; readonly kind: string };

/** Returns the pairs in order, or undefined if the recordings are too different to pair them in time. */
export function pairChanges(a: Recording, b: Recording): readonly ChangePair[] | undefined {
  const [left, right] = [toChanges(a), toChanges(b)];
  const titles = (changes: readonly Change[]): string[] => changes.map(({ title }) => title);
  const parts = diffArrays(titles(left), titles(right), { timeout: 2000 });
  if (parts === undefined) return undefined;
  let [atA, atB] = [0, 0];
  return parts.flatMap(({ added, removed, value }) =>
    value.map((): ChangePair => {
      if (added) return { kind: 'only-b', b: right[atB++] as Change };
      if (removed) return { kind: 'only-a', a: left[atA++] as Change };
      return toPair(left[atA++] as Change, right[atB++] as Change);
    }),
  );
}

function toPair(a: Change, b: Change): ChangePair {
  const isEqual = a.result === b.result && JSON.stringify(a.content) === JSON.stringify(b.content);
  return { kind: isEqual ? 'equal' : 'different', a, b };
}

function toChanges({ project, changes }: Recording): readonly Change[] {
  return (changes as readonly RecordedChange[]).map((change) => toChange(change, project));
}

function toChange({ n: number, kind, ...change }: RecordedChange, project: string): Change {
  const clean = (text: unknown): string => withoutChance(String(text ?? ''), project);
  if (kind === 'request') {
    const { request, response } = change as unknown as RecordedParts;
    const { status, fault, body } = response;
    return {
      number,
      title: clean(`${request.method} ${request.url}`),
      result: fault ?? String(status),
      content: { Request: clean(request.body), Response: clean(body) },
    };
  }
  if (kind === 'callback') {
    const { body, state } = change as unknown as { readonly body: { readonly type?: string }; readonly state: string };
    const title = `callback ${body.type ?? ''}`;
    return { number, title, result: state, content: { Body: clean(JSON.stringify(body)) } };
  }
  const { at: _at, ...setting } = change;
  return { number, title: kind.replaceAll('-', ' '), result: '', content: { Setting: clean(JSON.stringify(setting)) } };
}

interface RecordedParts {
  readonly request: { readonly method: string; readonly url: string; readonly body?: string };
  readonly response: { readonly status: number; readonly body?: string; readonly fault?: string };
}

/** Replaces what differs in every recording. */
function withoutChance(text: string, project: string): string {
  return text
    .replaceAll(/\b(req|msg)_[0-9a-f]{16}/g, '$1_…')
    .replaceAll(/\bTRK-[0-9a-f]{16}/g, 'TRK-…')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME')
    .replaceAll(`/projects/${project}/`, '/projects/PROJECT/')
    .replaceAll(`"projectId":${JSON.stringify(project)}`, '"projectId":"PROJECT"');
}
