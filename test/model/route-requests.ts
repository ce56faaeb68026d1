/** Random requests about routes. */
import { type Batch, base, type Dice, drawEntry, drawList, drawStatus, idOf, named } from './draws.ts';
import { anyText, type Fields, put, read, type State } from './rules.ts';
import { importOne, later, type Placed, result, type Step, type Taken } from './tasks.ts';

export function drawRoutes(dice: Dice, drawn: Batch): Step {
  const how = { ...drawn, operation: named('ImportRoutes', drawn) };
  const routes = drawList(dice, () => ({
    ...(dice.often(95) && { id: dice.of(['R-1', 'R-2', 'R-3', 'R-4']) }),
    ...(dice.often(30) && { driver: dice.of([{ firstName: 'Bo' }, {}]) }),
    ...(dice.often(30) && { routeDate: dice.of(['2026-03-02T09:30:00Z', '2026-03-02T09:30:00Z', 'today']) }),
    ...(dice.often(90) && { jobs: drawList(dice, () => drawEntry(dice, drawStatus(dice))) }),
  })) as Fields[];
  return {
    method: 'POST',
    path: `${base(how)}/routes${how.isLater ? '' : '/batch'}`,
    body: { routes },
    expect: importRoutes(how, routes),
  };
}

interface RouteTaken {
  readonly order: number;
  readonly id: string;
  readonly fields: Fields;
  readonly jobs: readonly Taken[];
}

/** Routes one after another: one whose id is there fails under that, with all its jobs; else it has those that were taken. */
function importRoutes(how: Batch, routes: readonly Fields[]): Step['expect'] {
  return (state, requestId) => {
    const refused: Placed[] = [];
    const taken: RouteTaken[] = [];
    routes.forEach(({ jobs = [], ...fields }, place) => {
      const order = place * 100;
      if (idOf(fields) === '' || fields['routeDate'] === 'today') {
        refused.push({ order, id: idOf(fields), reason: anyText });
        return;
      }
      const own: Taken[] = [];
      (jobs as unknown[]).forEach((job, at) => {
        const read_ = read('inRoute', job);
        if (read_) own.push({ order: order + at + 1, id: idOf(job), fields: read_ });
        else refused.push({ order: order + at + 1, id: idOf(job), reason: anyText });
      });
      taken.push({ order, id: idOf(fields), fields, jobs: own });
    });
    const done: Taken[] = [];
    const run = (): readonly Placed[] => taken.flatMap((route) => importRoute(state, how, route, done));
    if (!how.isLater) {
      const failed = run();
      return { status: 200, body: result(state, 'jobs', how, done, [...refused, ...failed], false) };
    }
    const creates = taken.flatMap(({ id, jobs }) => [`routes ${id}`, ...jobs.map((job) => `jobs ${job.id}`)]);
    if (taken.length > 0) later(state, how, requestId, { type: 'routes.import.failed', creates, run });
    const accepted = taken.flatMap(({ jobs }) => jobs);
    return { status: 202, body: result(state, 'jobs', how, accepted, refused, false) };
  };
}

function importRoute(
  state: State,
  how: Batch,
  { order, id, fields, jobs }: RouteTaken,
  done: Taken[],
): readonly Placed[] {
  const mine: string[] = [];
  const scope = how.sub === undefined ? {} : { subProjectId: how.sub };
  const failed = put(state, 'routes', id, { ...fields, ...scope, jobs: mine });
  if (failed) return [{ order, ...failed }];
  return jobs.flatMap((job) => {
    const failures = importOne(state, 'jobs', how, job, { routeId: id });
    if (failures.length > 0) return failures;
    mine.push(job.id);
    done.push(job);
    return [];
  });
}
