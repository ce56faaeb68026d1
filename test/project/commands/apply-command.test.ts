/** Carrying an instruction out: what is written, what failed in the request's order, and which rule disturbs its callback. */
import { expect, test } from 'vitest';
import { shippedProfile } from '../../../src/openapi/profile/profile.ts';
import type { ActionContext } from '../../../src/operations/command.ts';
import { applyCommand, type Reporting } from '../../../src/project/commands/apply-command.ts';
import type { DeferredCommand } from '../../../src/project/commands/deferred-command.ts';
import { applyWrites, createRecords, toRecordReader } from '../../../src/records/records.ts';
import type { RuleCounts } from '../../../src/scenarios/counts.ts';
import type { CallbackRule } from '../../../src/scenarios/effects/effect.ts';

const context: ActionContext = {
  now: '2026-03-02T09:30:00.000Z',
  rules: shippedProfile,
  strict: false,
  trackingId: (_collection, id) => `TRK-${id}`,
  isPending: () => false,
};

function toInstruction(ids: readonly string[], more: Partial<DeferredCommand> = {}): DeferredCommand {
  return {
    requestId: 'req_1',
    operation: 'asyncImportJobs',
    task: { entries: ids.map((id, index) => ({ item: index + 1, id, value: { id } })) },
    failures: [],
    callbackRules: [],
    ...more,
  };
}

const failuresOnly: Reporting = { perEntry: false, successes: false };

function run(
  command: DeferredCommand,
  counts: RuleCounts = new Map(),
  records = createRecords(),
  now = 0,
  reporting = failuresOnly,
) {
  let changes = 40;
  const nextChange = () => ++changes;
  const server = { counts: new Map(), wallMs: now, clockRate: 0 };
  const moment = { counts, server, now, nextChange };
  const done = applyCommand(command, toRecordReader(records), context, moment, reporting);
  applyWrites(records, done.writes);
  return { ...done, records };
}

test('nothing is told where nothing failed', () => {
  const { raised, records } = run(toInstruction(['A', 'B']));
  expect(raised).toEqual([]);
  expect([...records.jobs.keys()]).toEqual(['A', 'B']);
});

test('failures of the rules and of scenarios are told together, in the order of the request', () => {
  const failures = [
    { order: 4, id: 'X', reason: 'planned, fourth' },
    { order: 1, id: 'Y', reason: 'planned, first' },
  ];
  const command = { entries: [2, 3].map((item) => ({ item, id: 'A', value: { id: 'A' } })) };
  const { raised, records } = run(toInstruction([], { task: command, failures }));
  expect(raised[0]?.failed.map(({ id }) => id)).toEqual(['Y', 'A', 'X']);
  expect(raised[0]).toMatchObject({ requestId: 'req_1', type: 'jobs.import.failed', change: 41, rule: undefined });
  expect(records.jobs.size).toBe(1);
});

test('where instructions fail, records stay as they were', () => {
  const records = createRecords();
  run(toInstruction(['A']), new Map(), records);
  const before = structuredClone([...records.jobs]);
  expect(run(toInstruction(['A']), new Map(), records).writes).toEqual([]);
  expect([...records.jobs]).toEqual(before);
});

test('the subproject is told', () => {
  const command = { subProjectId: 'north', entries: [] };
  const failures = [{ order: 1, id: 'X', reason: 'no' }];
  expect(run(toInstruction([], { task: command, failures })).raised[0]?.subProjectId).toBe('north');
});

const failures = [{ order: 1, id: 'X', reason: 'no' }];

function toRule(key: string, more: Partial<CallbackRule> = {}): CallbackRule {
  const disturbance = { delayMs: 700 };
  return { key, disturbance, hashed: ['seed', key], countsCallbacks: true, turn: { since: 0 }, ...more };
}

/** The keys of the rules that disturb one callback after another, each raised at its instant. */
function disturbers(
  callbackRules: readonly CallbackRule[],
  instants: readonly number[],
  counts: RuleCounts = new Map(),
) {
  return instants.map((now) => {
    const { raised } = run(toInstruction([], { callbackRules, failures }), counts, createRecords(), now);
    return raised[0]?.rule?.key;
  });
}

test('a rule that counts callbacks is used up by callbacks alone, and then the next one disturbs', () => {
  const rules = [toRule('first', { turn: { since: 0, times: 1 } }), toRule('any', { countsCallbacks: false })];
  const counts: RuleCounts = new Map();
  expect(run(toInstruction(['A'], { callbackRules: rules }), counts).raised).toEqual([]);
  expect(counts.size).toBe(0);
  expect(disturbers(rules, [1, 2], counts)).toEqual(['first', 'any']);
  expect([...counts]).toEqual([['first', { met: 2, acted: 1, firstDeed: 41 }]]);
});

test('of rules that count callbacks each counts all of them, whoever wins', () => {
  const nth = (number: number) => ({ since: 0, request: { from: number, to: number, every: 1 } });
  const rules = [
    toRule('second', { turn: nth(2) }),
    toRule('third', { turn: nth(3) }),
    toRule('also', { turn: nth(2) }),
  ];
  expect(disturbers(rules, [1, 2, 3, 4])).toEqual([undefined, 'second', 'third', undefined]);
});

test('`during` of such a rule is of the instant at which a callback is raised', () => {
  const turn = { since: 1000, during: { afterMs: 500, forMs: 1000 } };
  const instants = [1499, 1500, 2499, 2500];
  expect(disturbers([toRule('span', { turn })], instants)).toEqual([undefined, 'span', 'span', undefined]);
});

test('`afterRequests` of such a rule counts callbacks', () => {
  const turn = { since: 0, during: { afterRequests: 2, forMs: 100 } };
  expect(disturbers([toRule('opened', { turn })], [10, 20, 30, 120])).toEqual([
    undefined,
    undefined,
    'opened',
    undefined,
  ]);
});

test('`chance` of such a rule is drawn for each callback, and where it is against it the next rule has its turn', () => {
  const rules = [toRule('now and then', { chance: 0.5 }), toRule('else')];
  const drawn = disturbers(
    rules,
    Array.from({ length: 40 }, (_, index) => index),
  );
  expect(new Set(drawn)).toEqual(new Set(['now and then', 'else']));
  const again = disturbers(
    rules,
    Array.from({ length: 40 }, (_, index) => 1000 + index),
  );
  expect(again).toEqual(drawn);
  expect(disturbers([toRule('never', { chance: 0 })], [1, 2])).toEqual([undefined, undefined]);
});

const mixed = {
  entries: [1, 2, 3].map((item) => ({ item, id: item === 3 ? 'A1' : `A${item}`, value: {} })),
};

test('successes are reported by a callback of their own, after that of the failures', () => {
  const { raised } = run(toInstruction([], { task: mixed, failures }), new Map(), createRecords(), 0, {
    perEntry: false,
    successes: true,
  });
  expect(
    raised.map(({ type, failed, succeeded, change }) => [type, failed.map(({ id }) => id), succeeded, change]),
  ).toEqual([
    ['jobs.import.failed', ['X', 'A1'], undefined, 41],
    ['jobs.import.completed', [], [{ id: 'A1' }, { id: 'A2' }], 42],
  ]);
});

test('a callback per entry has the number of its entry, in the order of the request', () => {
  const command = { entries: mixed.entries };
  const { raised } = run(toInstruction([], { task: command }), new Map(), createRecords(), 0, {
    perEntry: true,
    successes: true,
  });
  expect(raised.map(({ type, entry, change }) => [type, entry, change])).toEqual([
    ['jobs.import.completed', '1', 41],
    ['jobs.import.completed', '2', 42],
    ['jobs.import.failed', '3', 43],
  ]);
});

test('a route is reported before its jobs', () => {
  const task = {
    routes: [
      { id: 'R1', order: 0.5, value: {} },
      { id: 'R2', order: 1.5, value: {} },
    ],
    entries: [
      { item: 1, id: 'A', route: 0, value: {} },
      { item: 2, id: 'B', route: 1, value: {} },
    ],
  };
  const instruction = toInstruction([], { operation: 'asyncImportRoutes', task });
  const records = createRecords();
  const report = (perEntry: boolean) =>
    run(structuredClone(instruction), new Map(), records, 0, { perEntry, successes: true }).raised;
  expect(report(false).map(({ succeeded }) => succeeded)).toEqual([
    [{ id: 'R1' }, { id: 'A' }, { id: 'R2' }, { id: 'B' }],
  ]);
  expect(report(true).map(({ entry, failed }) => [entry, failed[0]?.id])).toEqual(
    expect.arrayContaining([
      ['route1', 'R1'],
      ['route2', 'R2'],
    ]),
  );
});
