/** The count of requests in a second of the wall's clock. */
import { expect, test } from 'vitest';
import { createRate } from '../../src/usage/rate.ts';

test('limits requests per second and project, and marks the first rejection', () => {
  let refused = 0;
  const rate = createRate(2, () => {
    refused += 1;
  });
  const at = (ms: number, project = 'a') => rate.check(project, ms)?.isFirst;
  expect([at(0), at(10), at(20), at(999)]).toEqual([undefined, undefined, true, false]);
  expect(at(999, 'b')).toBeUndefined();
  expect([at(1000), at(1001), at(1002)]).toEqual([undefined, undefined, true]);
  expect(refused).toBe(3);
});

test('rejects nothing without a limit', () => {
  const rate = createRate(undefined, () => undefined);
  for (let n = 0; n < 1000; n += 1) expect(rate.check('a', 0)).toBeUndefined();
});
