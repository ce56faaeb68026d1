/** Loads the latest requests and callbacks of one project or of all projects, and finds what went wrong with them. */
import { ApiError, callApi, listAll, projectPath, type Schemas } from '../../../data/client.ts';
import { projects } from '../../../data/live.ts';
import { type Finding, findIn, findInCallback } from './find.ts';

type RequestSummary = Schemas['RequestSummary'];

/** Maximum number of requests that are checked. The journal of a project does not contain more. */
export const maxRequests = 1000;

interface CheckedRequest {
  readonly id: string;
  readonly rules: RequestSummary['rules'];
  readonly findings: readonly Finding[];
}

/** The number of checked requests, and the findings. */
export interface JournalResult {
  readonly requests: number;
  readonly findings: readonly Finding[];
}

export interface ProblemJournal {
  readonly project: string;
  /** Loads the requests and callbacks since the last call, and returns all findings. */
  load(): Promise<JournalResult>;
  /** Marks the callbacks of a project as changed. */
  callbacksChanged(project: string): void;
}

/** `project` is empty for all projects. */
export function createJournal(project: string): ProblemJournal {
  const list = project === '' ? '/requests' : projectPath(project, '/requests');
  let checked: readonly CheckedRequest[] = [];
  const callbacks = new Map<string, readonly Schemas['Callback'][]>();
  const stale = new Set<string>();

  async function loadRequests(): Promise<void> {
    const last = checked.at(-1)?.id;
    const newer = last === undefined ? undefined : await since(list, last);
    const previous = newer === undefined ? [] : checked;
    const all = newer ?? (await latest(list));
    const checkedIds = new Set(previous.map(({ id }) => id));
    const added = all.filter(({ id }) => !checkedIds.has(id)).map(toChecked);
    checked = [...previous, ...added].slice(-maxRequests);
  }

  async function loadCallbacks(): Promise<void> {
    const all = project === '' ? projects.get().filter(({ counts }) => counts.callbacks > 0) : [{ id: project }];
    const outdated = all.map(({ id }) => id).filter((id) => !callbacks.has(id) || stale.has(id));
    for (const id of outdated) {
      stale.delete(id);
      callbacks.set(id, await listAll<Schemas['Callback']>(projectPath(id, '/callbacks')));
    }
  }

  return {
    project,
    load: async () => {
      await loadRequests();
      await loadCallbacks();
      const byId = new Map(checked.map((one) => [one.id, one]));
      const callbackFindings = [...callbacks].flatMap(([id, items]) =>
        items.flatMap((callback) => findInCallback(id, callback, byId.get(callback.requestId))),
      );
      return {
        requests: checked.length,
        findings: [...checked.flatMap(({ findings }) => findings), ...callbackFindings],
      };
    },
    callbacksChanged: (id) => stale.add(id),
  };
}

/** Returns the requests after this one, or undefined if the journal does not contain it anymore. */
async function since(list: string, id: string): Promise<readonly RequestSummary[] | undefined> {
  try {
    return await listAll<RequestSummary>(`${list}?since=${encodeURIComponent(id)}`, maxRequests);
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return undefined;
    throw error;
  }
}

/**
 * Loads the latest requests. Lists start with the oldest request, so a long list is first loaded without bodies, to
 * find the id to start from.
 */
async function latest(list: string): Promise<readonly RequestSummary[]> {
  const first = await callApi<Schemas['RequestPage']>('GET', `${list}?limit=${maxRequests}&bodies=false`);
  if (first.next === undefined) return listAll<RequestSummary>(list, maxRequests);
  const ids = await listAll<RequestSummary>(`${list}?bodies=false`, Number.POSITIVE_INFINITY);
  const from = ids.at(-maxRequests - 1)?.id;
  return (from === undefined ? undefined : await since(list, from)) ?? listAll<RequestSummary>(list, maxRequests);
}

function toChecked(request: RequestSummary): CheckedRequest {
  return { id: request.id, rules: request.rules, findings: findIn(request) };
}
