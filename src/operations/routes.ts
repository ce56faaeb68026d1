/** Implements the import of routes. A route is accepted or fails as a whole, then its jobs one by one. */
import { truncate } from '../lib/format.ts';
import { isObject, type Json } from '../lib/json.ts';
import type { Warning } from '../lib/problem.ts';
import { createDraft, type Draft } from '../records/records.ts';
import {
  type Action,
  type ActionContext,
  type Command,
  type Entry,
  type Failure,
  nouns,
  type RouteEntry,
  routeCause,
  toRouteReason,
} from './command.ts';
import {
  type Applying,
  checkSubProject,
  checkTransition,
  type EntryFailure,
  importEntry,
  tooMuchMerged,
  toUpdated,
  toWarning,
} from './record.ts';

/**
 * Imports routes with their jobs. A route is stored with its accepted jobs; not if all its jobs fail. A route that exists
 * gets the jobs that it lacks. If it lacks none, it fails with all its jobs. By the profile, it is replaced instead.
 */
export const importRoutes: Action = (reads, command, context) => {
  const draft = createDraft(reads);
  const run = new RouteImport(draft, command, context);
  const entriesOf = byRoute(command.entries);
  const failures = (command.routes ?? []).flatMap((route, index) => run.add(route, entriesOf.get(index) ?? []));
  run.finish();
  return { writes: draft.writes, failures, warnings: run.warnings };
};

/** A route as it is after the entries so far. */
interface RouteState {
  /** Undefined if there is none. */
  route: Json | undefined;
  jobs: Set<string>;
  /** Whether the request has stored it. */
  isStored: boolean;
  /** Whether a job has left it for another route. */
  isLeft: boolean;
}

/** The import of the routes of one request. */
class RouteImport {
  readonly warnings: Warning[] = [];
  readonly #draft: Draft;
  readonly #command: Command;
  readonly #context: ActionContext;
  /** The routes that it has read: a body may name a route 10,000 times. */
  readonly #states = new Map<string, RouteState>();

  constructor(draft: Draft, command: Command, context: ActionContext) {
    this.#draft = draft;
    this.#command = command;
    this.#context = context;
  }

  /** Imports a route and its jobs, or returns the failures. */
  add(entry: RouteEntry, jobs: readonly Entry[]): readonly Failure[] {
    const { id, value, order, isEmpty = false } = entry;
    const { now, rules } = this.#context;
    const state = this.#stateOf(id);
    const { route: existing, jobs: has } = state;
    const { routes: ofRoute, routeJobs } = rules.duplicates;
    if (existing && ofRoute === 'reject' && lacksNone(has, jobs, isEmpty)) return failRoute(id, order, jobs);
    const replaces = existing !== undefined && ofRoute === 'replace';
    const failures = jobs.flatMap((job): readonly Failure[] => {
      const failure = this.#addJob(job, id, replaces ? 'replace' : routeJobs);
      return failure ? [{ order: job.item, id: job.id, ...failure }] : [];
    });
    const failed = new Set(failures.map((failure) => failure.order));
    const accepted = new Set(jobs.filter(({ item }) => !failed.has(item)).map((job) => job.id));
    if (accepted.size === 0 && !isEmpty) return failures;
    if (existing && !replaces) {
      this.#warnOfIgnored(existing, entry);
      if (!state.isStored) this.#store(id, state, { ...existing, updatedAt: now });
      for (const job of accepted) has.add(job);
      return failures;
    }
    const { subProjectId } = this.#command;
    const scope = subProjectId === undefined ? {} : { subProjectId };
    const createdAt = existing?.['createdAt'] ?? now;
    this.#store(id, state, { ...value, id, jobs: [], ...scope, createdAt, updatedAt: now });
    this.#leaveRoute(id, has, accepted);
    state.jobs = accepted;
    return failures;
  }

  /** Stores the routes that jobs have left, and the jobs of all that were stored. */
  finish(): void {
    const { now } = this.#context;
    for (const [id, state] of this.#states)
      if (state.isLeft && !state.isStored && state.route) this.#store(id, state, { ...state.route, updatedAt: now });
    for (const state of this.#states.values()) setJobs(state);
  }

  #stateOf(id: string): RouteState {
    const known = this.#states.get(id);
    if (known) return known;
    const route = this.#draft.get('routes', id);
    const jobs = new Set(Array.isArray(route?.['jobs']) ? route['jobs'].map(String) : []);
    const state = { route, jobs, isStored: false, isLeft: false };
    this.#states.set(id, state);
    return state;
  }

  /** Stores a route, which gets its jobs at the end of the request or when it is replaced. */
  #store(id: string, state: RouteState, route: Json): void {
    setJobs(state);
    this.#draft.put('routes', id, route);
    state.route = route;
    state.isStored = true;
  }

  /** Warns of a route that exists with other fields: it only gets the jobs that it lacks. */
  #warnOfIgnored(existing: Json, { id, value }: RouteEntry): void {
    const ignored = Object.keys(value).filter((name) => !isSame(value[name], existing[name] ?? null));
    if (ignored.length > 0) this.#warnOfKept('route', id, ignored);
  }

  /** Warns of fields that a record keeps, because it exists. */
  #warnOfKept(noun: 'route' | 'job', id: string, fields: readonly string[]): void {
    const message = `${noun} ${truncate(id)} exists already and keeps its ${fields.join(' and ')}`;
    this.warnings.push(toWarning('unexpected', `the ${noun} exists with other fields, which stay`, message));
  }

  /** Adds a job to a route: a new one, or one that exists, as the profile says. Returns why it fails. */
  #addJob(entry: Entry, routeId: string, ofExisting: 'attach' | 'replace' | 'reject'): EntryFailure | undefined {
    const existing = this.#draft.get('jobs', entry.id);
    const isAttached = existing !== undefined && ofExisting === 'attach' && !this.#draft.origins.has(existing);
    // A job that a request names twice fails the second time.
    const failure = isAttached
      ? this.#attachJob(entry, existing, routeId)
      : importEntry(this.#toApplying(entry), 'jobs', ofExisting === 'replace' ? ofExisting : 'reject', routeId);
    const before = existing?.['routeId'];
    if (!failure && typeof before === 'string' && before !== routeId) {
      const left = this.#stateOf(before);
      left.jobs.delete(entry.id);
      left.isLeft = true;
    }
    return failure;
  }

  #toApplying(entry: Entry): Applying {
    const { warnings } = this;
    return { draft: this.#draft, entry, command: this.#command, context: this.#context, warnings };
  }

  /** Updates a job that exists, and makes it part of the route. */
  #attachJob(entry: Entry, existing: Json, routeId: string): EntryFailure | undefined {
    const applying = this.#toApplying(entry);
    const { draft, context } = applying;
    const failure = checkTransition(applying, 'jobs', existing) ?? checkSubProject(applying, 'jobs', existing);
    if (failure) return failure;
    // As an update, which has no tracking id.
    const { trackingId, ...fields } = entry.value;
    const updated = toUpdated(draft, existing, fields, context);
    if (!updated) return tooMuchMerged();
    if (trackingId !== undefined && trackingId !== existing['trackingId'])
      this.#warnOfKept('job', entry.id, ['trackingId']);
    const attached = { ...updated, routeId };
    draft.put('jobs', entry.id, attached);
    draft.origins.set(attached, entry.item);
    return undefined;
  }

  /** Removes the route from jobs that a replaced route no longer names; they stay as jobs. */
  #leaveRoute(routeId: string, had: ReadonlySet<string>, has: ReadonlySet<string>): void {
    for (const id of had) {
      const job = this.#draft.get('jobs', id);
      if (has.has(id) || !job || job['routeId'] !== routeId) continue;
      const { routeId: _left, ...fields } = job;
      this.#draft.put('jobs', id, { ...fields, updatedAt: this.#context.now });
    }
  }
}

/** Sets the jobs of a route that the request has stored. */
function setJobs({ route, jobs, isStored }: RouteState): void {
  if (route && isStored) route['jobs'] = [...jobs];
}

function isSame(one: unknown, other: unknown): boolean {
  if (!isObject(one) || !isObject(other)) return JSON.stringify(one) === JSON.stringify(other);
  return Object.keys({ ...one, ...other }).every((name) => isSame(one[name], other[name]));
}

/** Whether a route has all these jobs. Those that fail for another reason are not here, so that none may be left. */
function lacksNone(has: ReadonlySet<string>, jobs: readonly Entry[], isEmpty: boolean): boolean {
  return (jobs.length > 0 || isEmpty) && jobs.every(({ id }) => has.has(id));
}

/** Returns the failures of a route that exists and lacks none of these jobs. */
function failRoute(routeId: string, order: number, jobs: readonly Entry[]): readonly Failure[] {
  const kind = 'duplicate';
  const reason = `${nouns.routes} ${truncate(routeId)} exists already; send it with jobs that it lacks, or see duplicates.routes in the profile`;
  const cause = { kind, place: '', text: `the ${nouns.routes} exists already` } as const;
  const ofJobs = jobs.map(
    ({ item, id }): Failure => ({ order: item, id, kind, reason: toRouteReason(routeId), cause: routeCause }),
  );
  return [{ order, id: routeId, kind, reason, cause }, ...ofJobs];
}

function byRoute(entries: readonly Entry[]): ReadonlyMap<number | undefined, readonly Entry[]> {
  const groups = new Map<number | undefined, Entry[]>();
  for (const entry of entries) {
    const group = groups.get(entry.route);
    if (group) group.push(entry);
    else groups.set(entry.route, [entry]);
  }
  return groups;
}
