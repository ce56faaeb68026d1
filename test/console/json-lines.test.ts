/** The layout of JSON, which shows what was sent. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { indentedJson } from '../../src/console/json-lines.ts';

test('JSON has one value per line, in the layout of JSON.stringify', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(indentedJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
    }),
  );
});

test('it keeps numbers, the order of fields, and fields that appear twice', () => {
  const text = '{"9": 12345678901234567890, "1": -0, "a": [1.0, 1e2], "a": "\\u00e9\\"", "__proto__": {}}';
  const lines = ['{', '  "9": 12345678901234567890,', '  "1": -0,', '  "a": [', '    1.0,', '    1e2', '  ],'];
  expect(indentedJson(text).split('\n')).toEqual([...lines, '  "a": "é\\"",', '  "__proto__": {}', '}']);
});

test.each([
  ['no JSON', '{"a": [1, }'],
  ['JSON of many levels', '['.repeat(20_000) + ']'.repeat(20_000)],
])('%s stays as it is', (_what, text) => expect(indentedJson(text)).toBe(text));
