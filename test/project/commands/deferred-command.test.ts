/** An accepted request becomes one instruction for each instant at which something of it is due. */
import { expect, test } from 'vitest';
import type { Command } from '../../../src/operations/command.ts';
import { toDeferredCommands } from '../../../src/project/commands/deferred-command.ts';

const base = { requestId: 'req_1', operation: 'asyncImportJobs', callbackRules: [] } as const;
const entry = (item: number) => ({ item, id: `J-${item}`, value: { id: `J-${item}` } });
const command: Command = { subProjectId: 'north', entries: [entry(1), entry(2), entry(3), entry(4)] };

function split(planned: [number, { reason: string; afterMs?: number }][], of: Command = command) {
  return toDeferredCommands(base, of, new Map(planned), 200).map(({ afterMs, instruction: command }) => ({
    afterMs,
    taken: command.task.entries.map(({ id }) => id),
    failed: command.failures.map(({ id, reason }) => `${id}: ${reason}`),
  }));
}

test('without planned failures there is one, due after the processing time', () => {
  expect(split([])).toEqual([{ afterMs: 200, taken: ['J-1', 'J-2', 'J-3', 'J-4'], failed: [] }]);
});

test('a failure without `after` stands among what is carried out at the usual time', () => {
  expect(split([[2, { reason: 'no' }]])).toEqual([{ afterMs: 200, taken: ['J-1', 'J-3', 'J-4'], failed: ['J-2: no'] }]);
});

test('failures with another `after` stand apart, those of one instant together', () => {
  const planned: [number, { reason: string; afterMs?: number }][] = [
    [1, { reason: 'a', afterMs: 2000 }],
    [2, { reason: 'b', afterMs: 200 }],
    [3, { reason: 'c', afterMs: 0 }],
    [4, { reason: 'd', afterMs: 2000 }],
  ];
  expect(split(planned)).toEqual([
    { afterMs: 200, taken: [], failed: ['J-2: b'] },
    { afterMs: 2000, taken: [], failed: ['J-1: a', 'J-4: d'] },
    { afterMs: 0, taken: [], failed: ['J-3: c'] },
  ]);
});

test('a route is carried out once, at the usual time', () => {
  const routes = [{ id: 'R-1', value: { id: 'R-1' }, order: 0.5 }];
  const made = toDeferredCommands(
    base,
    { entries: [entry(1)], routes },
    new Map([[1, { reason: 'x', afterMs: 5 }]]),
    200,
  );
  expect(made.map(({ instruction: command }) => command.task.routes?.length ?? 0)).toEqual([1, 0]);
});

test('each instruction is a JSON value', () => {
  for (const one of toDeferredCommands(base, command, new Map([[1, { reason: 'x', afterMs: 5 }]]), 200)) {
    expect(JSON.parse(JSON.stringify(one))).toEqual(one);
  }
});
