/** Random routes with their jobs, and what should come of them. */
import type { Json } from '../../src/lib/json.ts';
import { type Drawn, drawCount, drawFate, drawFlaw, foreseeList, newId } from './entries.ts';
import { remember } from './life.ts';
import type { Wanted } from './step.ts';
import { baseOf, operationOf, type Source, spoilt, type Way } from './way.ts';

interface DrawnRoute {
  readonly id: string;
  /** It is there already, so that it fails under its own id, with all its jobs. */
  readonly isThere: boolean;
  readonly jobs: readonly Drawn[];
}

export function drawRoutes({ dice, bodies, life }: Source, way: Way): Wanted {
  const operation = operationOf(way.isLater ? 'ImportRoutes' : 'CreateRoutes', way);
  const known = life.known.routes;
  const flaw = drawFlaw(dice);
  const routes = Array.from({ length: 1 + dice.below(3) }, (): DrawnRoute => {
    const isThere = known.stored.length > 0 && dice.often(6);
    const jobs = Array.from({ length: Math.min(40, drawCount(dice)) }, (): Drawn => {
      const fate = isThere ? 'good' : drawFate(dice, life, flaw, false);
      return { fate, id: newId(life, fate) };
    });
    return { id: isThere ? dice.of(known.stored) : life.nextId('R'), isThere, jobs };
  });
  const made = routes.filter(({ isThere }) => !isThere).map(({ id }) => id);
  const body = { routes: routes.map((route) => toBody(bodies.route(route.id), route)) };
  const path = `${baseOf(way)}/routes${way.isLater ? '' : '/batch'}`;
  const foreseen = foreseeRoutes({ life, dice, bodies }, way, routes);
  return {
    ...{ operation, method: 'POST', path, body, foreseen, isSeen: true },
    took: () => remember(way.isLater ? known.accepted : known.stored, made),
  };
}

function toBody(sample: Json, { jobs }: DrawnRoute): Json {
  const samples = sample['jobs'] as readonly Json[];
  const own = jobs.map(({ id, fate }, place) => {
    const job = { ...samples[place % samples.length], id };
    return fate === 'bad' ? spoilt(job) : job;
  });
  return { ...sample, jobs: own };
}

/** As for a list of all their jobs, but for the routes that are there: each fails in the place of its jobs. */
function foreseeRoutes({ life }: Source, way: Way, routes: readonly DrawnRoute[]): Wanted['foreseen'] {
  const operation = operationOf(way.isLater ? 'ImportRoutes' : 'CreateRoutes', way);
  const entries = routes.flatMap(({ id, isThere, jobs }): readonly Drawn[] =>
    isThere ? [{ id, fate: 'impossible' }] : jobs,
  );
  const { done: _all, ...foreseen } = foreseeList(life, operation, entries);
  const inThere = routes.filter(({ isThere }) => isThere);
  const jobsInThere = inThere.reduce((sum, { jobs }) => sum + jobs.length, 0);
  // Of a route that fails later, it is its jobs that were taken, and not itself.
  const more = way.isLater ? jobsInThere - inThere.length : 0;
  return { ...foreseen, taken: (foreseen.taken ?? 0) + more };
}
