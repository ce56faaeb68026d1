/**
 * `limit`: rejects requests beyond a rate, in a fixed window of the project clock that begins with its first request.
 */
import { toRetryAfter } from '../../lib/clock.ts';
import { parseDuration } from '../../lib/duration.ts';
import type { EffectDefinition } from './definition.ts';

/** A maximum number of requests per duration. The duration begins with the first request. */
export interface Limit {
  readonly requests: number;
  readonly per: string;
}

export interface LimitKeys {
  readonly limit?: Limit;
}

export const limit: EffectDefinition<LimitKeys> = {
  kind: 'limit',
  scope: 'request',
  schemas: ({ z, duration, wholeNumber }) => ({
    limit: z
      .strictObject({
        requests: wholeNumber(0).describe('Maximum number of requests per window'),
        per: duration
          .refine((value) => parseDuration(value) !== 0, { error: 'expected a duration longer than 0' })
          .describe('Length of the window, such as 1m'),
      })
      .describe(
        'Responds with 429 and `retry-after` above this rate, in a fixed window that begins with its first request',
      ),
  }),
  compile: ({ limit: rate }) => {
    if (!rate) return undefined;
    const perMs = parseDuration(rate.per) ?? 0;
    return (plan, { count, now, clockRate }) => {
      if (plan.limit) return 'outdone';
      if (!count.window || now >= count.window.from + perMs) count.window = { from: now, used: 0 };
      const { window } = count;
      window.used += 1;
      const isBeyond = window.used > rate.requests;
      plan.limit = { retryAfter: isBeyond ? toRetryAfter(window.from + perMs - now, clockRate) : undefined };
      return isBeyond ? 'acted' : 'idle';
    };
  },
  idleReason: 'the request is within the limit',
  failures: () => [
    {
      kind: 'limit',
      about: 'the second request within ten seconds of the project clock gets a 429 with `retry-after`',
      effect: '{ limit: { requests: 1, per: 10s } }',
      expects: 'recovery',
      // On a frozen clock, the window would end with an advance that the client does not make.
      caseEffect: (clockRate) =>
        clockRate === 0 ? undefined : `{ limit: { requests: 1, per: ${Math.ceil(caseWindowMs * clockRate)}ms } }`,
      caseAbout: 'the second request within a second gets a 429 with `retry-after`',
      does: (observed) => observed.limit !== undefined,
    },
  ],
};

/** Length of the window in a case, in milliseconds of real time. */
const caseWindowMs = 1000;
