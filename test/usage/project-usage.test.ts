/** The memory of a project: what a callback counts as. */
import { expect, test } from 'vitest';
import { type Attempt, createCallback } from '../../src/callbacks/callback.ts';
import { ProjectUsage } from '../../src/usage/size.ts';
import { toFailures } from '../harness/failures.ts';

test('a callback counts with the counts of rules that its recording needs', () => {
  const bytesOf = (serverCounts: Record<string, { met: number; acted: number }> | undefined): number => {
    const usage = new ProjectUsage();
    const raised = {
      seed: 's',
      change: 1,
      type: 'jobs.import.failed',
      requestId: 'r',
      operation: 'o',
      atMs: 0,
    } as const;
    const content = { projectId: 'p', subProjectId: undefined, failed: [], fault: undefined };
    usage.callback(createCallback({ ...raised, ...content, ...(serverCounts && { serverCounts }) }));
    return usage.bytes;
  };
  const counts = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`server/all#${n}`, { met: n, acted: 0 }]));
  expect(bytesOf(counts) - bytesOf(undefined)).toBeGreaterThan(100 * 20);
});

test('an attempt counts with the response of the receiver', () => {
  const bytesOf = (more: Pick<Attempt, 'response'>): number => {
    const usage = new ProjectUsage();
    const callback = createCallback(toFailures({ failed: [] }));
    callback.attempts.push({ at: '', cause: 'schedule', headers: {}, sent: '', ...more });
    usage.callback(callback);
    return usage.bytes;
  };
  const response = { headers: { 'x-long': 'a'.repeat(3000) }, body: 'a'.repeat(4096), durationMs: 1 };
  expect(bytesOf({ response }) - bytesOf({})).toBeGreaterThan(7096);
});

test('only the total has the log of advances, until the project is closed', () => {
  const total = { bytes: 0 };
  const usage = new ProjectUsage(total);
  usage.advances(3000);
  usage.advances(1000);
  expect({ usage: usage.bytes, total: total.bytes }).toEqual({ usage: 0, total: 1000 });
  usage.close();
  usage.advances(500);
  expect(total.bytes).toBe(0);
});

test('records whose size was estimated are counted once, and again after the next request', () => {
  let looks = 0;
  const usage = new ProjectUsage({ bytes: 0 }, () => {
    looks += 1;
    return 700;
  });
  usage.restore(1000);
  expect(usage.bytes).toBe(1000);
  for (const _ of [1, 2]) usage.recount();
  expect([usage.bytes, looks]).toEqual([700, 1]);
  usage.grow(50);
  expect(usage.bytes).toBe(750);
  usage.recount();
  expect([usage.bytes, looks]).toEqual([700, 2]);
});
