/** Carrying an instruction out: what is written, what failed in the request's order, and how late it is told. */
import { expect, test } from 'vitest';
import { carryOut } from '../../src/downstream/carry-out.ts';
import type { Instruction } from '../../src/downstream/instruction.ts';
import type { Setting } from '../../src/operations/task.ts';
import type { RuleCounts } from '../../src/scenarios/decide.ts';
import type { CallbackRule } from '../../src/scenarios/effects/effect.ts';
import { applyWrites, createRecords, readsOf } from '../../src/store/records.ts';

const setting: Setting = {
  now: '2026-03-02T09:30:00.000Z',
  duplicates: 'reject',
  attendantAccess: 'required',
  strict: false,
  trackingId: (_collection, id) => `TRK-${id}`,
  isPending: () => false,
};

function toInstruction(ids: readonly string[], more: Partial<Instruction> = {}): Instruction {
  return {
    requestId: 'req_1',
    operation: 'asyncImportJobs',
    task: { entries: ids.map((id, index) => ({ item: index + 1, id, value: { id } })) },
    failures: [],
    callbackRules: [],
    ...more,
  };
}

function run(instruction: Instruction, counts: RuleCounts = new Map(), records = createRecords()) {
  const done = carryOut(instruction, readsOf(records), setting, counts);
  applyWrites(records, done.writes);
  return { ...done, records };
}

test('nothing is told where nothing failed', () => {
  const { raised, records } = run(toInstruction(['A', 'B']));
  expect(raised).toBeUndefined();
  expect([...records.jobs.keys()]).toEqual(['A', 'B']);
});

test('failures of the rules and of scenarios are told together, in the order of the request', () => {
  const failures = [
    { order: 4, id: 'X', reason: 'planned, fourth' },
    { order: 1, id: 'Y', reason: 'planned, first' },
  ];
  const task = { entries: [2, 3].map((item) => ({ item, id: 'A', value: { id: 'A' } })) };
  const { raised, records } = run(toInstruction([], { task, failures }));
  expect(raised?.failed.map(({ id }) => id)).toEqual(['Y', 'A', 'X']);
  expect(raised).toMatchObject({ requestId: 'req_1', type: 'jobs.import.failed', delayMs: 0 });
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
  const task = { subProjectId: 'north', entries: [] };
  const failures = [{ order: 1, id: 'X', reason: 'no' }];
  expect(run(toInstruction([], { task, failures })).raised?.subProjectId).toBe('north');
});

test('a rule that counts callbacks is used up by callbacks alone, and then the next one delays', () => {
  const rule = (key: string, delayMs: number, more: Partial<CallbackRule> = {}): CallbackRule => ({
    key,
    delayMs,
    countsCallbacks: true,
    ...more,
  });
  const callbackRules = [rule('first', 5000, { times: 1 }), rule('any', 700, { countsCallbacks: false })];
  const failures = [{ order: 1, id: 'X', reason: 'no' }];
  const counts: RuleCounts = new Map();
  const delays = [
    run(toInstruction(['A'], { callbackRules }), counts),
    run(toInstruction([], { callbackRules, failures }), counts),
    run(toInstruction([], { callbackRules, failures }), counts),
  ].map(({ raised }) => raised?.delayMs);
  expect(delays).toEqual([undefined, 5000, 700]);
  expect(counts.get('first')).toEqual({ met: 2, acted: 1 });
});
