/** Lists simpler forms of a rule: without a condition or an effect, and with fewer operations. */
import type { CallbackEffect } from '../../../scenarios/effects/effect.ts';
import type { Then } from '../../../scenarios/effects/index.ts';
import type { Rule } from '../../../scenarios/types.ts';
import type { NamedRule } from '../attempt.ts';

/** Returns the rule for only these operations; undefined if it has no others. */
export function narrowOperations(rule: NamedRule, operations: readonly string[]): NamedRule | undefined {
  if (operations.length === 0) return undefined;
  const operation = operations.length === 1 ? (operations[0] as string) : operations;
  const { operation: before, ...others } = rule.when ?? {};
  if (JSON.stringify(before) === JSON.stringify(operation)) return undefined;
  return toRule(rule, { when: { operation, ...others } });
}

/** Returns simpler forms, of which each replaces the rule if the command still fails. Some may be invalid. */
export function simplerForms(rule: NamedRule): readonly ((current: NamedRule) => NamedRule | undefined)[] {
  const effects = Object.keys(rule.then) as (keyof Then)[];
  return [
    (current) => (current.when?.during ? toRule(current, { when: without(current.when, 'during') }) : undefined),
    (current) => (current.chance === undefined ? undefined : without(current, 'chance')),
    ...(effects.length > 1 ? effects.map((key) => toWithoutEffect(key)) : []),
    withoutResponseDetails,
    ...Object.keys(rule.then.callback ?? {}).map((key) => toWithoutDisturbance(key as keyof CallbackEffect)),
  ];
}

const toWithoutEffect =
  (key: keyof Then) =>
  (rule: NamedRule): NamedRule =>
    toRule(rule, { then: without(rule.then, key) });

function withoutResponseDetails(rule: NamedRule): NamedRule | undefined {
  const { respond } = rule.then;
  if (!respond || Object.keys(respond).length === 1) return undefined;
  return toRule(rule, { then: { ...rule.then, respond: { status: respond.status } } });
}

const toWithoutDisturbance =
  (key: keyof CallbackEffect) =>
  (rule: NamedRule): NamedRule | undefined => {
    const { callback = {} } = rule.then;
    const rest = without(callback, key);
    return Object.keys(rest).length === 0 ? undefined : toRule(rule, { then: { ...rule.then, callback: rest } });
  };

function without<Value extends object, Key extends keyof Value>(value: Value, key: Key): Omit<Value, Key> {
  const { [key]: _removed, ...rest } = value;
  return rest;
}

/** Changes a rule, and removes conditions that became empty. */
export function toRule(rule: NamedRule, changed: Pick<Partial<Rule>, 'when' | 'then' | 'times'>): NamedRule {
  const { when, ...rest } = { ...rule, ...changed };
  return when && Object.keys(when).length > 0 ? { ...rest, when } : rest;
}
