/** What the frame and several screens show of the running sandbox: the projects, and the requests as they come. */
import { askAll, type Schemas } from './client.ts';
import { type CallbackEvent, listen, type RequestEvent } from './events.ts';
import { createStore, type Store } from './store.ts';

/** One request in a list: what an event tells of it, and what came of it since. */
export interface LiveRequest extends Omit<RequestEvent, 'rules' | 'scenarios'> {
  /** The scenarios whose rules acted on it. */
  readonly scenarios: readonly string[];
  /** How many of its entries failed after the answer. */
  readonly failed: number;
  /** The callbacks that told so. */
  readonly callbacks: readonly string[];
}

/** As many are kept in the page; the oldest go. */
const mostRequests = 5000;

export interface LiveList {
  /** Oldest first. */
  readonly items: readonly LiveRequest[];
  readonly loaded: boolean;
}

/** As many as are kept, so that older ones may have gone. */
export const isFull = ({ items }: LiveList): boolean => items.length >= mostRequests;

export const requests: Store<LiveList> = createStore<LiveList>({ items: [], loaded: false });
export const projects: Store<readonly Schemas['ProjectSummary'][]> = createStore<readonly Schemas['ProjectSummary'][]>(
  [],
);

/** Loads all anew, and keeps it up to date with what happens. To be called once. */
export function begin(): void {
  let planned = false;

  /** Many requests a moment are shown together. */
  function soon(): void {
    if (planned) return;
    planned = true;
    requestAnimationFrame(() => {
      planned = false;
      const { items, loaded } = requests.get();
      requests.set({ items: withFailures(merge(items, arrived), failures), loaded });
      if (!loaded) return;
      arrived = [];
      failures = [];
    });
  }

  listen({
    request: (event) => {
      arrived = [...arrived, fromEvent(event)];
      soon();
      planProjects();
    },
    callback: (event) => {
      if (event.attempts === 0) {
        failures = [...failures, event];
        soon();
      }
      planProjects();
    },
    change: ({ project, what }) => {
      if (what === 'reset') forget(project);
      planProjects();
    },
    missed: load,
  });
  load();
}

/** What came and is not in the list yet; until the list is loaded it is kept, since the list may be older. */
let arrived: readonly LiveRequest[] = [];
/** Callbacks that came to be, likewise. */
let failures: readonly CallbackEvent[] = [];
let projectsPlanned = false;

/** The projects' counts change with everything: they are asked for again at most twice a second. */
function planProjects(): void {
  if (projectsPlanned) return;
  projectsPlanned = true;
  setTimeout(() => {
    projectsPlanned = false;
    loadProjects();
  }, 500);
}

function loadProjects(): void {
  askAll<Schemas['ProjectSummary']>('/projects', 1000).then(
    (all) => projects.set(all),
    () => undefined,
  );
}

/** Loads what there is: after a beginning, a gap, a restart of the sandbox, a login. */
export function load(): void {
  loadProjects();
  requests.set({ ...requests.get(), loaded: false });
  askAll<Schemas['RequestSummary']>('/requests?bodies=false', mostRequests).then(
    (all) => {
      requests.set({ items: withFailures(merge(all.map(fromSummary), arrived), failures), loaded: true });
      arrived = [];
      failures = [];
    },
    () => undefined,
  );
}

/** A project that was reset has no requests any more; without one, none has. */
function forget(project: string | null): void {
  const { items, loaded } = requests.get();
  requests.set({ items: project === null ? [] : items.filter((item) => item.project !== project), loaded });
}

function fromEvent(event: RequestEvent): LiveRequest {
  const { id, at, project, operation, method, path, status, durationMs, warnings, scenarios = [], refused } = event;
  const kept = { id, at, project, operation, method, path, status, durationMs, warnings, scenarios };
  return { ...kept, refused, failed: 0, callbacks: [] };
}

function fromSummary(summary: Schemas['RequestSummary']): LiveRequest {
  const { id, at, project, operation, method, path, status, durationMs, entries, callbacks } = summary;
  const fired = summary.rules.filter((rule) => rule.fired).map(({ scenario }) => scenario);
  return {
    ...{ id, at, project, operation, method, path, status, durationMs },
    warnings: summary.warnings.length,
    scenarios: [...new Set(fired)],
    refused: entries.refused,
    failed: entries.failed,
    callbacks,
  };
}

function merge(known: readonly LiveRequest[], arrived: readonly LiveRequest[]): readonly LiveRequest[] {
  const fresh = new Set(arrived.map(keyOf));
  return [...known.filter((item) => !fresh.has(keyOf(item))), ...arrived].slice(-mostRequests);
}

/** The list with what callbacks tell of its requests; each counts once, however often it is told of. */
function withFailures(items: readonly LiveRequest[], told: readonly CallbackEvent[]): readonly LiveRequest[] {
  if (told.length === 0) return items;
  const byRequest = new Map<string, CallbackEvent[]>();
  for (const event of told) {
    const key = keyOf({ project: event.project, id: event.requestId });
    byRequest.set(key, [...(byRequest.get(key) ?? []), event]);
  }
  return items.map((item) => withCallbacks(item, byRequest.get(keyOf(item)) ?? []));
}

function withCallbacks(item: LiveRequest, told: readonly CallbackEvent[]): LiveRequest {
  const fresh = told.filter(({ id }, index) => {
    const isFirst = told.findIndex((other) => other.id === id) === index;
    return isFirst && !item.callbacks.includes(id);
  });
  if (fresh.length === 0) return item;
  const failed = fresh.reduce((sum, one) => sum + one.failed, item.failed);
  return { ...item, failed, callbacks: [...item.callbacks, ...fresh.map(({ id }) => id)] };
}

/** Whether something of it came to nothing: all of it, entries at once, entries later. */
export function isTrouble({ status, refused, failed }: LiveRequest): boolean {
  return status === 0 || status >= 400 || refused > 0 || failed > 0;
}

/** Names a request in all projects. */
export function keyOf({ project, id }: Pick<LiveRequest, 'project' | 'id'>): string {
  return `${project ?? ''}/${id}`;
}
