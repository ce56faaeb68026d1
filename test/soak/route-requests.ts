/** Random routes with their jobs, and their expected results. */
import type { Json } from '../../src/lib/json.ts';
import { type Endpoint, type Target, toEndpoint } from '../model/endpoints.ts';
import { type Drawn, drawCount, drawFate, drawFlaw, expectList, newId } from './entries.ts';
import { type Life, remember } from './life.ts';
import { type Source, spoilt } from './source.ts';
import type { Wanted } from './step.ts';

interface DrawnRoute {
  readonly id: string;
  /** Whether it exists already, so that it fails under its own id, with all its jobs. */
  readonly isThere: boolean;
  readonly jobs: readonly Drawn[];
}

export function drawRoutes({ dice, bodies, life }: Source, target: Target): Wanted {
  const endpoint = toEndpoint('importRoutes', target);
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
  const { operation, method, path } = endpoint;
  const expected = expectRoutes(life, endpoint, routes);
  return {
    ...{ operation, method, path, body, expected, isSeen: true },
    onApplied: () => remember(target.isLater ? known.accepted : known.stored, made),
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

/** Expects the same as for a list of all jobs, but each existing route fails in place of its jobs. */
function expectRoutes(life: Life, { operation, isLater }: Endpoint, routes: readonly DrawnRoute[]): Wanted['expected'] {
  const entries = routes.flatMap(({ id, isThere, jobs }): readonly Drawn[] =>
    isThere ? [{ id, fate: 'impossible' }] : jobs,
  );
  const { done: _all, ...expected } = expectList(life, operation, entries);
  const inThere = routes.filter(({ isThere }) => isThere);
  const jobsInThere = inThere.reduce((sum, { jobs }) => sum + jobs.length, 0);
  // The jobs of a route that fails later are accepted; the route itself is not counted.
  const more = isLater ? jobsInThere - inThere.length : 0;
  return { ...expected, accepted: (expected.accepted ?? 0) + more };
}
