/** The rules of routes: a route is taken or refused as one, its jobs then one by one. */
import { createDraft } from '../store/records.ts';
import { importJob } from './jobs.ts';
import { create } from './record.ts';
import type { Action, Entry, Failure } from './task.ts';

/**
 * Puts routes in, each with its jobs. A route whose id exists fails under its own id, with all its jobs;
 * else it is stored with the jobs that were taken, even none.
 */
export const importRoutes: Action = (reads, task, setting) => {
  const draft = createDraft(reads);
  const failures: Failure[] = [];
  const jobsOf = byRoute(task.entries);
  for (const [place, route] of (task.routes ?? []).entries()) {
    const taken: string[] = [];
    const fields = { ...route.value, id: route.id, jobs: taken };
    const withSubProject = task.subProjectId === undefined ? fields : { ...fields, subProjectId: task.subProjectId };
    const trouble = create(draft, 'routes', route.id, withSubProject, setting);
    if (trouble) {
      failures.push({ order: route.order, id: route.id, route: place, ...trouble });
      continue;
    }
    for (const entry of jobsOf.get(place) ?? []) {
      const failed = importJob(draft, entry, task, setting, { routeId: route.id });
      if (failed) failures.push({ order: entry.item, id: entry.id, ...failed });
      else taken.push(entry.id);
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
