import { expect, test } from 'vitest';
import { applyEffect } from './apply-effect.ts';

test('the first rule decides for each entry, and a rule without entries has nothing to do', () => {
  const { plan, results } = applyEffect({ fail: 'no' }, [[1], [1], [1, 2], []]);
  expect(results).toEqual(['acted', 'outdone', 'acted', 'idle']);
  expect(plan.failed).toEqual(
    new Map([
      [1, { reason: 'no' }],
      [2, { reason: 'no' }],
    ]),
  );
});

test('after sets the delay of the failure', () => {
  const { plan } = applyEffect({ fail: 'no', after: '2s' }, [[1]]);
  expect(plan.failed).toEqual(new Map([[1, { reason: 'no', afterMs: 2000 }]]));
});
