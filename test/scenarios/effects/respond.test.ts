import { expect, test } from 'vitest';
import { applyEffect } from './apply-effect.ts';

test('the first rule sets the response', () => {
  const { plan, results } = applyEffect({ respond: { status: 503 } }, [[], []]);
  expect(results).toEqual(['acted', 'outdone']);
  expect(plan.respond).toEqual({ status: 503, headers: {}, body: undefined, processed: false });
});

test('processed lets the request take effect', () => {
  const { plan } = applyEffect({ respond: { status: 503 }, processed: true }, [[]]);
  expect(plan.respond).toMatchObject({ processed: true });
});
