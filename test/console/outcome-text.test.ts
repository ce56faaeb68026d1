/** The outcome of a request is described in one line. */
import { describe, expect, test } from 'vitest';
import { failuresOf, outcomeOf } from '../../src/console/screens/reference/outcome-text.ts';

const failed = [
  { id: 'J-1', reason: 'exists already' },
  { id: 'J-2', reason: 'no' },
];

describe('the outcome', () => {
  test.each<[string, number, unknown, string]>([
    ['all accepted', 202, { failed: [], jobs: [{}, {}] }, '202: 2 accepted'],
    ['some rejected', 202, { failed, jobs: [{}] }, '202: 1 accepted, 2 rejected (J-1: exists already, and 1 more)'],
    ['all succeeded', 200, { failed: [], orders: [{}] }, '200: 1 succeeded'],
    ['some failed', 200, { failed: [failed[0]], orders: [] }, '200: 0 succeeded, 1 failed (J-1: exists already)'],
    ['one record', 201, { message: 'job J-1 created' }, '201: job J-1 created'],
    ['a rejected request', 400, { message: 'the body is not JSON', errors: [] }, '400: the body is not JSON'],
    ['an empty object', 200, {}, '200: succeeded'],
    ['a response of a scenario', 503, 'gone fishing', '503'],
  ])('%s', (_name, status, body, expected) => {
    expect(outcomeOf(status, JSON.stringify(body))).toBe(expected);
  });

  test('of a response that is not JSON, or has no body', () => {
    expect(outcomeOf(502, '<html>')).toBe('502');
    expect(outcomeOf(500, 'null')).toBe('500');
    expect(outcomeOf(204, '')).toBe('204: succeeded');
  });

  test('is cut if the message is long', () => {
    const outcome = outcomeOf(400, JSON.stringify({ message: 'x'.repeat(1000) }));
    expect(outcome).toBe(`400: ${'x'.repeat(90)}…`);
  });
});

test('a failure without an id is described by its reason, and no failures by an empty text', () => {
  expect(failuresOf([{ id: '', reason: 'expected an object' }])).toBe('expected an object');
  expect(failuresOf([])).toBe('');
});
