/** Random requests to all operations, with the expected result of each in its project. */
import { type Target, toEndpoint } from '../model/endpoints.ts';
import { type Drawn, drawCount, drawFate, drawFlaw, expectList, expectOne, newId } from './entries.ts';
import { type Life, remember } from './life.ts';
import { drawLocations, drawUser } from './other-requests.ts';
import { drawRoutes } from './route-requests.ts';
import { type Source, spoilt } from './source.ts';
import { nothing, type Wanted } from './step.ts';

/** Any request to any operation. */
export function drawWanted(source: Source): Wanted {
  const { dice, life } = source;
  const kind = dice.below(100);
  const sub = dice.often(35) ? dice.of(['north', 'south']) : undefined;
  const target = { project: life.project, sub, isLater: dice.often(60) };
  if (kind < 10) return drawUser(source);
  if (kind < 24) return drawLocations(source);
  if (kind < 34) return drawRoutes(source, target);
  if (kind < 60) return drawRecords(source, target, 'orders');
  return drawRecords(source, target, 'jobs');
}

function drawRecords(source: Source, target: Target, kind: 'jobs' | 'orders'): Wanted {
  const draw = source.dice.below(100);
  if (draw < 45) return importList(source, target, kind);
  const isKnown = changeable(source.life, target, kind).length > 0;
  // No operation updates a list of orders.
  if (draw < 65 && kind === 'jobs' && isKnown) return updateList(source, target);
  if (draw < 82 && isKnown) return updateOne(source, target, kind);
  return kind === 'jobs' ? createOne(source, target) : importList(source, target, kind);
}

function importList({ dice, bodies, life }: Source, target: Target, kind: 'jobs' | 'orders'): Wanted {
  const isOfJobs = kind === 'jobs';
  const { operation, method, path } = toEndpoint(isOfJobs ? 'importJobs' : 'importOrders', target);
  const known = life.known[kind];
  const flaw = drawFlaw(dice);
  const entries = Array.from({ length: drawCount(dice) }, (): Drawn => {
    const fate = drawFate(dice, life, flaw, known.stored.length > 0);
    // It is there already.
    return { fate, id: fate === 'impossible' ? dice.of(known.stored) : newId(life, fate) };
  });
  const body = isOfJobs ? (operation === 'syncCreateJobsInSubproject' ? 'plainJob' : 'job') : 'order';
  const list = entries.map(({ id, fate }) => (fate === 'bad' ? spoilt(bodies[body](id)) : bodies[body](id)));
  const { done, ...expected } = expectList(life, operation, entries);
  return {
    ...{ operation, method, path, body: { [kind]: list }, expected, isSeen: true },
    onApplied: () => remember(target.isLater ? known.accepted : known.stored, done),
  };
}

function updateList({ dice, bodies, life }: Source, target: Target): Wanted {
  const { operation, method, path } = toEndpoint('updateJobs', target);
  const ids = changeable(life, target, 'jobs');
  const flaw = drawFlaw(dice);
  const entries = Array.from({ length: drawCount(dice) }, (): Drawn => {
    const fate = drawFate(dice, life, flaw, true);
    // An id that is there, or one that is not, and so can't be changed.
    if (fate !== 'good') return { fate, id: newId(life, fate) };
    return { fate, id: dice.of(ids) };
  });
  const list = entries.map(({ id, fate }) => (fate === 'bad' ? spoilt(bodies.jobUpdate(id)) : bodies.jobUpdate(id)));
  const { done: _there, ...expected } = expectList(life, operation, entries);
  return { operation, method, path, body: { jobs: list }, expected, isSeen: true, onApplied: nothing };
}

/** Records that a request can count on: what is carried out later comes after what was accepted before. */
function changeable(life: Life, { isLater }: Target, kind: 'jobs' | 'orders'): readonly string[] {
  const { stored, accepted } = life.known[kind];
  return isLater ? [...stored, ...accepted] : stored;
}

function updateOne({ dice, bodies, life }: Source, target: Target, kind: 'jobs' | 'orders'): Wanted {
  const ids = changeable(life, target, kind);
  const isThere = dice.often(88);
  const id = isThere ? dice.of(ids) : newId(life, 'impossible');
  const isBad = dice.often(8);
  const isNamed = kind === 'jobs' && !target.isLater;
  const changes = kind === 'orders' ? bodies.orderChanges() : isNamed ? bodies.jobUpdate(id) : bodies.jobChanges();
  const { operation, method, path } = toEndpoint(kind === 'jobs' ? 'updateJob' : 'updateOrder', target, id);
  const fate = isBad ? 'bad' : isThere ? 'good' : 'impossible';
  const later = { status: 202, failed: [], accepted: 1, callbacks: isThere ? [] : [[id]] };
  const expected = target.isLater && !isBad ? later : expectOne(fate, 200, 404);
  const body = isBad ? spoilt(changes) : changes;
  return { operation, method, path, body, expected, isSeen: !isBad, onApplied: nothing };
}

function createOne({ dice, bodies, life }: Source, target: Target): Wanted {
  const { stored } = life.known.jobs;
  const fate = drawFate(dice, life, drawFlaw(dice), stored.length > 0);
  const id = fate === 'impossible' ? dice.of(stored) : newId(life, fate);
  const body = fate === 'bad' ? spoilt(bodies.singleJob(id)) : bodies.singleJob(id);
  const { operation, method, path } = toEndpoint('createJob', target);
  return {
    ...{ operation, method, path, body },
    ...{ expected: expectOne(fate, 201, 409), isSeen: fate !== 'bad' },
    onApplied: () => remember(stored, fate === 'good' ? [id] : []),
  };
}
