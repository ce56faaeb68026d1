/** Reads the latest requests and callbacks of a project, or of all, and keeps what went wrong with them. */
import { ask, askAll, ofProject, Refusal, type Schemas } from '../data/client.ts';
import { projects } from '../data/live.ts';
import { type Finding, findIn, findInCallback } from './problems-find.ts';

type Journalled = Schemas['RequestSummary'];

/** As many requests are looked at; of older ones the journal of a project keeps none. */
export const mostRequests = 1000;

interface Seen {
  readonly id: string;
  readonly rules: Journalled['rules'];
  readonly findings: readonly Finding[];
}

/** What was looked at, and what was found. */
export interface Looked {
  readonly requests: number;
  readonly findings: readonly Finding[];
}

export interface ProblemJournal {
  /** Asks for what came since the last time. */
  look(): Promise<Looked>;
  /** The callbacks of a project have changed. */
  callbacksChanged(project: string): void;
}

/** `project` is empty where all of them are looked at. */
export function createJournal(project: string): ProblemJournal {
  const list = project === '' ? '/requests' : ofProject(project, '/requests');
  let seen: readonly Seen[] = [];
  const callbacks = new Map<string, readonly Schemas['Callback'][]>();
  const stale = new Set<string>();

  async function lookAtRequests(): Promise<void> {
    const last = seen.at(-1)?.id;
    const fresh = last === undefined ? undefined : await since(list, last);
    const before = fresh === undefined ? [] : seen;
    const all = fresh ?? (await latest(list));
    const known = new Set(before.map(({ id }) => id));
    const added = all.filter(({ id }) => !known.has(id)).map(toSeen);
    seen = [...before, ...added].slice(-mostRequests);
  }

  async function lookAtCallbacks(): Promise<void> {
    const all = project === '' ? projects.get().filter(({ counts }) => counts.callbacks > 0) : [{ id: project }];
    const wanted = all.map(({ id }) => id).filter((id) => !callbacks.has(id) || stale.has(id));
    for (const id of wanted) {
      stale.delete(id);
      callbacks.set(id, await askAll<Schemas['Callback']>(ofProject(id, '/callbacks')));
    }
  }

  return {
    look: async () => {
      await lookAtRequests();
      await lookAtCallbacks();
      const byId = new Map(seen.map((one) => [one.id, one]));
      const told = [...callbacks].flatMap(([id, some]) =>
        some.flatMap((callback) => findInCallback(id, callback, byId.get(callback.requestId))),
      );
      return { requests: seen.length, findings: [...seen.flatMap(({ findings }) => findings), ...told] };
    },
    callbacksChanged: (id) => stale.add(id),
  };
}

/** What came after a request; undefined where the journal does not hold that one any more. */
async function since(list: string, id: string): Promise<readonly Journalled[] | undefined> {
  try {
    return await askAll<Journalled>(`${list}?since=${encodeURIComponent(id)}`, mostRequests);
  } catch (error) {
    if (error instanceof Refusal && error.status === 400) return undefined;
    throw error;
  }
}

/** The latest requests. Lists begin with the oldest: where there are many, the ids alone are asked for first. */
async function latest(list: string): Promise<readonly Journalled[]> {
  const first = await ask<Schemas['RequestPage']>('GET', `${list}?limit=${mostRequests}&bodies=false`);
  if (first.next === undefined) return askAll<Journalled>(list, mostRequests);
  const ids = await askAll<Journalled>(`${list}?bodies=false`, Number.POSITIVE_INFINITY);
  const from = ids.at(-mostRequests - 1)?.id;
  return (from === undefined ? undefined : await since(list, from)) ?? askAll<Journalled>(list, mostRequests);
}

function toSeen(request: Journalled): Seen {
  return { id: request.id, rules: request.rules, findings: findIn(request) };
}
