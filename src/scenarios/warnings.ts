/** Finds rules of a valid scenario that can never fire. Reports only what no profile and no option can change. */
import { show } from '../diagnostics/issue-message.ts';
import type { Path } from '../diagnostics/yaml-nodes.ts';
import { parseDuration } from '../lib/duration.ts';
import { statusesWithoutBody } from '../lib/problem.ts';
import { type Operation, type OperationId, operationIds, operations } from '../operations/index.ts';
import { effects } from './effects/index.ts';
import { matchesAny, toGlobs } from './glob.ts';
import {
  type Globs,
  type ItemCondition,
  type RequestCondition,
  type Rule,
  type Scenario,
  toRuleName,
} from './types.ts';

/** A warning about the value at a path of the scenario. */
interface Warning {
  readonly path: Path;
  readonly message: string;
}

export function findWarnings({ rules }: Scenario): readonly Warning[] {
  return [...rules.flatMap(findOfRule), ...findShadowed(rules)];
}

/** Returns the ids of the operations that a condition matches. */
function operationsOf(condition: Globs | undefined): readonly OperationId[] {
  return operationIds.filter((id) => matchesAny(toGlobs(condition), id));
}

/** Finds what no operation of a rule can have, and what the rule's own conditions exclude. */
function findOfRule({ scope, when = {}, chance, times, then }: Rule, index: number): readonly Warning[] {
  const { subproject, item, request, during } = when;
  const ids = operationsOf(when.operation);
  const all: readonly Operation[] = ids.map((id) => operations[id]);
  const isPath = subproject === undefined || ids.some((id) => id.endsWith('InSubproject'));
  const isSingle = item !== undefined && all.every(({ list }) => list === undefined);
  const last = toLast(request);
  const opening = during && 'afterRequests' in during ? during.afterRequests : 0;
  const findings: readonly (readonly [isWrong: unknown, path: Path, message: string])[] = [
    [!isPath, ['when', 'subproject'], 'never matches: no operation of this rule has a subproject in its URL'],
    [
      isSingle && excludesFirst(item),
      ['when', 'item'],
      'never matches: each operation of this rule has a single entry, number 1',
    ],
    [
      then.callback && all.every(({ callbackType }) => callbackType === undefined),
      ['then', 'callback'],
      'has no effect: no operation of this rule can cause a callback',
    ],
    [parseDuration(during?.for ?? '') === 0, ['when', 'during', 'for'], 'never matches: the time span has no length'],
    [
      then.respond?.body !== undefined && statusesWithoutBody.includes(then.respond.status),
      ['then', 'respond', 'body'],
      `has no effect: a response of status ${then.respond?.status} has no body`,
    ],
    [chance === 0, ['chance'], 'never fires: the probability is 0'],
    [
      last <= opening,
      ['when', 'request'],
      `never matches: request ${last} comes before the time span, which begins after request ${opening}`,
    ],
    [
      then.callback?.order && (times === 1 || isOne(request)) && Object.keys(then).length === 1,
      ['then', 'callback', 'order'],
      'has no effect: this rule applies to one callback only',
    ],
    [
      scope === 'server' && then.limit,
      ['then', 'limit'],
      'counts the requests of each project separately, also with `scope: server`',
    ],
  ];
  return findings
    .filter(([isWrong]) => isWrong)
    .map(([, path, message]) => ({ path: ['rules', index, ...path], message }));
}

/** Whether the condition can't match entry 1. */
function excludesFirst(item: ItemCondition): boolean {
  if (typeof item === 'number') return item !== 1;
  // First, because a list has a method `every`.
  if (Array.isArray(item)) return !item.includes(1);
  return 'every' in item && item.every !== 1;
}

/** Returns the number of the last request that a condition matches. */
function toLast(request: RequestCondition | undefined): number {
  if (!request) return Number.POSITIVE_INFINITY;
  return 'nth' in request ? request.nth : 'to' in request ? request.to : Number.POSITIVE_INFINITY;
}

/** Whether a condition matches a single request. */
function isOne(request: RequestCondition | undefined): boolean {
  return request !== undefined && ('nth' in request || ('to' in request && request.from === request.to));
}

/** A rule that fires on every request of its operations. */
interface Decider {
  readonly name: string;
  readonly operations: ReadonlySet<string>;
  readonly decided: ReadonlySet<string>;
}

function findShadowed(rules: readonly Rule[]): readonly Warning[] {
  const deciders: Decider[] = [];
  const warnings: Warning[] = [];
  for (const [index, rule] of rules.entries()) {
    const ids = operationsOf(rule.when?.operation);
    const wanted = wantedBy(rule);
    const decider = deciders.find(
      ({ operations, decided }) => ids.every((id) => operations.has(id)) && wanted.every((kind) => decided.has(kind)),
    );
    if (decider) {
      const kinds = kindsOf(rule).join(' and ');
      const message = `never fires: the earlier rule ${show(decider.name)} always decides ${kinds}`;
      warnings.push({ path: ['rules', index], message });
    } else if (isUnconditional(rule)) {
      const name = toRuleName(rule.name, index);
      deciders.push({ name, operations: new Set(ids), decided: new Set(decidedBy(rule)) });
    }
  }
  return warnings;
}

function isUnconditional({ when = {}, chance, times }: Rule): boolean {
  const isAlways = chance === undefined && times === undefined;
  return isAlways && Object.keys(when).every((key) => key === 'operation');
}

function kindsOf({ then }: Rule): readonly string[] {
  return effects.map(({ kind }) => kind).filter((kind) => kind in then);
}

/** A rule with `callback` alone decides per callback, and does not exclude later rules that decide per request. */
const perCallback = 'callback per callback';

function wantedBy(rule: Rule): readonly string[] {
  const kinds = kindsOf(rule);
  return kinds.length === 1 && kinds[0] === 'callback' ? [perCallback] : kinds;
}

function decidedBy(rule: Rule): readonly string[] {
  return [...wantedBy(rule), ...('callback' in rule.then ? [perCallback] : [])];
}
