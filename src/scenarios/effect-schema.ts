/** What a rule of a scenario can do, as zod schemas: one small piece for each effect. */
import { z } from 'zod';
import { duration, lengthOf, text, wait, wholeNumber } from './schema-pieces.ts';
import type { Then } from './types.ts';

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** The effects of a rule: a new one is its piece and a line here. */
const effects = {
  respond: respondEffect().exactOptional(),
  refuse: text.describe('The matched entries are refused in the response, with this reason').exactOptional(),
  fail: text.describe('The matched entries fail downstream, with this reason').exactOptional(),
  latency: latencyEffect().exactOptional(),
  callback: z.strictObject({ delay: duration }).describe('Delays the callbacks of the request').exactOptional(),
};

/** What stands beside an effect and changes it. */
const besides = {
  processed: z.boolean().describe('Whether the request takes effect before it is answered so').exactOptional(),
  after: duration.exactOptional(),
};

const besideOf: Readonly<Record<keyof typeof besides, readonly (keyof typeof effects)[]>> = {
  processed: ['respond'],
  after: ['fail'],
};

/** The `then` of a rule. */
export const thenSchema: z.ZodType<Then> = z
  .strictObject({ ...effects, ...besides })
  .superRefine(checkBesides, { when: ({ value }) => typeof value === 'object' && value !== null })
  .refine((value) => Object.keys(effects).some((effect) => effect in value), {
    error: `no effect, expected at least one of ${Object.keys(effects).join(', ')}`,
    when: ({ issues }) => issues.length === 0,
  })
  .meta({
    description: 'What happens: one or several effects',
    anyOf: Object.keys(effects).map((effect) => ({ required: [effect] })),
    dependentSchemas: Object.fromEntries(
      Object.entries(besideOf).map(([key, wanted]) => [
        key,
        { anyOf: wanted.map((effect) => ({ required: [effect] })) },
      ]),
    ),
  });

function checkBesides(value: object, context: z.core.$RefinementCtx): void {
  for (const [key, wanted] of Object.entries(besideOf)) {
    if (!(key in value) || wanted.some((effect) => effect in value)) continue;
    context.addIssue({ code: 'custom', path: [key], message: `${key} needs ${wanted.join(' or ')} beside it` });
  }
}

function respondEffect() {
  const name = z.string().regex(headerName, { error: 'expected the name of a header' });
  const value = z.string().regex(headerValue, { error: 'expected a header in Latin letters on one line' });
  return z
    .strictObject({
      status: wholeNumber(200, 599),
      headers: z.record(name, value).exactOptional(),
      body: z.unknown().optional().describe('Any JSON value; left out, it is the usual body of that status'),
    })
    .describe('Answers so instead');
}

function latencyEffect() {
  return z
    .union([
      wait,
      z
        .strictObject({ min: wait, max: wait })
        .refine(({ min, max }) => lengthOf(min) <= lengthOf(max), { error: 'max is below min', path: ['max'] })
        .describe('Evenly between two durations'),
      z
        .strictObject({ median: wait, p99: wait })
        .refine(({ median, p99 }) => lengthOf(median) <= lengthOf(p99), {
          error: 'p99 is below median',
          path: ['p99'],
        })
        .describe('Long-tailed: half of the requests wait longer than median, one in a hundred longer than p99'),
    ])
    .describe('Waits before answering');
}
