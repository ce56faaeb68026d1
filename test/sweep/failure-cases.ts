/** Makes scenarios of the sandbox's failure catalog that hit one request or every one, as a sweep does. */
import { parse } from 'yaml';
import { startSandbox } from '../../src/index.ts';
import type { Rule, Scenario } from '../../src/scenarios/types.ts';

export interface FailureCase {
  /** Operation, kind and occurrence: `asyncImportJobs/status-503/1`, or `…/always`. */
  readonly name: string;
  readonly expects: 'recovery' | 'report';
  readonly scenario: Scenario;
}

interface Catalog {
  readonly items: readonly {
    readonly operation: string;
    readonly failures: readonly { readonly kind: string; readonly yaml: string }[];
  }[];
}

/** Kinds that are also tried on every request of the operation. */
const lasting = ['status-429', 'status-500', 'status-503', 'connection-reset', 'connection-hang'];
const temporary = ['status-408', 'status-425', 'status-429'];
const reportedCallbacks = /^callback-(drop|signature-.*|body-malformed)$/;

/** Returns a case for each kind of failure of an operation. */
export async function failureCases(operation: string): Promise<readonly FailureCase[]> {
  await using sandbox = await startSandbox();
  const response = await fetch(`${sandbox.url}/_sandbox/catalog`);
  const { items } = (await response.json()) as Catalog;
  const failures = items.find((one) => one.operation === operation)?.failures ?? [];
  return failures
    .filter(({ kind }) => kind !== 'limit')
    .flatMap(({ kind, yaml }) => toCases(`${operation}/${kind}`, kind, parse(yaml) as Scenario));
}

function toCases(name: string, kind: string, scenario: Scenario): readonly FailureCase[] {
  const once: FailureCase = {
    name: `${name}/1`,
    expects: expectsReport(kind) ? 'report' : 'recovery',
    scenario: { ...scenario, rules: scenario.rules.map((rule) => shorten({ ...rule, times: 1 })) },
  };
  if (!lasting.includes(kind)) return [once];
  const always = { ...scenario, rules: scenario.rules.map(shorten) };
  return [once, { name: `${name}/always`, expects: 'report', scenario: always }];
}

function expectsReport(kind: string): boolean {
  if (kind === 'refused' || kind === 'failed-downstream' || reportedCallbacks.test(kind)) return true;
  return kind.startsWith('status-4') && !temporary.includes(kind);
}

/** Shortens waits, and disturbs only callbacks that are sent anyway. */
function shorten(rule: Rule): Rule {
  const { callback, respond } = rule.then;
  const operation = rule.when?.operation ?? '*';
  if (callback?.order) return { when: { operation }, then: { callback: { ...callback, delay: '2s' } } };
  if (callback)
    return { when: { operation }, times: 1, then: { callback: callback.delay ? { delay: '2s' } : callback } };
  if (respond?.headers) return { ...rule, then: { respond: { ...respond, headers: { 'retry-after': '1' } } } };
  return rule;
}
