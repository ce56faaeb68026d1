/** Random requests about routes. */
import type { Dice } from './dice.ts';
import { type Endpoint, type Target, toEndpoint } from './endpoints.ts';
import { drawEntry, drawList, drawStatus, idOf } from './entries.ts';
import { type Fields, readRoute } from './fields.ts';
import { anyText, put, type State } from './rules.ts';
import { type Accepted, importOne, type Placed, readList, type Step, schedule, toResult } from './steps.ts';

export function drawRoutes(dice: Dice, target: Target): Step {
  const endpoint = toEndpoint('importRoutes', target);
  const routes = drawList(dice, () => ({
    ...(dice.often(95) && { id: dice.of(['R-1', 'R-2', 'R-3', 'R-4']) }),
    ...(dice.often(30) && { driver: dice.of([{ firstName: 'Bo' }, {}]) }),
    ...(dice.often(30) && { routeDate: dice.of(['2026-03-02T09:30:00Z', '2026-03-02T09:30:00Z', 'today']) }),
    ...(dice.often(90) && { jobs: drawList(dice, () => drawEntry(dice, drawStatus(dice))) }),
  })) as Fields[];
  return { ...endpoint, body: { routes }, expect: importRoutes(endpoint, routes) };
}

interface AcceptedRoute extends Accepted {
  readonly jobs: readonly Accepted[];
}

/** Imports routes in order. A route whose id exists fails under its id, with all its jobs; else its accepted jobs are imported. */
function importRoutes(endpoint: Endpoint, routes: readonly Fields[]): Step['expect'] {
  return (state, requestId) => {
    const { accepted, rejected } = readRoutes(endpoint, routes);
    const applied: Accepted[] = [];
    const run = (): readonly Placed[] => accepted.flatMap((route) => importRoute(state, endpoint, route, applied));
    if (!endpoint.isLater) {
      const failed = run();
      return { status: 200, body: toResult(state, 'jobs', endpoint, applied, [...rejected, ...failed]) };
    }
    const creates = accepted.flatMap(({ id, jobs }) => [`routes ${id}`, ...jobs.map((job) => `jobs ${job.id}`)]);
    if (accepted.length > 0) schedule(state, endpoint, requestId, { type: 'routes.import.failed', creates, run });
    const jobs = accepted.flatMap((route) => route.jobs);
    return { status: 202, body: toResult(state, 'jobs', endpoint, jobs, rejected) };
  };
}

function readRoutes(
  endpoint: Endpoint,
  routes: readonly Fields[],
): { readonly accepted: readonly AcceptedRoute[]; readonly rejected: readonly Placed[] } {
  const accepted: AcceptedRoute[] = [];
  const rejected: Placed[] = [];
  routes.forEach(({ jobs = [], ...own }, index) => {
    // A route has fewer than 100 jobs, so that its failures stay in order.
    const order = index * 100;
    const id = idOf(own);
    const fields = readRoute(endpoint.operation, own);
    if (!fields) {
      rejected.push({ order, id, reason: anyText });
      return;
    }
    const list = readList(endpoint, jobs as readonly unknown[], order + 1);
    rejected.push(...list.rejected);
    accepted.push({ order, id, fields, jobs: list.accepted });
  });
  return { accepted, rejected };
}

function importRoute(
  state: State,
  endpoint: Endpoint,
  { order, id, fields, jobs }: AcceptedRoute,
  applied: Accepted[],
): readonly Placed[] {
  const jobIds: string[] = [];
  const scope = endpoint.sub === undefined ? {} : { subProjectId: endpoint.sub };
  const failed = put(state, 'routes', id, { ...fields, ...scope, jobs: jobIds });
  if (failed) return [{ order, ...failed }];
  return jobs.flatMap((job) => {
    const failures = importOne(state, 'jobs', endpoint, job, { routeId: id });
    if (failures.length > 0) return failures;
    jobIds.push(job.id);
    applied.push(job);
    return [];
  });
}
