/** Finds the numbers and durations of a rule that can be lower. */
import { parseDuration } from '../../../lib/duration.ts';
import type { Then } from '../../../scenarios/effects/index.ts';
import type { Latency } from '../../../scenarios/effects/latency.ts';
import type { When } from '../../../scenarios/types.ts';
import type { NamedRule } from '../attempt.ts';
import { toRule } from './simplify.ts';

/** A number in a rule. */
export interface RuleNumber {
  readonly value: number;
  readonly minimum: number;
  /** Returns the rule with another number. */
  replace(number: number): NamedRule;
}

/** A duration in a rule, in milliseconds. */
export interface RuleDuration {
  readonly ms: number;
  /** Whether the rule can make sense without a wait, so that none is tried first. */
  readonly canBeNone: boolean;
  replace(ms: number): NamedRule;
}

/** Finders of numbers, in the order in which they are lowered. */
export const numberFinders: readonly ((rule: NamedRule) => RuleNumber | undefined)[] = [
  findLength,
  (rule) => {
    const { request } = rule.when ?? {};
    if (!request || !('from' in request)) return undefined;
    const { from, to } = request;
    const move = (number: number) => ({ from: number, ...(to !== undefined && { to: to - from + number }) });
    return { value: from, minimum: 1, replace: (number) => withWhen(rule, { request: move(number) }) };
  },
  (rule) => {
    const { request } = rule.when ?? {};
    if (!request || !('nth' in request)) return undefined;
    return { value: request.nth, minimum: 1, replace: (nth) => withWhen(rule, { request: { nth } }) };
  },
  (rule) => {
    const { during } = rule.when ?? {};
    if (!during || !('afterRequests' in during)) return undefined;
    const replace = (afterRequests: number): NamedRule => withWhen(rule, { during: { ...during, afterRequests } });
    return { value: during.afterRequests, minimum: 1, replace };
  },
  (rule) =>
    rule.times === undefined
      ? undefined
      : { value: rule.times, minimum: 1, replace: (times) => toRule(rule, { times }) },
  (rule) => {
    const { item } = rule.when ?? {};
    if (typeof item !== 'number') return undefined;
    return { value: item, minimum: 1, replace: (number) => withWhen(rule, { item: number }) };
  },
  (rule) => {
    const { callback } = rule.then;
    if (callback?.copies === undefined) return undefined;
    const replace = (copies: number): NamedRule => withThen(rule, { callback: { ...callback, copies } });
    return { value: callback.copies, minimum: 2, replace };
  },
];

/** Finds how many requests follow the first one of a range. */
function findLength(rule: NamedRule): RuleNumber | undefined {
  const { request } = rule.when ?? {};
  if (!request || !('from' in request) || request.to === undefined) return undefined;
  const { from, to } = request;
  return {
    value: to - from,
    minimum: 0,
    replace: (more) => withWhen(rule, { request: more === 0 ? { nth: from } : { from, to: from + more } }),
  };
}

/** Returns a rule for one request, or one entry, instead of each nth one or all later ones. */
export const singleForms: readonly ((rule: NamedRule) => NamedRule | undefined)[] = [
  (rule) => {
    const { request } = rule.when ?? {};
    if (!request || 'nth' in request || ('from' in request && request.to !== undefined)) return undefined;
    return withWhen(rule, { request: { nth: 'from' in request ? request.from : request.every } });
  },
  (rule) => {
    const { item } = rule.when ?? {};
    if (typeof item !== 'object' || !('every' in item)) return undefined;
    // Lists have a function of this name.
    const { every } = item;
    return typeof every === 'number' ? withWhen(rule, { item: every }) : undefined;
  },
];

/** Finders of durations, in the order in which they are shortened. */
export const durationFinders: readonly ((rule: NamedRule) => RuleDuration | undefined)[] = [
  (rule) => findSpan(rule, 'for'),
  (rule) => findSpan(rule, 'after'),
  (rule) => toDurationOf(rule.then.after, true, (after) => withThen(rule, { after })),
  (rule) => {
    const { callback } = rule.then;
    return toDurationOf(callback?.delay, true, (delay) => withThen(rule, { callback: { ...callback, delay } }));
  },
  (rule) => toDurationOf(toLongest(rule.then.latency), false, (latency) => withThen(rule, { latency })),
];

function findSpan(rule: NamedRule, key: 'for' | 'after'): RuleDuration | undefined {
  const { during } = rule.when ?? {};
  const text = during === undefined ? undefined : (during as { readonly [Key in 'for' | 'after']?: string })[key];
  return toDurationOf(text, true, (shorter) => withWhen(rule, { during: { ...during, [key]: shorter } }));
}

/** A random delay becomes one that is always as long. */
function toLongest(latency: Latency | undefined): string | undefined {
  if (latency === undefined || typeof latency === 'string') return latency;
  return 'max' in latency ? latency.max : latency.p99;
}

function toDurationOf(
  text: string | undefined,
  canBeNone: boolean,
  replace: (duration: string) => NamedRule,
): RuleDuration | undefined {
  const ms = text === undefined ? undefined : parseDuration(text);
  if (ms === undefined) return undefined;
  return { ms, canBeNone, replace: (shorter) => replace(toDuration(shorter)) };
}

function toDuration(ms: number): string {
  return ms > 0 && ms < 1000 ? `${ms}ms` : `${ms / 1000}s`;
}

export function withWhen(rule: NamedRule, changed: When): NamedRule {
  return toRule(rule, { when: { ...rule.when, ...changed } });
}

function withThen(rule: NamedRule, changed: Then): NamedRule {
  return toRule(rule, { then: { ...rule.then, ...changed } });
}
