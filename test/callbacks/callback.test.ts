/** New callbacks, and how a scenario changes them. */
import { expect, test } from 'vitest';
import { createCallback, type DeliveryFault } from '../../src/callbacks/callback.ts';
import { toFailures } from '../harness/failures.ts';

const failures = toFailures({ change: 7, failed: [{ id: 'J-1', reason: 'no' }], atMs: 1000 });

test('a callback without a disturbance is due at once', () => {
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

test('includes the subproject if the request names one', () => {
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
])('applies the disturbance %j', (disturbance, callback) => {
  expect(createCallback({ ...failures, disturbance })).toMatchObject({ ...callback, disturbance });
});

test('the id depends only on the seed, the request and the time', () => {
  const { id } = createCallback(failures);
  expect(createCallback({ ...failures, change: 8, projectId: 'q', failed: [] }).id).toBe(id);
  for (const other of [{ seed: 'other' }, { requestId: 'req_2' }, { atMs: 1001 }]) {
    expect(createCallback({ ...failures, ...other }).id).not.toBe(id);
  }
});
