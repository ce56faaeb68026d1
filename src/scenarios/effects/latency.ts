/** `latency`: waits before answering, a fixed time or one drawn from a distribution. */
import { parseDuration } from '../../base/duration.ts';
import type { Latency, Then } from '../types.ts';
import type { Effect, Occasion } from './effect.ts';

export function compileLatency({ latency }: Then): Effect | undefined {
  if (latency === undefined) return undefined;
  const draw = compileDraw(latency);
  return {
    kind: 'latency',
    apply: (plan, occasion) => {
      if (plan.latencyMs !== undefined) return 'outdone';
      plan.latencyMs = draw(occasion);
      return 'acted';
    },
  };
}

/** How far the 99th of a hundred lies from the middle of a normal distribution, in standard deviations. */
const p99Deviations = 2.326347874;

/** The longest that a file may ask for; the tail of a distribution has no end, and a timer's range has. */
const longestMs = 600_000;

function compileDraw(latency: Latency): (occasion: Occasion) => number {
  if (typeof latency === 'string') {
    const ms = toMs(latency);
    return () => ms;
  }
  if ('min' in latency) {
    const min = toMs(latency.min);
    const span = toMs(latency.max) - min;
    return ({ random, count }) => min + span * random.fraction(`latency:${count.met}`);
  }
  // No logarithm is that of nothing.
  const median = Math.max(1, toMs(latency.median));
  const sigma = Math.log(Math.max(median, toMs(latency.p99)) / median) / p99Deviations;
  return ({ random, count }) => {
    // Box and Muller: two even draws make one of the normal distribution; its exponential is skewed as waits are.
    const radius = Math.sqrt(-2 * Math.log(1 - random.fraction(`radius:${count.met}`)));
    const normal = radius * Math.cos(2 * Math.PI * random.fraction(`angle:${count.met}`));
    return Math.min(longestMs, median * Math.exp(sigma * normal));
  };
}

function toMs(duration: string): number {
  return parseDuration(duration) ?? 0;
}
