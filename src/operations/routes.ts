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
  const entriesOf = byRoute(command.entries);
  const warnings: Warning[] = [];
  const notes: Notes = {
    warn: (warning) => warnings.push(warning),
    jobs: new Map(),
    stored: new Map(),
    left: new Set(),
  };
  const failures = (command.routes ?? []).flatMap((route, index) =>
    importRoute(draft, route, entriesOf.get(index) ?? [], command, context, notes),
  );
  for (const routeId of notes.left) {
    const route = draft.get('routes', routeId);
    if (route && !notes.stored.has(routeId)) store(draft, routeId, { ...route, updatedAt: context.now }, notes);
  }
  for (const routeId of notes.stored.keys()) setJobs(draft, routeId, notes);
  return { writes: draft.writes, failures, warnings };
};

/** What an import of routes notes for its end. */
interface Notes {
  readonly warn: (warning: Warning) => void;
  /** The jobs of the routes that it has read, as they are now: a body may name a route 10,000 times. */
  readonly jobs: Map<string, Set<string>>;
  /** The routes that it has stored. They get their jobs at the end. */
  readonly stored: Map<string, Json>;
  /** The routes that a job has left for another one. */
  readonly left: Set<string>;
}

/** Returns the jobs of a route, also those that the request has added, and without those that it has moved. */
function jobsOf(draft: Draft, routeId: string, { jobs }: Notes): Set<string> {
  const known = jobs.get(routeId) ?? jobIdsOf(draft.get('routes', routeId));
  jobs.set(routeId, known);
  return known;
}

function jobIdsOf(route: Json | undefined): Set<string> {
  return new Set(Array.isArray(route?.['jobs']) ? route['jobs'].map(String) : []);
}

/** Stores a route, whose jobs are set at the end of the request or when it is replaced. */
function store(draft: Draft, routeId: string, route: Json, notes: Notes): void {
  setJobs(draft, routeId, notes);
  draft.put('routes', routeId, route);
  notes.stored.set(routeId, route);
}

/** Sets the jobs of a route that the request has stored. */
function setJobs(draft: Draft, routeId: string, notes: Notes): void {
  const route = notes.stored.get(routeId);
  if (route) route['jobs'] = [...jobsOf(draft, routeId, notes)];
}

/** Imports a route and its jobs, or returns the failures. */
function importRoute(
  draft: Draft,
  route: RouteEntry,
  jobs: readonly Entry[],
  command: Command,
  context: ActionContext,
  notes: Notes,
): readonly Failure[] {
  const { id: routeId, order, isEmpty = false } = route;
  const { routes: ofRoute, routeJobs } = context.rules.duplicates;
  const existing = draft.get('routes', routeId);
  const has = jobsOf(draft, routeId, notes);
  if (existing && ofRoute === 'reject' && lacksNone(has, jobs, isEmpty)) return failRoute(routeId, order, jobs);
  const replaces = existing !== undefined && ofRoute === 'replace';
  const ofJobs = replaces ? 'replace' : routeJobs;
  const failures = jobs.flatMap((entry): readonly Failure[] => {
    const failure = addJob(draft, entry, routeId, ofJobs, command, context, notes);
    return failure ? [{ order: entry.item, id: entry.id, ...failure }] : [];
  });
  const failed = new Set(failures.map((failure) => failure.order));
  const accepted = new Set(jobs.filter(({ item }) => !failed.has(item)).map(({ id }) => id));
  if (accepted.size === 0 && !isEmpty) return failures;
  const stored = toRoute(route, replaces ? existing['createdAt'] : context.now, command, context.now);
  if (replaces) {
    store(draft, routeId, stored, notes);
    leaveRoute(draft, routeId, has, accepted, context.now);
    notes.jobs.set(routeId, accepted);
    return failures;
  }
  if (existing) warnOfIgnored(existing, route, notes);
  const added = existing ? { ...existing, updatedAt: context.now } : stored;
  if (!notes.stored.has(routeId)) store(draft, routeId, added, notes);
  for (const id of accepted) has.add(id);
  return failures;
}

/** Warns of a route that exists with other fields: it only gets the jobs that it lacks. */
function warnOfIgnored(existing: Json, { id, value }: RouteEntry, { warn }: Notes): void {
  const ignored = Object.keys(value).filter((name) => name !== 'jobs' && !isSame(value[name], existing[name] ?? null));
  if (ignored.length === 0) return;
  const text = 'the route exists with other fields, which stay';
  warn(toWarning('unexpected', text, `route ${truncate(id)} exists already and keeps its ${ignored.join(' and ')}`));
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

/** Adds a job to a route: a new one, or one that exists, as the profile says. Returns why it fails. */
function addJob(
  draft: Draft,
  entry: Entry,
  routeId: string,
  ofExisting: 'attach' | 'replace' | 'reject',
  command: Command,
  context: ActionContext,
  notes: Notes,
): EntryFailure | undefined {
  const existing = draft.get('jobs', entry.id);
  const isAttached = existing !== undefined && ofExisting === 'attach' && !draft.origins.has(existing);
  // A job that a request names twice fails the second time.
  const forImport = { routeId, ofExisting: ofExisting === 'replace' ? ofExisting : 'reject' } as const;
  const failure = isAttached
    ? attachJob(draft, entry, existing, routeId, command, context, notes.warn)
    : importEntry(draft, 'jobs', entry, command, context, forImport);
  const before = existing?.['routeId'];
  if (!failure && typeof before === 'string' && before !== routeId) {
    jobsOf(draft, before, notes).delete(entry.id);
    notes.left.add(before);
  }
  return failure;
}

/** Updates a job that exists, and makes it part of the route. */
function attachJob(
  draft: Draft,
  entry: Entry,
  existing: Json,
  routeId: string,
  command: Command,
  context: ActionContext,
  warn: Notes['warn'],
): EntryFailure | undefined {
  const failure =
    checkTransition('jobs', entry, existing, context.rules) ??
    checkSubProject('jobs', existing, entry, command, context, warn);
  if (failure) return failure;
  // As an update, which has no tracking id.
  const { trackingId, ...fields } = entry.value;
  const updated = toUpdated(draft, existing, fields, context);
  if (!updated) return tooMuchMerged();
  if (trackingId !== undefined && trackingId !== existing['trackingId']) {
    const text = 'the job exists with another tracking id, which stays';
    warn(toWarning('unexpected', text, `job ${truncate(entry.id)} exists already and keeps its trackingId`));
  }
  const attached = { ...updated, routeId };
  draft.put('jobs', entry.id, attached);
  draft.origins.set(attached, entry.item);
  return undefined;
}

/** Removes the route from jobs that a replaced route no longer names; they stay as jobs. */
function leaveRoute(
  draft: Draft,
  routeId: string,
  had: ReadonlySet<string>,
  has: ReadonlySet<string>,
  now: string,
): void {
  for (const id of had) {
    const job = draft.get('jobs', id);
    if (has.has(id) || !job || job['routeId'] !== routeId) continue;
    const { routeId: _left, ...fields } = job;
    draft.put('jobs', id, { ...fields, updatedAt: now });
  }
}

function toRoute({ id, value }: RouteEntry, createdAt: unknown, { subProjectId }: Command, updatedAt: string): Json {
  return { ...value, id, jobs: [], ...(subProjectId !== undefined && { subProjectId }), createdAt, updatedAt };
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
