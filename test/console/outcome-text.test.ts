/** What came of a request is told in one line, whatever the answer was. */
import { describe, expect, test } from 'vitest';
import { failuresOf, outcomeOf } from '../../src/console/screens/reference/outcome-text.ts';

const failed = [
  { id: 'J-1', reason: 'exists already' },
  { id: 'J-2', reason: 'no' },
];

describe('the outcome', () => {
  test.each<[string, number, unknown, string]>([
    ['all taken', 202, { failed: [], jobs: [{}, {}] }, '202: 2 taken'],
    ['some refused', 202, { failed, jobs: [{}] }, '202: 1 taken, 2 refused (J-1: exists already, and 1 more)'],
    ['carried out', 200, { failed: [], orders: [{}] }, '200: 1 done'],
    ['some failed', 200, { failed: [failed[0]], orders: [] }, '200: 0 done, 1 failed (J-1: exists already)'],
    ['one record', 201, { message: 'job J-1 created' }, '201: job J-1 created'],
    ['a refusal', 400, { message: 'the body is not JSON', errors: [] }, '400: the body is not JSON'],
    ['nothing to tell', 200, {}, '200: done'],
    ['an answer of a scenario', 503, 'gone fishing', '503'],
  ])('%s', (_name, status, body, told) => {
    expect(outcomeOf(status, JSON.stringify(body))).toBe(told);
  });

  test('of what is no JSON, and of nothing', () => {
    expect(outcomeOf(502, '<html>')).toBe('502');
    expect(outcomeOf(500, 'null')).toBe('500');
    expect(outcomeOf(204, '')).toBe('204: done');
  });

  test('is cut where a reason is long', () => {
    const told = outcomeOf(400, JSON.stringify({ message: 'x'.repeat(1000) }));
    expect(told).toBe(`400: ${'x'.repeat(90)}…`);
  });
});

test('a failure without an id is its reason, and none is nothing', () => {
  expect(failuresOf([{ id: '', reason: 'expected an object' }])).toBe('expected an object');
  expect(failuresOf([])).toBe('');
});
