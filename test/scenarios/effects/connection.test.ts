import { expect, test } from 'vitest';
import { applyEffect } from './apply-effect.ts';

test('the first rule sets the fault', () => {
  const { plan, results } = applyEffect({ connection: 'reset' }, [[], []]);
  expect(results).toEqual(['acted', 'outdone']);
  expect(plan.connection).toEqual({ fault: 'reset', processed: false });
});

test('processed lets the request take effect', () => {
  const { plan } = applyEffect({ connection: 'hang', processed: true }, [[]]);
  expect(plan.connection).toEqual({ fault: 'hang', processed: true });
});
