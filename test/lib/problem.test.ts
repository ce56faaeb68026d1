/** Codes of errors: those that the API's document declares, for every problem and every status of a scenario. */
import { expect, test } from 'vitest';
import apiSource from '../../spec/openapi.yaml';
import { catalogue, codes, toDefaultCode } from '../../src/lib/problem.ts';

const { schemas } = (apiSource as { components: { schemas: Record<string, { enum?: readonly string[] }> } }).components;
const declared = schemas['ErrorCode']?.enum ?? [];

test('the document declares exactly the codes that are sent', () => {
  const statuses = Array.from({ length: 200 }, (_, at) => 400 + at);
  const sent = new Set([...Object.values(codes), ...statuses.map(toDefaultCode)]);
  sent.delete(undefined);
  expect([...sent].sort()).toEqual([...declared].sort());
});

test('only problems of the control API have no code', () => {
  const without = Object.entries(codes).flatMap(([kind, code]) => (code === undefined ? [kind] : []));
  expect(without).toEqual(['foreignOrigin', 'conflict', 'misdirected']);
});

test('two kinds of problem never share a code', () => {
  const all = Object.values(codes).filter((code) => code !== undefined);
  expect(new Set(all).size).toBe(all.length);
});

test.each(Object.entries(catalogue).filter(([kind]) => !['missingKey', 'unknownPath', 'malformed'].includes(kind)))(
  'a scenario with the status of %s has its code, or a general one',
  (kind, status) => {
    const own = codes[kind as keyof typeof codes];
    if (own !== undefined) expect(toDefaultCode(status)).toBe(own);
  },
);

test.each([
  [200, undefined],
  [302, undefined],
  [418, 'invalid_request'],
  [502, 'bad_gateway'],
  [504, 'gateway_timeout'],
  [599, 'internal_error'],
])('a scenario with status %i has the code %s', (status, code) => {
  expect(toDefaultCode(status)).toBe(code);
});
