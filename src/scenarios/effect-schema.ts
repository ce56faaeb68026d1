/** Defines the effects of a rule as zod schemas, one for each effect. */
import { z } from 'zod';
import { parseDuration } from '../lib/duration.ts';
import { duration, evenIfInvalid, isAtMost, text, wait, wholeNumber } from './schema-pieces.ts';
import { bodyFaults, callbackOrders, connectionFaults, signatureFaults, type Then } from './types.ts';

/** Headers that a rule may not set: a second value for body length or framing makes a response invalid HTTP. */
const framingHeaders: readonly string[] = ['content-length', 'transfer-encoding', 'trailer'];

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;
const maxCopies = 100;

/** The effects of a rule. A new effect needs its schema and a line here. */
const effects = {
  respond: respondEffect().exactOptional(),
  refuse: text.describe('The matched entries are refused in the response, with this reason').exactOptional(),
  fail: text.describe('The matched entries fail downstream, with this reason').exactOptional(),
  latency: latencyEffect().exactOptional(),
  limit: limitEffect().exactOptional(),
  connection: z
    .enum(connectionFaults)
    .describe(
      'Breaks the response: reset or close before any of it, hang until the client leaves, truncate after half of the body, drip a byte at a time',
    )
    .exactOptional(),
  callback: callbackEffect().exactOptional(),
};

/** Keys that modify an effect. */
const modifiers = {
  processed: z.boolean().describe('Whether the request takes effect before it is answered so').exactOptional(),
  after: duration.describe('How long after acceptance the entries fail').exactOptional(),
};

const effectsByModifier: Readonly<Record<keyof typeof modifiers, readonly (keyof typeof effects)[]>> = {
  processed: ['respond', 'connection'],
  after: ['fail'],
};

/** Schema of the `then` of a rule. */
export const thenSchema: z.ZodType<Then> = z
  .strictObject({ ...effects, ...modifiers })
  .superRefine(checkModifiers, evenIfInvalid)
  .refine((value) => Object.keys(effects).some((effect) => effect in value), {
    error: `no effect, expected at least one of ${Object.keys(effects).join(', ')}`,
    when: ({ issues }) => issues.length === 0,
  })
  .meta({
    description: 'What happens: one or several effects',
    anyOf: Object.keys(effects).map((effect) => ({ required: [effect] })),
    dependentSchemas: Object.fromEntries(
      Object.entries(effectsByModifier).map(([key, allowedEffects]) => [
        key,
        { anyOf: allowedEffects.map((effect) => ({ required: [effect] })) },
      ]),
    ),
  });

function checkModifiers(value: object, context: z.core.$RefinementCtx): void {
  for (const [key, allowedEffects] of Object.entries(effectsByModifier)) {
    if (!(key in value) || allowedEffects.some((effect) => effect in value)) continue;
    context.addIssue({ code: 'custom', path: [key], message: `${key} needs ${allowedEffects.join(' or ')} beside it` });
  }
}

/** Returns a case-insensitive regular expression for a word; those of JSON Schema have no flag for it. */
function toAnyCase(word: string): string {
  return word.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

function respondEffect() {
  const name = z
    .string()
    .regex(headerName, { error: 'expected the name of a header' })
    .refine((one) => !framingHeaders.includes(one.toLowerCase()), {
      error: `expected another header than ${framingHeaders.join(', ')}, which say how the body is sent`,
    })
    .meta({ not: { pattern: `^(${framingHeaders.map(toAnyCase).join('|')})$` } });
  const value = z.string().regex(headerValue, { error: 'expected a header in Latin letters on one line' });
  return z
    .strictObject({
      status: wholeNumber(200, 599).describe('The status of the answer'),
      headers: z.record(name, value).describe('Headers of the answer by name').exactOptional(),
      body: z.unknown().optional().describe('Any JSON value; left out, it is the usual body of that status'),
    })
    .describe('Answers so instead');
}

function latencyEffect() {
  return z
    .union([
      wait,
      z
        .strictObject({ min: wait.describe('The shortest'), max: wait.describe('The longest') })
        .refine(({ min, max }) => isAtMost(min, max), { error: 'max is below min', path: ['max'] })
        .describe('Evenly between two durations'),
      z
        .strictObject({
          median: wait.describe('Half of the requests wait longer'),
          p99: wait.describe('One request in a hundred waits longer'),
        })
        .refine(({ median, p99 }) => isAtMost(median, p99), {
          error: 'p99 is below median',
          path: ['p99'],
        })
        .describe('Long-tailed around a median'),
    ])
    .describe('Waits before answering');
}

function limitEffect() {
  return z
    .strictObject({
      requests: wholeNumber(0).describe('How many requests are let through'),
      per: duration
        .refine((value) => parseDuration(value) !== 0, { error: 'expected more than no time' })
        .describe('In which time, such as 1m'),
    })
    .describe('429 with `retry-after` beyond that rate, in a fixed window from its first request');
}

function callbackEffect() {
  return z
    .strictObject({
      delay: duration.describe('How much later it is sent').exactOptional(),
      copies: wholeNumber(2, maxCopies).describe('How often it is sent in all, with the same id').exactOptional(),
      order: z
        .enum(callbackOrders)
        .describe('Gathers callbacks for `delay`, or those of one instant, and turns them round')
        .exactOptional(),
      drop: z.literal(true, { error: 'expected true, or no drop at all' }).describe('Never sent').exactOptional(),
      signature: z
        .enum(signatureFaults)
        .describe('invalid: of another secret; missing: left out; stale: an hour old')
        .exactOptional(),
      body: z.enum(bodyFaults).describe('malformed: cut in the middle, so that it is no JSON').exactOptional(),
    })
    .superRefine(checkDisturbance, evenIfInvalid)
    .refine((value) => Object.keys(value).length > 0, {
      error: 'no disturbance, expected at least one of delay, copies, order, drop, signature, body',
      when: ({ issues }) => issues.length === 0,
    })
    .meta({
      description: 'Disturbs the callbacks of the request',
      minProperties: 1,
      dependentSchemas: { drop: { maxProperties: 1 } },
    });
}

function checkDisturbance(value: Readonly<Record<string, unknown>>, context: z.core.$RefinementCtx): void {
  if (!('drop' in value)) return;
  for (const key of Object.keys(value).filter((one) => one !== 'drop')) {
    context.addIssue({ code: 'custom', path: [key], message: `a dropped callback is never sent: leave ${key} out` });
  }
}
