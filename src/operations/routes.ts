/** Implements the import of routes. A route is accepted or fails as a whole, then its jobs one by one. */
import { truncate } from '../lib/format.ts';
import type { Json } from '../lib/json.ts';
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
  withDuplicateJobs,
} from './record.ts';

/**
 * Imports routes with their jobs. A route is stored with its accepted jobs; not if all its jobs fail. A route that exists
 * gets the jobs that it lacks. If it lacks none, it fails with all its jobs. By the profile, it is replaced instead.
 */
export const importRoutes: Action = (reads, command, context) => {
  const draft = createDraft(reads);
  const jobsOf = byRoute(command.entries);
  const warnings: Warning[] = [];
  const notes: Notes = { warn: (warning) => warnings.push(warning), left: new Map() };
  const failures = (command.routes ?? []).flatMap((route, index) =>
    importRoute(draft, route, jobsOf.get(index) ?? [], command, context, notes),
  );
  for (const [routeId, jobIds] of notes.left) removeFromRoute(draft, routeId, jobIds, context.now);
  return { writes: draft.writes, failures, warnings };
};

/** What an import of routes notes for its end. */
interface Notes {
  readonly warn: (warning: Warning) => void;
  /** The jobs that have left a route for another one. */
  readonly left: Map<string, Set<string>>;
}

/** Imports a route and its jobs, or returns the failures. */
function importRoute(
  draft: Draft,
  { id: routeId, value, order, isEmpty = false }: RouteEntry,
  jobs: readonly Entry[],
  command: Command,
  context: ActionContext,
  notes: Notes,
): readonly Failure[] {
  const { routes: ofRoute, routeJobs } = context.rules.duplicates;
  const existing = draft.get('routes', routeId);
  // Without the jobs that an earlier route of this request has taken.
  const left = notes.left.get(routeId);
  const hasBefore = new Set([...jobIdsOf(existing)].filter((id) => !left?.has(id)));
  if (existing && ofRoute === 'reject' && lacksNone(hasBefore, jobs, isEmpty)) return failRoute(routeId, order, jobs);
  const replaces = existing !== undefined && ofRoute === 'replace';
  const ofJobs = replaces ? 'replace' : routeJobs;
  const failures: Failure[] = [];
  const accepted = new Set<string>();
  for (const entry of jobs) {
    const failure = addJob(draft, entry, routeId, ofJobs, command, context, notes);
    if (failure) failures.push({ order: entry.item, id: entry.id, ...failure });
    else accepted.add(entry.id);
  }
  if (accepted.size === 0 && !isEmpty) return failures;
  const fields = existing && !replaces ? existing : withSubProject({ ...value, id: routeId, jobs: [] }, command);
  const kept = replaces ? accepted : new Set([...hasBefore, ...accepted]);
  const createdAt = existing?.['createdAt'] ?? context.now;
  draft.put('routes', routeId, { ...fields, jobs: [...kept], createdAt, updatedAt: context.now });
  if (replaces)
    leaveRoute(
      draft,
      routeId,
      [...hasBefore].filter((id) => !kept.has(id)),
      context.now,
    );
  return failures;
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
  { warn, left }: Notes,
): EntryFailure | undefined {
  const existing = draft.get('jobs', entry.id);
  const isAttached = existing !== undefined && ofExisting === 'attach' && !draft.origins.has(existing);
  const failure = isAttached
    ? attachJob(draft, entry, existing, routeId, command, context, warn)
    : importEntry(draft, 'jobs', entry, command, withDuplicateJobs(context, toDuplicate(ofExisting)), routeId);
  const before = existing?.['routeId'];
  if (!failure && typeof before === 'string' && before !== routeId)
    left.set(before, (left.get(before) ?? new Set()).add(entry.id));
  return failure;
}

/** A job that a request names twice fails the second time. */
const toDuplicate = (ofExisting: 'attach' | 'replace' | 'reject') => (ofExisting === 'replace' ? 'replace' : 'reject');

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
  const { trackingId: _given, ...fields } = entry.value;
  const updated = toUpdated(draft, existing, fields, context);
  if (!updated) return tooMuchMerged();
  const attached = { ...updated, routeId };
  draft.put('jobs', entry.id, attached);
  draft.origins.set(attached, entry.item);
  return undefined;
}

/** Removes jobs from the list of a route that they have left for another one. */
function removeFromRoute(draft: Draft, routeId: string, jobIds: ReadonlySet<string>, now: string): void {
  const route = draft.get('routes', routeId);
  if (!route) return;
  const isLeft = (id: string) => jobIds.has(id) && draft.get('jobs', id)?.['routeId'] !== routeId;
  const jobs = [...jobIdsOf(route)].filter((id) => !isLeft(id));
  draft.put('routes', routeId, { ...route, jobs, updatedAt: now });
}

/** Removes the route from jobs that a replaced route no longer names; they stay as jobs. */
function leaveRoute(draft: Draft, routeId: string, jobIds: readonly string[], now: string): void {
  for (const id of jobIds) {
    const job = draft.get('jobs', id);
    if (!job || job['routeId'] !== routeId) continue;
    const { routeId: _left, ...fields } = job;
    draft.put('jobs', id, { ...fields, updatedAt: now });
  }
}

function jobIdsOf(route: Json | undefined): ReadonlySet<string> {
  return new Set(Array.isArray(route?.['jobs']) ? route['jobs'].map(String) : []);
}

function withSubProject(route: Json, { subProjectId }: Command): Json {
  return subProjectId === undefined ? route : { ...route, subProjectId };
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
