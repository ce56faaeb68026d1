/** Implements the import of routes. A route is accepted or fails as a whole, then its jobs one by one. */
import { createDraft } from '../records/records.ts';
import { type Action, type Entry, type Failure, toRouteReason } from './command.ts';
import { create, importEntry } from './record.ts';

/**
 * Imports routes with their jobs. If the id of a route exists, the route fails with all its jobs. Otherwise it is
 * stored with its accepted jobs, even if there are none.
 */
export const importRoutes: Action = (reads, command, context) => {
  const draft = createDraft(reads);
  const failures: Failure[] = [];
  const jobsOf = byRoute(command.entries);
  for (const [index, route] of (command.routes ?? []).entries()) {
    const jobs = jobsOf.get(index) ?? [];
    const acceptedJobs: string[] = [];
    const fields = { ...route.value, id: route.id, jobs: acceptedJobs };
    const withSubProject =
      command.subProjectId === undefined ? fields : { ...fields, subProjectId: command.subProjectId };
    const failure = create(draft, 'routes', route.id, withSubProject, context);
    if (failure) {
      const reason = toRouteReason(route.id);
      failures.push({ order: route.order, id: route.id, ...failure });
      for (const { item, id } of jobs) failures.push({ order: item, id, kind: failure.kind, reason });
      continue;
    }
    for (const entry of jobs) {
      const jobFailure = importEntry(draft, 'jobs', entry, command, context, route.id);
      if (jobFailure) failures.push({ order: entry.item, id: entry.id, ...jobFailure });
      else acceptedJobs.push(entry.id);
    }
  }
  return { writes: draft.writes, failures, warnings: [] };
};

function byRoute(entries: readonly Entry[]): ReadonlyMap<number | undefined, readonly Entry[]> {
  const groups = new Map<number | undefined, Entry[]>();
  for (const entry of entries) {
    const group = groups.get(entry.route);
    if (group) group.push(entry);
    else groups.set(entry.route, [entry]);
  }
  return groups;
}
