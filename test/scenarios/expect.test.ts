/** Checks expectations: which requests, callbacks and firings count, in which order, and the bounds of the count. */
import { describe, expect, test } from 'vitest';
import { compileScenario, createRuleSet } from '../../src/scenarios/compile.ts';
import type { CallbackFact } from '../../src/scenarios/compiled.ts';
import { type RuleCount, type RuleCounts, recordFiring } from '../../src/scenarios/counts.ts';
import { countFiringsBefore, countRequest, judge, type ObservedCounts, tally } from '../../src/scenarios/expect.ts';
import { createMatching } from '../../src/scenarios/matching.ts';
import type { Expectation, Rule } from '../../src/scenarios/types.ts';

interface RequestEvent {
  readonly request: string;
  readonly status?: number;
  readonly ids?: readonly string[];
  readonly city?: string;
}

/** An event in a project; the number of its change is its position in the story, from 1. */
type Event =
  | RequestEvent
  | { readonly callback: string; readonly state?: string; readonly of?: string }
  | { readonly deed: string }
  | { readonly deeds: readonly string[] };

const rules: readonly Rule[] = [
  { name: 'first', then: { refuse: 'no' } },
  { name: 'second', then: { refuse: 'no' } },
  // Two of one name are counted together.
  { name: 'twin', then: { refuse: 'no' } },
  { name: 'twin', then: { refuse: 'no' } },
];

/** Returns the expected entries of a request. Tests one condition at a time, as in a long list of rules. */
function match(
  set: ReturnType<typeof createRuleSet>,
  { request: operation, ids = ['J-1'], city = 'Bern' }: RequestEvent,
) {
  const entries = ids.map((id, place) => ({ item: place + 1, id, value: { id, address: { city } } }));
  const subject = { operation, project: 'p', subproject: undefined, headers: {}, body: {}, entries, refused: [] };
  const matching = createMatching(set, subject);
  while (!matching.run(1));
  return matching.end().matchedExpectations;
}

/** How often what is expected has happened in the end, and the judgement. */
async function judgeStory(expectation: Expectation, story: readonly Event[]) {
  const scenario = await compileScenario({ name: 'it', rules, expect: [expectation] });
  const set = createRuleSet([{ scope: 'project', scenarios: [scenario] }]);
  const callbacks = new Map<string, CallbackFact>();
  const activations = new Map([['project', { change: 0 }]]);
  const project: ObservedCounts = { ruleCounts: new Map(), requestTallies: new Map(), activations, callbacks };
  for (const [index, event] of story.entries()) {
    const change = index + 1;
    if ('request' in event) {
      const { request: operation, status = 202 } = event;
      countRequest(set.expectations, { operation, status, matchedExpectations: match(set, event), change }, project);
    } else if ('callback' in event) {
      const { callback: type, state = 'inbox', of: operation = 'asyncImportJobs' } = event;
      callbacks.set(`msg-${change}`, { type, state, operation, change });
    } else {
      for (const name of 'deed' in event ? [event.deed] : event.deeds) {
        const key = set.rules.findLast(({ rule }) => rule.name === name)?.key ?? '';
        recordFiring(project.ruleCounts, key, change);
      }
      countFiringsBefore(set.expectations, change, project);
    }
  }
  const [scoped] = set.expectations;
  if (!scoped) throw new Error('no expectation');
  const count = tally(scoped, project);
  return { count, ...judge(scoped.expectation, count) };
}

const imports = { request: 'asyncImportJobs' };
const withStatus = (status: number) => ({ ...imports, status });
const orders = { request: 'syncImportOrders', status: 200, ids: ['O-1'] };
const failed = { callback: 'jobs.import.failed' };
const updated = { callback: 'orders.update.failed', state: 'delivered', of: 'asyncUpdateOrder' };

describe('requests', () => {
  test.each<[string, Extract<Expectation, { requests: unknown }>['requests'], readonly Event[], number]>([
    ['all of them', {}, [imports, orders, failed], 2],
    ['of an operation', { operation: 'asyncImportJobs' }, [imports, orders, imports], 2],
    ['of a glob', { operation: 'async*' }, [imports, orders, { request: 'asyncUpdateJob' }], 2],
    ['of a list', { operation: ['sync*', 'asyncUpdateJob'] }, [imports, orders, { request: 'asyncUpdateJob' }], 2],
    ['with a status', { status: 503 }, [imports, { ...imports, status: 503 }, { ...imports, status: 500 }], 1],
    ['with a class of statuses', { status: '5xx' }, [imports, ...[499, 500, 503].map(withStatus)], 2],
    ['with one of several', { status: ['2xx', 503, 0] }, [imports, ...[0, 301, 500, 503].map(withStatus)], 3],
    ['without a response', { status: 0 }, [imports, { ...imports, status: 0 }], 1],
    ['with an item by number', { item: 2 }, [imports, { ...imports, ids: ['a', 'b'] }], 1],
    ['with an item by numbers', { item: [2, 3] }, [imports, { ...imports, ids: ['a', 'b', 'c'] }], 1],
    ['with an item by id', { item: { id: 'X-*' } }, [imports, { ...imports, ids: ['a', 'X-1', 'X-2'] }], 1],
    [
      'with an item of fields',
      { item: { where: { 'address.city': 'B?le' } } },
      [imports, { ...imports, city: 'Bale' }],
      1,
    ],
    [
      'with all of it',
      { operation: 'async*', status: 202, item: 2 },
      [imports, { ...imports, ids: ['a', 'b'] }, orders],
      1,
    ],
    ['after a rule', { after: 'first' }, [imports, { deed: 'first' }, imports, orders], 2],
    ['after the first firing of a rule', { after: 'first' }, [{ deed: 'first' }, imports, { deed: 'first' }], 1],
    ['after a rule that never fired', { after: 'first' }, [imports, { deed: 'second' }, imports], 0],
    ['after the first of two rules with one name', { after: 'twin' }, [{ deed: 'twin' }, imports], 1],
  ])('%s', async (_, requests, story, count) => {
    expect((await judgeStory({ requests }, story)).count).toBe(count);
  });

  test('the request on which a rule fires does not count as after it', async () => {
    const scenario = await compileScenario({ name: 'it', rules, expect: [{ requests: { after: 'first' } }] });
    const { expectations } = createRuleSet([{ scope: 'server', scenarios: [scenario] }]);
    const project = { ruleCounts: new Map(), requestTallies: new Map<string, number>() };
    recordFiring(project.ruleCounts, 'server/it#1', 5);
    const request = { operation: 'asyncImportJobs', status: 503, matchedExpectations: new Set<string>() };
    countRequest(expectations, { ...request, change: 5 }, project);
    expect([...project.requestTallies]).toEqual([]);
    countRequest(expectations, { ...request, change: 6 }, project);
    expect([...project.requestTallies]).toEqual([['server/it!1', 1]]);
  });
});

describe('callbacks', () => {
  test.each<[string, Extract<Expectation, { callbacks: unknown }>['callbacks'], readonly Event[], number]>([
    ['all of them', {}, [failed, imports, updated], 2],
    ['of a type', { type: 'jobs.import.failed' }, [failed, updated], 1],
    ['of a glob', { type: '*.failed' }, [failed, updated], 2],
    ['of a list', { type: ['routes.*', 'orders.*'] }, [failed, updated], 1],
    ['in a state', { state: 'delivered' }, [failed, updated], 1],
    ['of an operation', { operation: 'asyncUpdate*' }, [failed, updated], 1],
    ['with all conditions', { type: 'orders.*', state: 'inbox', operation: '*' }, [failed, updated], 0],
    ['after a rule', { after: 'first' }, [failed, { deed: 'first' }, failed, updated], 2],
    ['after a rule that never fired', { after: 'first' }, [failed], 0],
  ])('%s', async (_, callbacks, story, count) => {
    expect((await judgeStory({ callbacks }, story)).count).toBe(count);
  });
});

describe('firings of a rule', () => {
  test.each<[string, Extract<Expectation, { rule: string }>, readonly Event[], number]>([
    ['all of them', { rule: 'first' }, [{ deed: 'first' }, { deed: 'second' }, { deed: 'first' }], 2],
    ['none', { rule: 'first' }, [imports, { deed: 'second' }], 0],
    ['of two rules with one name', { rule: 'twin' }, [{ deed: 'twin' }, { deed: 'twin' }], 2],
    [
      'after another',
      { rule: 'first', after: 'second' },
      [{ deed: 'first' }, { deed: 'second' }, { deed: 'first' }],
      1,
    ],
    ['after another rule that never fired', { rule: 'first', after: 'second' }, [{ deed: 'first' }], 0],
    ['at the same request as another rule', { rule: 'second', after: 'first' }, [{ deeds: ['first', 'second'] }], 0],
    [
      'at the same request, in the other order',
      { rule: 'first', after: 'second' },
      [{ deeds: ['first', 'second'] }],
      0,
    ],
    ['after its own first firing', { rule: 'first', after: 'first' }, [{ deed: 'first' }, { deed: 'first' }], 1],
  ])('%s', async (_, expectation, story, count) => {
    expect((await judgeStory(expectation, story)).count).toBe(count);
  });
});

describe('the expected count', () => {
  const story = (count: number): readonly Event[] => Array.from({ length: count }, () => imports);
  const tried = [0, 1, 2, 3, 4];
  test.each<[string, { count?: number; min?: number; max?: number }, readonly number[], string]>([
    ['without bounds is at least 1', {}, [1, 2, 3, 4], 'at least 1'],
    ['with count is exact', { count: 2 }, [2], '2'],
    ['may be 0', { count: 0 }, [0], '0'],
    ['with min is a minimum', { min: 2 }, [2, 3, 4], 'at least 2'],
    ['with max is a maximum, and may be 0', { max: 1 }, [0, 1], 'at most 1'],
    ['with min and max is a range', { min: 2, max: 3 }, [2, 3], '2 to 3'],
  ])('%s', async (_, bounds, fitting, words) => {
    const judged = await Promise.all(tried.map((count) => judgeStory({ requests: bounds }, story(count))));
    expect(judged).toEqual(
      tried.map((count) => ({
        count,
        met: fitting.includes(count),
        why: `requests: expected ${words}, got ${count}`,
      })),
    );
  });

  test.each<[Expectation, string]>([
    [
      { requests: { operation: ['a*', 'b'], status: 503, item: 3, after: 'first' } },
      'requests a*, b with status 503 with item 3 after rule "first" fired: expected at least 1, got 0',
    ],
    [{ requests: { status: 0 } }, 'requests without a response: expected at least 1, got 0'],
    [{ requests: { status: '5xx' } }, 'requests with status 5xx: expected at least 1, got 0'],
    [
      { requests: { status: [0, '4xx', 503] } },
      'requests with status 4xx, 503 or without a response: expected at least 1, got 0',
    ],
    [
      { callbacks: { type: 'jobs.*', state: 'failed', operation: 'async*' } },
      'failed callbacks jobs.* of async*: expected at least 1, got 0',
    ],
    [{ rule: 'first', max: 0 }, 'rule "first" fired: expected 0, got 0'],
  ])('is described: %j', async (expectation, why) => {
    expect((await judgeStory(expectation, [])).why).toBe(why);
  });
});

/** What one world tells where the rule `second` is expected after `first`. */
async function tallySecond(ruleCounts: RuleCounts, requestTallies = new Map<string, number>()): Promise<number> {
  const scenario = await compileScenario({ name: 'it', rules, expect: [{ rule: 'second', after: 'first' }] });
  const [scoped] = createRuleSet([{ scope: 'project', scenarios: [scenario] }]).expectations;
  if (!scoped) throw new Error('no expectation');
  return tally(scoped, { ruleCounts, requestTallies, activations: new Map(), callbacks: new Map() });
}

test('the first firing from data files of older versions still counts', async () => {
  const first = { met: 1, acted: 1, firstDeed: 7, othersThen: { 'project/it#1': 1, 'project/it#2': 2 } };
  const counts: RuleCounts = new Map<string, RuleCount>([
    ['project/it#1', first],
    ['project/it#2', { met: 5, acted: 5, firstDeed: 5 }],
  ]);
  expect(await tallySecond(counts)).toBe(3);
  // What was counted since is not counted again.
  expect(await tallySecond(counts, new Map([['project/it!1', 4]]))).toBe(1);
});

/** Counts that count how often they are looked at. */
class WatchedCounts extends Map<string, RuleCount> {
  steps = 0;

  override get(key: string): RuleCount | undefined {
    this.steps += 1;
    return super.get(key);
  }

  override *[Symbol.iterator](): MapIterator<[string, RuleCount]> {
    for (const pair of super.entries()) {
      this.steps += 1;
      yield pair;
    }
    return undefined;
  }
}

test('a thousand rules of one name that fire on one request are counted in linear time', async () => {
  const many = 1000;
  const each: Rule = { name: 'each', then: { latency: '0s' } };
  const wanted = { rule: 'each', after: 'each' };
  const scenario = await compileScenario({
    name: 'many',
    rules: Array.from({ length: many }, () => each),
    expect: Array.from({ length: many }, () => wanted),
  });
  const set = createRuleSet([{ scope: 'project', scenarios: [scenario] }]);
  const counts = new WatchedCounts();
  const requestTallies = new Map<string, number>();
  for (const { key } of set.rules) recordFiring(counts, key, 1);
  countFiringsBefore(set.expectations, 1, { ruleCounts: counts, requestTallies });
  expect(counts.steps).toBeLessThan(10 * many);
  expect(new Set(requestTallies.values())).toEqual(new Set([many]));
  expect(JSON.stringify([...counts.values()]).length).toBeLessThan(100 * many);
});
