/** `latency`: delays the response by a fixed time or a random one. */
import type { ZodType } from 'zod';
import { parseDuration } from '../../lib/duration.ts';
import type { SchemaPieces } from '../schema-pieces.ts';
import type { EffectDefinition } from './definition.ts';
import type { EffectContext } from './effect.ts';

/** A delay, as durations: exact, uniformly distributed between two, or long-tailed around a median. */
export type Latency =
  | string
  | { readonly min: string; readonly max: string }
  | { readonly median: string; readonly p99: string };

export interface LatencyKeys {
  readonly latency?: Latency;
}

export const latency: EffectDefinition<LatencyKeys> = {
  kind: 'latency',
  scope: 'request',
  schemas: (pieces) => ({ latency: toLatencySchema(pieces) }),
  compile: ({ latency: delay }) => {
    if (delay === undefined) return undefined;
    const draw = compileDraw(delay);
    return (plan, context) => {
      if (plan.latencyMs !== undefined) return 'outdone';
      plan.latencyMs = draw(context);
      return 'acted';
    };
  },
  failures: () => [
    {
      kind: 'latency',
      about: 'the response is a second late',
      effect: '{ latency: 1s }',
      expects: 'recovery',
      does: ({ latency: delay, respond, callback }) => delay !== undefined && !respond && !callback,
    },
  ],
};

function toLatencySchema({ z, wait, isAtMost }: SchemaPieces): ZodType<Latency> {
  return z
    .union([
      wait,
      z
        .strictObject({ min: wait.describe('Minimum delay'), max: wait.describe('Maximum delay') })
        .refine(({ min, max }) => isAtMost(min, max), { error: '"max" must not be less than "min"', path: ['max'] })
        .describe('Random, uniformly distributed between two durations'),
      z
        .strictObject({
          median: wait.describe('Half of the requests wait longer'),
          p99: wait.describe('One request in a hundred waits longer'),
        })
        .refine(({ median, p99 }) => isAtMost(median, p99), {
          error: '"p99" must not be less than "median"',
          path: ['p99'],
        })
        .describe('Random, long-tailed around a median'),
    ])
    .describe('Delays the response');
}

/** Distance of the 99th percentile from the mean of a normal distribution, in standard deviations. */
const p99Deviations = 2.326347874;

/** Maximum delay, the same as in a scenario file. The tail of a distribution is unbounded, but a timer is not. */
const maxMs = 600_000;

function compileDraw(latency: Latency): (context: EffectContext) => number {
  if (typeof latency === 'string') {
    const ms = toMs(latency);
    return () => ms;
  }
  if ('min' in latency) {
    const min = toMs(latency.min);
    const span = toMs(latency.max) - min;
    return ({ random, count }) => min + span * random.fraction(`latency:${count.met}`);
  }
  // The logarithm of 0 is undefined.
  const median = Math.max(1, toMs(latency.median));
  const sigma = Math.log(Math.max(median, toMs(latency.p99)) / median) / p99Deviations;
  return ({ random, count }) => {
    // Box-Muller transform: two uniform values give a normal one; its exponential is skewed like real latencies.
    const radius = Math.sqrt(-2 * Math.log(1 - random.fraction(`radius:${count.met}`)));
    const normal = radius * Math.cos(2 * Math.PI * random.fraction(`angle:${count.met}`));
    return Math.min(maxMs, median * Math.exp(sigma * normal));
  };
}

function toMs(duration: string): number {
  return parseDuration(duration) ?? 0;
}
