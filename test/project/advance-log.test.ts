/** The log of advances is bounded: by the number of advances, of their items, and of the items of all. */
import { expect, test } from 'vitest';
import { type AdvanceLog, createAdvanceLog } from '../../src/project/advance-log.ts';

const result = { now: 0, processed: 0, delivered: 0, pending: 0 };

function advance(log: AdvanceLog, items: number): void {
  const started = log.begin(0);
  for (let n = 0; n < items; n += 1) {
    log.note({ kind: 'command', at: 0, operation: 'asyncImportJobs', requestId: 'req_1', entries: 1, failed: 0 });
  }
  started.end(result);
}

const sizes = (log: AdvanceLog) => log.list().map(({ work, workOmitted }) => [work.length, workOmitted]);

test('of an advance, the first 200 items are listed', () => {
  const log = createAdvanceLog();
  advance(log, 201);
  expect(sizes(log)).toEqual([[200, 1]]);
});

test('beyond 1,000 items in all, the oldest advances have none', () => {
  const log = createAdvanceLog();
  for (let n = 0; n < 7; n += 1) advance(log, 201);
  expect(sizes(log)).toEqual([...Array.from({ length: 5 }, () => [200, 1]), [0, 201], [0, 201]]);
  advance(log, 0);
  expect(sizes(log)[0]).toEqual([0, 0]);
});

test('the last 50 advances are stored, and work between two advances is in neither', () => {
  const log = createAdvanceLog();
  for (let n = 0; n < 51; n += 1) advance(log, 0);
  log.note({ kind: 'command', at: 0, operation: 'asyncImportJobs', requestId: 'req_1', entries: 1, failed: 0 });
  expect(log.list().map(({ number }) => number)).toEqual(Array.from({ length: 50 }, (_, n) => 51 - n));
  expect(sizes(log).every(([items]) => items === 0)).toBe(true);
});

test('reports its size, which is bounded', () => {
  const reported: number[] = [];
  const log = createAdvanceLog((bytes) => reported.push(bytes));
  advance(log, 0);
  for (let n = 0; n < 100; n += 1) advance(log, 201);
  expect(reported[0]).toBe(200);
  expect(reported.at(-1)).toBe(50 * 200 + 1000 * 250);
});
