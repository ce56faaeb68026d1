/** `latency`: delays the response by a fixed time or a random one. */
import { parseDuration } from '../../lib/duration.ts';
import type { Latency, Then } from '../types.ts';
import type { Effect, EffectContext } from './effect.ts';

export function compileLatency({ latency }: Then): Effect | undefined {
  if (latency === undefined) return undefined;
  const draw = compileDraw(latency);
  return {
    kind: 'latency',
    apply: (plan, context) => {
      if (plan.latencyMs !== undefined) return 'outdone';
      plan.latencyMs = draw(context);
      return 'acted';
    },
  };
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
