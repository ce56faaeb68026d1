/** Live data for the frame and several screens: the projects, and the requests as they arrive. */
import { access, loadAccess } from './access.ts';
import { callApi, isLoginRequired, listAll, type Schemas } from './client.ts';
import { type CallbackEvent, listen, type RequestEvent } from './events.ts';
import { createStore, type Store } from './store.ts';

/** A request of a list: the data of its event, and its failures since. */
export interface LiveRequest extends Omit<RequestEvent, 'scenarios'> {
  /** The scenarios whose rules fired. */
  readonly scenarios: readonly string[];
  /** Number of entries that failed after the response. */
  readonly failed: number;
  /** The ids of the callbacks that reported those failures. */
  readonly callbacks: readonly string[];
}

/** Maximum number of requests in the page. Older ones are dropped. */
const maxRequests = 5000;

/** Whether the list has reached its maximum, so that older requests may be missing. */
export const isFull = (): boolean => requests.get().length >= maxRequests;

/** Oldest first. */
export const requests: Store<readonly LiveRequest[]> = createStore<readonly LiveRequest[]>([]);
const noProjects: readonly Schemas['ProjectSummary'][] = [];
export const projects: Store<readonly Schemas['ProjectSummary'][]> = createStore(noProjects);

/** The settings of the server, once they are loaded. They change only with a restart of the sandbox. */
export const settings: Store<Schemas['Settings'] | undefined> = createStore<Schemas['Settings'] | undefined>(undefined);

/** Loads all data and keeps it up to date with the events. Call it once. */
export function startLiveList(): void {
  let isScheduled = false;

  /** Adds requests to the list once per frame, so that many events cause only one update. */
  function soon(): void {
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(() => {
      isScheduled = false;
      requests.set(withFailures(merge(requests.get(), arrived), failures));
      if (!isLoaded) return;
      arrived = [];
      failures = [];
    });
  }

  listen((event) => {
    if (event.kind === 'request') arrived = [...arrived, fromEvent(event)];
    if (event.kind === 'callback' && event.attempts === 0) failures = [...failures, event];
    if (event.kind === 'change' && event.what === 'reset') removeRequests(event.project);
    if (event.kind === 'missed') load();
    else if (event.kind !== 'records') scheduleProjects();
    if (event.kind === 'request' || event.kind === 'callback') soon();
  });
  isLoginRequired.subscribe(() => {
    if (isLoginRequired.get()) clear();
  });
  load();
}

/** Removes all data: the session has ended, and the next user may have other projects. */
function clear(): void {
  arrived = [];
  failures = [];
  requests.set([]);
  projects.set(noProjects);
  access.set(undefined);
}

/**
 * Requests that arrived and are not in the list yet. They stay here until the list is loaded, because it may be older.
 */
let arrived: readonly LiveRequest[] = [];
/** New callbacks that are not in the list yet. */
let failures: readonly CallbackEvent[] = [];
let isLoaded = false;
let areProjectsScheduled = false;

/** Reloads the projects at most twice a second, because every request changes their counts. */
function scheduleProjects(): void {
  if (areProjectsScheduled) return;
  areProjectsScheduled = true;
  setTimeout(() => {
    areProjectsScheduled = false;
    loadProjects();
  }, 500);
}

function loadProjects(): void {
  listAll<Schemas['ProjectSummary']>('/projects', 1000).then(
    (all) => projects.set(all),
    () => undefined,
  );
}

/** Loads all data: at the start, after a gap, after a restart of the sandbox, and after a login. */
export function load(): void {
  loadAccess();
  loadProjects();
  callApi<Schemas['Settings']>('GET', '/settings').then(settings.set, () => undefined);
  isLoaded = false;
  listAll<Schemas['RequestSummary']>('/requests?bodies=false', maxRequests).then(
    (all) => {
      requests.set(withFailures(merge(all.map(fromSummary), arrived), failures));
      isLoaded = true;
      arrived = [];
      failures = [];
    },
    () => undefined,
  );
}

/** Removes the requests of a project that was reset, or all requests if the project is null. */
function removeRequests(project: string | null): void {
  requests.set(project === null ? [] : requests.get().filter((item) => item.project !== project));
}

function fromEvent({ scenarios = [], ...event }: RequestEvent): LiveRequest {
  return { ...event, scenarios, failed: 0, callbacks: [] };
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

function merge(loaded: readonly LiveRequest[], arrived: readonly LiveRequest[]): readonly LiveRequest[] {
  const arrivedKeys = new Set(arrived.map(keyOf));
  return [...loaded.filter((item) => !arrivedKeys.has(keyOf(item))), ...arrived].slice(-maxRequests);
}

/**
 * Adds the failures that callbacks report to their requests. Each callback counts once, even if several events report
 * it.
 */
function withFailures(items: readonly LiveRequest[], events: readonly CallbackEvent[]): readonly LiveRequest[] {
  if (events.length === 0) return items;
  const byRequest = new Map<string, CallbackEvent[]>();
  for (const event of events) {
    const key = keyOf({ project: event.project, id: event.requestId });
    byRequest.set(key, [...(byRequest.get(key) ?? []), event]);
  }
  return items.map((item) => withCallbacks(item, byRequest.get(keyOf(item)) ?? []));
}

function withCallbacks(item: LiveRequest, events: readonly CallbackEvent[]): LiveRequest {
  const newEvents = events.filter(({ id }, index) => {
    const isFirst = events.findIndex((other) => other.id === id) === index;
    return isFirst && !item.callbacks.includes(id);
  });
  if (newEvents.length === 0) return item;
  const failed = newEvents.reduce((sum, one) => sum + one.failed, item.failed);
  return { ...item, failed, callbacks: [...item.callbacks, ...newEvents.map(({ id }) => id)] };
}

/** Whether the request failed, or any of its entries did. */
export function hasFailure({ status, refused, failed }: LiveRequest): boolean {
  return status === 0 || status >= 400 || refused > 0 || failed > 0;
}

/** Returns a key that is unique across all projects. */
export function keyOf({ project, id }: Pick<LiveRequest, 'project' | 'id'>): string {
  return `${project ?? ''}/${id}`;
}
