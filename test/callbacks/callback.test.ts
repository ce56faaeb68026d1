/** What a callback is made of, and what a scenario changes of it from the start. */
import { expect, test } from 'vitest';
import { createCallback, type DeliveryFault } from '../../src/callbacks/callback.ts';
import { toFailures } from '../harness/failures.ts';

const failures = toFailures({ change: 7, failed: [{ id: 'J-1', reason: 'no' }], atMs: 1000 });

test('a callback that nothing disturbs is due at once', () => {
  expect(createCallback(failures)).toEqual({
    id: expect.stringMatching(/^msg_./),
    change: 7,
    type: 'jobs.import.failed',
    state: 'scheduled',
    requestId: 'req_1',
    operation: 'asyncImportJobs',
    body: {
      type: 'jobs.import.failed',
      timestamp: '1970-01-01T00:00:01.000Z',
      data: { projectId: 'p', operation: 'asyncImportJobs', requestId: 'req_1', failed: [{ id: 'J-1', reason: 'no' }] },
    },
    dueAt: '1970-01-01T00:00:01.000Z',
    attempts: [],
    tries: 0,
    copiesLeft: 0,
  });
});

test('the subproject is told where the request named one', () => {
  expect(createCallback({ ...failures, subProjectId: 's' }).body.data.subProjectId).toBe('s');
  expect(createCallback(failures).body.data).not.toHaveProperty('subProjectId');
});

test.each<readonly [DeliveryFault, object]>([
  [{ delayMs: 2000 }, { state: 'scheduled', dueAt: '1970-01-01T00:00:03.000Z', copiesLeft: 0 }],
  [
    { delayMs: 0, copies: 3 },
    { state: 'scheduled', dueAt: '1970-01-01T00:00:01.000Z', copiesLeft: 2 },
  ],
  [
    { delayMs: 0, drop: true },
    { state: 'dropped', copiesLeft: 0 },
  ],
])('%j', (disturbance, callback) => {
  expect(createCallback({ ...failures, disturbance })).toMatchObject({ ...callback, disturbance });
});

test('its id comes from seed, request and instant, and from nothing else', () => {
  const { id } = createCallback(failures);
  expect(createCallback({ ...failures, change: 8, projectId: 'q', failed: [] }).id).toBe(id);
  for (const other of [{ seed: 'other' }, { requestId: 'req_2' }, { atMs: 1001 }]) {
    expect(createCallback({ ...failures, ...other }).id).not.toBe(id);
  }
});
