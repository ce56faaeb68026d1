/** Loads the requests and callbacks of one project or of all projects in which something went wrong. */
import { callApi, projectPath, type Schemas } from '../../../data/client.ts';
import { projects } from '../../../data/live.ts';
import { type Finding, findIn, findInCallback } from './find.ts';

type RequestSummary = Schemas['RequestSummary'];

/** Maximum number of requests that are checked: the latest with a failure or a warning. */
export const maxRequests = 1000;

/** Maximum number of callbacks of a project that are checked. Undelivered ones have a maximum of their own. */
const maxCallbacks = 1000;

/** Number of new requests up to which each is loaded by itself. Otherwise they are loaded in pages. */
const maxSingle = 20;
const pageSize = 100;

/** The outcomes of requests that can be a problem. */
const problemOutcomes = 'rejected,failed,warned,faulted';

type CheckedRequest = Pick<RequestSummary, 'rules'> & { readonly findings: readonly Finding[] };

export interface ProblemJournal {
  readonly project: string;
  /** Loads what the last call has not loaded, and returns all findings. */
  load(): Promise<readonly Finding[]>;
  /** Marks the callbacks of a project as changed. */
  callbacksChanged(project: string): void;
}

/** `project` is empty for all projects. */
export function createJournal(project: string): ProblemJournal {
  const list = `${project === '' ? '/requests' : projectPath(project, '/requests')}?outcome=${problemOutcomes}&order=newest`;
  const checked = new Map<string, CheckedRequest>();
  const callbacks = new Map<string, readonly Schemas['Callback'][]>();
  const stale = new Set<string>();

  /** Loads new requests with their bodies. The others are known by their rows. Returns all ids, the oldest first. */
  async function loadRequests(): Promise<readonly string[]> {
    const { items } = await callApi<Schemas['RequestRowPage']>('GET', `${list}&view=rows&limit=${maxRequests}`);
    const ids = items.map(({ id }) => id);
    const added = ids.filter((id) => !checked.has(id));
    for (const request of await loadAll(list, added)) checked.set(request.id, toChecked(request));
    const kept = new Set(ids);
    for (const id of checked.keys()) if (!kept.has(id)) checked.delete(id);
    return ids.toReversed();
  }

  async function loadCallbacks(): Promise<void> {
    const all = project === '' ? projects.get().filter(({ counts }) => counts.callbacks > 0) : [{ id: project }];
    const outdated = all.map(({ id }) => id).filter((id) => !callbacks.has(id) || stale.has(id));
    for (const id of outdated) {
      stale.delete(id);
      callbacks.set(id, await loadLatestCallbacks(id));
    }
  }

  return {
    project,
    load: async () => {
      const ids = await loadRequests();
      await loadCallbacks();
      const inRequests = ids.flatMap((id) => checked.get(id)?.findings ?? []);
      const inCallbacks = [...callbacks].flatMap(([id, items]) =>
        items.flatMap((callback) => findInCallback(id, callback, checked.get(callback.requestId))),
      );
      return [...inRequests, ...inCallbacks];
    },
    callbacksChanged: (id) => stale.add(id),
  };
}

/** Loads the latest callbacks of a project, and the latest that could not be delivered. The oldest is first. */
async function loadLatestCallbacks(project: string): Promise<readonly Schemas['Callback'][]> {
  const load = (filter: string) =>
    callApi<Schemas['CallbackPage']>(
      'GET',
      projectPath(project, `/callbacks?order=newest&limit=${maxCallbacks}${filter}`),
    );
  const pages = await Promise.all([load(''), load('&state=failed')]);
  const byId = new Map(pages.flatMap(({ items }) => items).map((one) => [one.id, one]));
  return [...byId.values()].toReversed();
}

/** Loads requests by id: the newest ones of a list, in its order. A request that is gone is left out. */
async function loadAll(list: string, ids: readonly string[]): Promise<readonly RequestSummary[]> {
  if (ids.length > maxSingle) return loadPages(list, ids);
  const load = (id: string) => callApi<RequestSummary>('GET', `/requests/${encodeURIComponent(id)}`);
  const results = await Promise.allSettled(ids.map(load));
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}

async function loadPages(list: string, ids: readonly string[]): Promise<readonly RequestSummary[]> {
  const missing = new Set(ids);
  const found: RequestSummary[] = [];
  let cursor = '';
  do {
    const page = await callApi<Schemas['RequestPage']>('GET', `${list}&limit=${pageSize}${cursor}`);
    found.push(...page.items.filter(({ id }) => missing.delete(id)));
    cursor = page.next === undefined ? '' : `&cursor=${encodeURIComponent(page.next)}`;
  } while (cursor !== '' && missing.size > 0 && found.length < maxRequests);
  return found;
}

function toChecked(request: RequestSummary): CheckedRequest {
  return { rules: request.rules, findings: findIn(request) };
}
