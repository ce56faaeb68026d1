/** `callback`: disturbs the callbacks of the matched requests, or only those that name a matched entry. */
import type { ZodType, z } from 'zod';
import { parseDuration } from '../../lib/duration.ts';
import type { SchemaPieces } from '../schema-pieces.ts';
import type { EffectDefinition } from './definition.ts';
import {
  bodyFaults,
  type CallbackEffect,
  type CallbackRule,
  callbackOrders,
  type EffectFailure,
  type Plan,
  signatureFaults,
} from './effect.ts';
import { exampleFailure } from './fail.ts';

export interface CallbackKeys {
  readonly callback?: CallbackEffect;
}

export const callback: EffectDefinition<CallbackKeys> = {
  kind: 'callback',
  scope: 'callback',
  schemas: (pieces) => ({ callback: toCallbackSchema(pieces) }),
  compile: ({ callback: disturbed }) => {
    if (!disturbed) return undefined;
    const { delay, ...rest } = disturbed;
    const fault = { ...rest, delayMs: delay === undefined ? 0 : (parseDuration(delay) ?? 0) };
    return (plan, { callbackRule }) => {
      // A rule that counts callbacks decides only when a callback is due, so it does not exclude later rules.
      if (!callbackRule.countsCallbacks && !claimEntries(plan, callbackRule)) return 'outdone';
      plan.callbackRules.push({ ...callbackRule, fault });
      return 'acted';
    };
  },
  failures: () => [
    {
      ...toFailure('delay', 'delay: 1m', 'is a minute late', 'recovery'),
      caseEffect: (clockRate) => (clockRate === 0 ? undefined : toEffect(`delay: ${toCaseDelay(clockRate)}`)),
      caseAbout: 'a callback is two seconds late',
      does: ({ callback: disturbed }) => disturbed?.delay !== undefined && !disturbed.order,
    },
    {
      ...toFailure('copies', 'copies: 3', 'is sent three times', 'recovery'),
      does: ({ callback: disturbed }) => disturbed?.copies !== undefined && !disturbed.order,
    },
    ...callbackOrders.map((wanted): EffectFailure => {
      const inOrder = `in ${wanted === 'reverse' ? 'reverse' : 'random'} order`;
      const about = `is sent with the others of five seconds, ${inOrder}`;
      const order = `order: ${wanted}`;
      return {
        ...toFailure(`order-${wanted}`, `${order}, delay: 5s`, about, 'recovery'),
        // On a frozen clock, a delay would wait for an advance that the client does not make.
        caseEffect: (clockRate) => toEffect(clockRate === 0 ? order : `${order}, delay: ${toCaseDelay(clockRate)}`),
        caseAbout: `callbacks of the same two seconds are sent ${inOrder}`,
        does: ({ callback: disturbed }) => disturbed?.order === wanted,
      };
    }),
    {
      ...toFailure('drop', 'drop: true', 'is never sent', 'report'),
      does: ({ callback: disturbed }) => disturbed?.drop === true,
    },
    ...signatureFaults.map(
      (wanted): EffectFailure => ({
        ...toFailure(`signature-${wanted}`, `signature: ${wanted}`, signatureDescriptions[wanted], 'report'),
        does: ({ callback: disturbed }) => disturbed?.signature === wanted,
      }),
    ),
    ...bodyFaults.map(
      (wanted): EffectFailure => ({
        ...toFailure(`body-${wanted}`, `body: ${wanted}`, 'is cut in the middle', 'report'),
        does: ({ callback: disturbed }) => disturbed?.body === wanted,
      }),
    ),
  ],
};

/** Claims the entries whose callbacks a rule disturbs. Returns false if earlier rules have claimed all of them. */
function claimEntries(plan: Plan, { items }: Pick<CallbackRule, 'items'>): boolean {
  const { disturbed = new Set() } = plan;
  if (disturbed === 'all') return false;
  if (!items) {
    plan.disturbed = 'all';
    return true;
  }
  const before = disturbed.size;
  for (const item of items) disturbed.add(item);
  plan.disturbed = disturbed;
  return disturbed.size > before;
}

const signatureDescriptions: Readonly<Record<(typeof signatureFaults)[number], string>> = {
  invalid: 'is signed with another secret',
  missing: 'is not signed',
  stale: 'was signed an hour ago',
};

/**
 * Creates a kind of callback disturbance. An entry fails as well, so that there is a callback; a case disturbs a callback
 * that the client gets anyway.
 */
function toFailure(
  name: string,
  disturbance: string,
  about: string,
  expects: EffectFailure['expects'],
): Omit<EffectFailure, 'does'> {
  return {
    kind: `callback-${name}`,
    about: `an entry fails downstream, and its callback ${about}`,
    effect: `{ ${exampleFailure}, callback: { ${disturbance} } }`,
    expects,
    caseEffect: () => toEffect(disturbance),
  };
}

function toEffect(disturbance: string): string {
  return `{ callback: { ${disturbance} } }`;
}

/** Delay of a callback in a case, in milliseconds of real time: later than clients expect it, but not by much. */
const caseDelayMs = 2000;

function toCaseDelay(clockRate: number): string {
  return `${Math.ceil(caseDelayMs * clockRate)}ms`;
}

const maxCopies = 100;

function toCallbackSchema({ z, duration, wholeNumber, evenIfInvalid }: SchemaPieces): ZodType<CallbackEffect> {
  return z
    .strictObject({
      delay: duration.describe('Delay before the callback is sent').exactOptional(),
      copies: wholeNumber(2, maxCopies).describe('Total number of deliveries, all with the same id').exactOptional(),
      order: z
        .enum(callbackOrders)
        .describe('Collects callbacks for `delay`, or without it those of the same time, and sends them in this order')
        .exactOptional(),
      drop: z.literal(true, { error: 'expected true' }).describe('Never sends the callback').exactOptional(),
      signature: z
        .enum(signatureFaults)
        .describe('invalid: signed with another secret; missing: not signed; stale: signed an hour ago')
        .exactOptional(),
      body: z.enum(bodyFaults).describe('malformed: cut in the middle, so that it is not valid JSON').exactOptional(),
    })
    .superRefine(checkDropped, evenIfInvalid)
    .refine((value) => Object.keys(value).length > 0, {
      error: 'no disturbance, expected at least one of delay, copies, order, drop, signature, body',
      when: ({ issues }) => issues.length === 0,
    })
    .meta({
      description: 'Disturbs the callbacks of the request; with `item`, those that name such an entry',
      minProperties: 1,
      dependentSchemas: { drop: { maxProperties: 1 } },
    });
}

function checkDropped(value: Readonly<Record<string, unknown>>, context: z.core.$RefinementCtx): void {
  if (!('drop' in value)) return;
  for (const key of Object.keys(value).filter((one) => one !== 'drop')) {
    context.addIssue({ code: 'custom', path: [key], message: `a dropped callback is never sent: remove "${key}"` });
  }
}
