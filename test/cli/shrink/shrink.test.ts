/** Shrinks planted failures of a fake command, in few runs. */
import { describe, expect, test } from 'vitest';
import type { NamedRule } from '../../../src/cli/shrink/scenario.ts';
import { operationIds } from '../../../src/operations/index.ts';
import type { Rule } from '../../../src/scenarios/types.ts';
import { type FakeCommand, type Fired, shrinkFake } from './fake.ts';

/** Maximum number of runs that a planted failure among twenty rules may take, with the last one that confirms it. */
const maxRuns = 39;

const statuses = [400, 408, 409, 425, 429, 500, 502, 503, 504];

/** Twenty rules, each of which fires on a request of its operation. */
const twenty: readonly NamedRule[] = Array.from({ length: 20 }, (_, index) => ({
  name: `rule ${index + 1}`,
  when: { operation: operationIds[index] as string, request: { nth: 2 } },
  then: { respond: { status: statuses[index % statuses.length] as number } },
}));

/** Three requests of each of the operations. */
const requests = [1, 2, 3].flatMap(() => operationIds.slice(0, 20));

const names = (rules: readonly { readonly name?: string }[]): readonly (string | undefined)[] =>
  rules.map(({ name }) => name);

function needs(...wanted: readonly string[]): FakeCommand {
  return { requests, fails: (fired) => wanted.every((name) => fired.some(({ rule }) => rule.name === name)) };
}

test('two rules among twenty are found in few runs', async () => {
  const { rules, runs } = await shrinkFake(twenty, needs('rule 7', 'rule 14'));
  expect(names(rules)).toEqual(['rule 7', 'rule 14']);
  expect(runs).toBeLessThanOrEqual(maxRuns);
});

/** Shrinks one rule. `fails` sees the requests on which it fired, by their index. */
async function shrinkOne(
  rule: Rule,
  fails: (fired: readonly Fired[]) => boolean,
  sent: readonly string[] = requests,
): Promise<readonly Rule[]> {
  const { rules } = await shrinkFake([{ name: 'r', ...rule }], { requests: sent, fails });
  return rules.map(({ name: _name, ...rest }) => rest);
}

describe('one rule', () => {
  const respond = { respond: { status: 503 } };
  const any = (fired: readonly Fired[]): boolean => fired.length > 0;
  const jobs = Array.from({ length: 20 }, () => 'asyncImportJobs');

  test('a chance becomes a request', async () => {
    expect(await shrinkOne({ chance: 0.3, then: respond }, any, jobs)).toEqual([
      { when: { operation: 'asyncImportJobs', request: { nth: 1 } }, then: respond },
    ]);
  });

  test('a chance on entries becomes the entries on which it fired', async () => {
    const [left] = await shrinkOne(
      { when: { item: { every: 1 } }, chance: 0.3, then: { fail: 'x' } },
      (fired) => fired.some(({ request }) => request === 4),
      jobs,
    );
    expect(left).toMatchObject({ when: { request: { nth: 5 } } });
    expect(left?.when?.item).toEqual(expect.any(Number));
    expect(left?.chance).toBeUndefined();
  });

  test('a chance stays if the command needs more than its requests', async () => {
    const unpinned = (fired: readonly Fired[]): boolean => fired.some(({ rule }) => rule.chance !== undefined);
    expect(await shrinkOne({ chance: 0.3, then: respond }, unpinned, jobs)).toEqual([
      { when: { operation: 'asyncImportJobs' }, chance: 0.3, then: respond },
    ]);
  });

  test('a glob becomes the operations on which it fired, and the number counts only those', async () => {
    const sent = ['asyncImportJobs', 'asyncImportOrders', 'asyncUpdateJobs', 'asyncImportOrders'];
    const third = (fired: readonly Fired[]): boolean => fired.some(({ request }) => request === 3);
    expect(await shrinkOne({ when: { operation: 'async*', request: { nth: 4 } }, then: respond }, third, sent)).toEqual(
      [{ when: { operation: 'asyncImportOrders', request: { nth: 2 } }, then: respond }],
    );
    expect(await shrinkOne({ when: { operation: ['async*', 'sync*'] }, then: respond }, third, sent)).toEqual([
      { when: { operation: 'asyncImportOrders' }, then: respond },
    ]);
  });

  test.each<[string, Rule, (fired: readonly Fired[]) => boolean, Rule]>([
    [
      'requests of a range that are not needed',
      { when: { request: { from: 6, to: 10 } }, then: respond },
      (fired) => fired.filter(({ request }) => request > 6).length >= 2,
      { when: { request: { from: 9, to: 10 } }, then: respond },
    ],
    [
      'all but one of each nth',
      { when: { request: { every: 5 } }, then: respond },
      (fired) => fired.some(({ request }) => request === 9),
      { when: { request: { nth: 10 } }, then: respond },
    ],
    ['times', { times: 9, then: respond }, (fired) => fired.length >= 4, { then: respond }],
    ['entries', { when: { item: [3, 7] }, then: { fail: 'x' } }, any, { when: { item: 7 }, then: { fail: 'x' } }],
    ['during', { when: { during: { after: '10s', for: '1m' } }, then: respond }, any, { then: respond }],
    ['a second effect', { then: { fail: 'x', after: '1m', latency: '9s' } }, any, { then: { latency: '9s' } }],
    [
      'a detail of a response',
      { then: { respond: { status: 429, headers: { 'retry-after': '9', 'x-a': 'b' } } } },
      any,
      { then: { respond: { status: 429 } } },
    ],
    ['a disturbance', { then: { callback: { delay: '1m', copies: 9 } } }, any, { then: { callback: { copies: 9 } } }],
  ])('%s goes', async (_, rule, fails, wanted) => {
    const when = { operation: 'asyncImportJobs', ...wanted.when };
    expect(await shrinkOne(rule, fails, jobs)).toEqual([{ ...wanted, when }]);
  });
});
