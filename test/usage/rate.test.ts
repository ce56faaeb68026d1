/** The rate of requests. flows/transcripts/rates.txt has what clients see of it. */
import { expect, test } from 'vitest';
import { Admission, ServerMemory } from '../../src/usage/admission.ts';

test('a request that began in an earlier second does not clear the counts of this one', () => {
  const admission = new Admission({
    limits: { requestsPerSecond: 1 },
    journal: { bytes: () => 0, trim: () => undefined },
    memory: new ServerMemory(1000),
    evictIdle: () => undefined,
  });
  const isRejected = (atMs: number) => admission.checkRate('p', atMs) !== undefined;
  expect([2000, 2100, 1900, 2200, 3000].map(isRejected)).toEqual([false, true, true, true, false]);
});
