/** Replaces what decides when a rule fires by the requests on which it fired. */
import type { Rule, When } from '../../../scenarios/types.ts';
import type { NamedRule, Visit } from '../attempt.ts';

/** A request, or callback, on which a rule fired: the nth of its operation, with the entries that were drawn. */
interface Occurrence {
  readonly nth: number;
  readonly drawn: readonly number[] | undefined;
}

/** Whether chance decides, or a number over several operations: it says more as a number of one operation. */
export function canPin(rule: Rule, visits: readonly Visit[]): boolean {
  if (rule.then.limit !== undefined) return false;
  return rule.chance !== undefined || (rule.when?.request !== undefined && hasOtherOperations(visits));
}

function hasOtherOperations(visits: readonly Visit[]): boolean {
  return new Set(visits.map(({ operation }) => operation)).size > 1;
}

/** Returns rules that fire exactly where a rule fired: one for each operation and each range of requests. */
export function pinRule(rule: NamedRule, visits: readonly Visit[]): readonly NamedRule[] {
  const operations = new Set(visits.filter(({ fired }) => fired).map(({ operation }) => operation));
  const pinned = [...operations].flatMap((operation) => {
    const own = visits.filter((visit) => visit.operation === operation);
    return toConditions(toOccurrences(own)).map((condition) => toRule(rule, operation, condition));
  });
  return pinned.map((one, index) => (pinned.length === 1 ? one : { ...one, name: `${rule.name}, part ${index + 1}` }));
}

const partPattern = /, part \d+$/;

/** Gives a part the name of its rule, if no other part is left. */
export function nameWhole(rules: readonly NamedRule[]): readonly NamedRule[] {
  const wholes = rules.map(({ name }) => name.replace(partPattern, ''));
  return rules.map((rule, index) => {
    const name = wholes[index] ?? rule.name;
    return wholes.filter((other) => other === name).length === 1 ? { ...rule, name } : rule;
  });
}

function toRule(
  { name, scope, when, then }: NamedRule,
  operation: string,
  condition: Pick<When, 'request' | 'item'>,
): NamedRule {
  const { request: _request, during: _during, operation: _operation, ...others } = when ?? {};
  return { name, ...(scope && { scope }), when: { operation, ...others, ...condition }, then };
}

/** Counts the visits of one operation. Returns each of those on which the rule fired once, over all scopes. */
function toOccurrences(visits: readonly Visit[]): readonly Occurrence[] {
  const found = new Map<string, Occurrence>();
  for (const [index, { scope, fired, drawn }] of visits.entries()) {
    if (!fired) continue;
    const nth = visits
      .slice(0, index + 1)
      .filter((visit) => visit.scope === scope && (drawn ? hasEntry(visit, drawn) : visit.matches)).length;
    found.set(`${nth} ${drawn}`, { nth, drawn });
  }
  return [...found.values()].toSorted((one, other) => one.nth - other.nth);
}

function hasEntry({ entryCount }: Visit, numbers: readonly number[]): boolean {
  return numbers.some((number) => number <= entryCount);
}

/** Joins consecutive requests with the same entries to ranges. */
function toConditions(occurrences: readonly Occurrence[]): readonly Pick<When, 'request' | 'item'>[] {
  const ranges: { from: number; to: number; readonly drawn: readonly number[] | undefined }[] = [];
  for (const { nth, drawn } of occurrences) {
    const last = ranges.at(-1);
    if (last && last.to === nth - 1 && String(last.drawn) === String(drawn)) last.to = nth;
    else ranges.push({ from: nth, to: nth, drawn });
  }
  return ranges.map(({ from, to, drawn }) => ({
    ...(drawn && { item: drawn.length === 1 ? (drawn[0] as number) : drawn }),
    request: from === to ? { nth: from } : { from, to },
  }));
}
