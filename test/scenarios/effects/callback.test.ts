import { expect, test } from 'vitest';
import type { CallbackEffect } from '../../../src/scenarios/effects/effect.ts';
import { applyEffect } from './apply-effect.ts';

test('the first of the rules that count requests decides', () => {
  expect(applyEffect({ callback: { drop: true } }, [[], []]).results).toEqual(['acted', 'outdone']);
});

test('all rules that count callbacks are planned', () => {
  const { plan, results } = applyEffect({ callback: { drop: true } }, [[], []], true);
  expect(results).toEqual(['acted', 'acted']);
  expect(plan.callbackRules.map(({ key }) => key)).toEqual(['rule-0', 'rule-1']);
});

test.each<readonly [CallbackEffect, object]>([
  [{ copies: 2 }, { copies: 2, delayMs: 0 }],
  [{ delay: '3s' }, { delayMs: 3000 }],
])('%j plans the disturbance %j', (callback, disturbance) => {
  expect(applyEffect({ callback }, [[1]]).plan.callbackRules).toMatchObject([{ disturbance }]);
});
