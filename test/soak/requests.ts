/** Random requests to all operations, with what should come of each in its project. */
import { type Drawn, drawCount, drawFate, drawFlaw, foreseeList, foreseeOne, newId } from './entries.ts';
import { type Life, remember } from './life.ts';
import { drawLocations, drawUser } from './other-requests.ts';
import { drawRoutes } from './route-requests.ts';
import { nothing, type Wanted } from './step.ts';
import { baseOf, operationOf, type Source, spoilt, type Way } from './way.ts';

/** Any request to any operation. */
export function drawWanted(source: Source): Wanted {
  const { dice, life } = source;
  const kind = dice.below(100);
  const sub = dice.often(35) ? dice.of(['north', 'south']) : undefined;
  const way = { project: life.project, sub, isLater: dice.often(60) };
  if (kind < 10) return drawUser(source);
  if (kind < 24) return drawLocations(source);
  if (kind < 34) return drawRoutes(source, way);
  if (kind < 60) return drawRecords(source, way, 'orders');
  return drawRecords(source, way, 'jobs');
}

function drawRecords(source: Source, way: Way, kind: 'jobs' | 'orders'): Wanted {
  const draw = source.dice.below(100);
  if (draw < 45) return importList(source, way, kind);
  const isKnown = changeable(source.life, way, kind).length > 0;
  // Orders are changed one by one, and lists of jobs at once only outside of subprojects.
  if (draw < 65 && kind === 'jobs' && isKnown)
    return updateList(source, way.isLater ? way : { ...way, sub: undefined });
  if (draw < 82 && isKnown) return updateOne(source, way, kind);
  return kind === 'jobs' ? createOne(source, { ...way, isLater: false }) : importList(source, way, kind);
}

function importList({ dice, bodies, life }: Source, way: Way, kind: 'jobs' | 'orders'): Wanted {
  const isOfJobs = kind === 'jobs';
  const name = isOfJobs ? (way.isLater ? 'ImportJobs' : 'CreateJobs') : 'ImportOrders';
  const operation = operationOf(name, way);
  const known = life.known[kind];
  const flaw = drawFlaw(dice);
  const entries = Array.from({ length: drawCount(dice) }, (): Drawn => {
    const fate = drawFate(dice, life, flaw, known.stored.length > 0);
    // It is there already.
    return { fate, id: fate === 'impossible' ? dice.of(known.stored) : newId(life, fate) };
  });
  const body = isOfJobs ? (operation === 'syncCreateJobsInSubproject' ? 'plainJob' : 'job') : 'order';
  const list = entries.map(({ id, fate }) => (fate === 'bad' ? spoilt(bodies[body](id)) : bodies[body](id)));
  const { done, ...foreseen } = foreseeList(life, operation, entries);
  return {
    ...{ operation, method: 'POST', path: `${baseOf(way)}/${kind}${isOfJobs && !way.isLater ? '/batch' : ''}` },
    ...{ body: { [kind]: list }, foreseen, isSeen: true },
    took: () => remember(way.isLater ? known.accepted : known.stored, done),
  };
}

function updateList({ dice, bodies, life }: Source, way: Way): Wanted {
  const operation = operationOf('UpdateJobs', way);
  const ids = changeable(life, way, 'jobs');
  const flaw = drawFlaw(dice);
  const entries = Array.from({ length: drawCount(dice) }, (): Drawn => {
    const fate = drawFate(dice, life, flaw, true);
    // An id that is there, or one that is not, and so can't be changed.
    if (fate !== 'good') return { fate, id: newId(life, fate) };
    return { fate, id: dice.of(ids) };
  });
  const list = entries.map(({ id, fate }) => (fate === 'bad' ? spoilt(bodies.jobUpdate(id)) : bodies.jobUpdate(id)));
  const { done: _there, ...foreseen } = foreseeList(life, operation, entries);
  const path = `${baseOf(way)}/jobs${way.isLater ? '' : '/batch'}`;
  return { operation, method: 'PATCH', path, body: { jobs: list }, foreseen, isSeen: true, took: nothing };
}

/** Records that a request can count on: what is carried out later comes after what was accepted before. */
function changeable(life: Life, { isLater }: Way, kind: 'jobs' | 'orders'): readonly string[] {
  const { stored, accepted } = life.known[kind];
  return isLater ? [...stored, ...accepted] : stored;
}

function updateOne({ dice, bodies, life }: Source, way: Way, kind: 'jobs' | 'orders'): Wanted {
  const operation = operationOf(kind === 'jobs' ? 'UpdateJob' : 'UpdateOrder', way);
  const ids = changeable(life, way, kind);
  const isThere = dice.often(88);
  const id = isThere ? dice.of(ids) : newId(life, 'impossible');
  const isBad = dice.often(8);
  const isNamed = kind === 'jobs' && !way.isLater;
  const changes = kind === 'orders' ? bodies.orderChanges() : isNamed ? bodies.jobUpdate(id) : bodies.jobChanges();
  const path = `${baseOf(way)}/${kind}${isNamed ? '' : `/${id}`}`;
  const fate = isBad ? 'bad' : isThere ? 'good' : 'impossible';
  const later = { status: 202, failed: [], taken: 1, told: isThere ? [] : [[id]] };
  const foreseen = way.isLater && !isBad ? later : foreseeOne(fate, 200, 404);
  const body = isBad ? spoilt(changes) : changes;
  return { operation, method: 'PATCH', path, body, foreseen, isSeen: !isBad, took: nothing };
}

function createOne({ dice, bodies, life }: Source, way: Way): Wanted {
  const { stored } = life.known.jobs;
  const fate = drawFate(dice, life, drawFlaw(dice), stored.length > 0);
  const id = fate === 'impossible' ? dice.of(stored) : newId(life, fate);
  const body = fate === 'bad' ? spoilt(bodies.singleJob(id)) : bodies.singleJob(id);
  return {
    ...{ operation: operationOf('CreateJob', way), method: 'POST', path: `${baseOf(way)}/jobs`, body },
    ...{ foreseen: foreseeOne(fate, 201, 409), isSeen: fate !== 'bad' },
    took: () => remember(stored, fate === 'good' ? [id] : []),
  };
}
