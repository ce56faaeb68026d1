/** Implements the import of routes. A route is accepted or fails as a whole, then its jobs one by one. */
import type { Json } from '../lib/json.ts';
import { createDraft, type Draft } from '../records/records.ts';
import {
  type Action,
  type ActionContext,
  type Command,
  type Entry,
  type Failure,
  type RouteEntry,
  toRouteReason,
} from './command.ts';
import { create, importEntry, withDuplicateJobs } from './record.ts';

/**
 * Imports routes with their jobs. If the id of a route exists, the route fails with all its jobs, or replaces the
 * stored route and the jobs that it names. A route is stored with its accepted jobs, even if there are none.
 */
export const importRoutes: Action = (reads, command, context) => {
  const draft = createDraft(reads);
  const jobsOf = byRoute(command.entries);
  const failures = (command.routes ?? []).flatMap((route, index) =>
    importRoute(draft, route, jobsOf.get(index) ?? [], command, context),
  );
  return { writes: draft.writes, failures, warnings: [] };
};

/** Imports a route and its jobs, or returns the failures. */
function importRoute(
  draft: Draft,
  { id: routeId, value, order }: RouteEntry,
  jobs: readonly Entry[],
  command: Command,
  context: ActionContext,
): readonly Failure[] {
  const replaced = draft.get('routes', routeId);
  const acceptedJobs: string[] = [];
  const fields = { ...value, id: routeId, jobs: acceptedJobs };
  const withSubProject =
    command.subProjectId === undefined ? fields : { ...fields, subProjectId: command.subProjectId };
  const failure = create(draft, 'routes', routeId, withSubProject, context);
  if (failure) {
    const reason = toRouteReason(routeId);
    const ofJobs = jobs.map(({ item, id }): Failure => ({ order: item, id, kind: failure.kind, reason }));
    return [{ order, id: routeId, ...failure }, ...ofJobs];
  }
  const failures: Failure[] = [];
  const jobContext = replaced ? withDuplicateJobs(context, 'replace') : context;
  for (const entry of jobs) {
    const jobFailure = importEntry(draft, 'jobs', entry, command, jobContext, routeId);
    if (jobFailure) failures.push({ order: entry.item, id: entry.id, ...jobFailure });
    else acceptedJobs.push(entry.id);
  }
  if (replaced) removeFromRoute(draft, replaced, acceptedJobs, context.now);
  return failures;
}

/** Removes the jobs of a replaced route that the new one does not have from the route; they stay as jobs. */
function removeFromRoute(draft: Draft, replaced: Json, kept: readonly string[], now: string): void {
  const keptIds = new Set(kept);
  const ids: readonly unknown[] = Array.isArray(replaced['jobs']) ? replaced['jobs'] : [];
  for (const id of ids.map(String)) {
    const job = keptIds.has(id) ? undefined : draft.get('jobs', id);
    if (!job || job['routeId'] !== replaced['id']) continue;
    const { routeId: _replaced, ...fields } = job;
    draft.put('jobs', id, { ...fields, updatedAt: now });
  }
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
