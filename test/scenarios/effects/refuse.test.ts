import { expect, test } from 'vitest';
import { applyEffect } from './apply-effect.ts';

test('the first rule decides for each entry, and a rule without entries has nothing to do', () => {
  const { plan, results } = applyEffect({ refuse: 'no' }, [[1], [1], [1, 2], []]);
  expect(results).toEqual(['acted', 'outdone', 'acted', 'idle']);
  expect(plan.refused).toEqual(
    new Map([
      [1, 'no'],
      [2, 'no'],
    ]),
  );
});
