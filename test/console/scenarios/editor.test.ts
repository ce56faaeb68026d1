/** The editor finds where the user types, also in an unfinished text, and proposes what the schema allows there. */
import { describe, expect, test } from 'vitest';
import json from '../../../spec/scenario.schema.json' with { type: 'json' };
import { descriptionAt, keysAt, valuesAt } from '../../../src/console/screens/scenarios/editor/schema-help.ts';
import { placeOf, placeOfTyping } from '../../../src/console/screens/scenarios/editor/yaml-place.ts';
import type { Schema } from '../../../src/console/screens/scenarios/schema.ts';

const schema: Schema = json as unknown as Schema;

/** Proposes at the mark `|`. */
function propose(text: string): { readonly keys: readonly string[]; readonly values: readonly string[] } {
  const offset = text.indexOf('|');
  const place = placeOfTyping(text.replace('|', ''), offset);
  if (!place) return { keys: [], values: [] };
  const keys = keysAt(schema, place.path).map(({ label }) => label);
  return {
    keys: keys.filter((key) => !place.siblings.includes(key)),
    values: valuesAt(schema, place.path).map(({ label }) => label),
  };
}

describe('proposes', () => {
  test.each([
    ['at the start of a line', 'name: a\n|', 'description'],
    ['at the start of a rule', 'name: a\nrules:\n  - |', 'when'],
    ['on a new line of a rule', 'name: a\nrules:\n  - when: { item: 1 }\n    |\n', 'then'],
    ['for a key that has begun', 'name: a\nrules:\n  - th|\n', 'then'],
    ['in brackets', 'name: a\nrules:\n  - when: { |', 'operation'],
    ['after a comma', 'name: a\nrules:\n  - then: { fail: x, af| }', 'after'],
    ['in a block of a rule', 'name: a\nrules:\n  - then:\n      |', 'connection'],
    ['in an effect', 'name: a\nrules:\n  - then: { callback: { si| } }', 'signature'],
  ])('keys %s', (_where, text, key) => {
    expect(propose(text).keys).toContain(key);
  });

  test.each([
    ['operations', 'name: a\nrules:\n  - when: { operation: async| }', 'asyncImportJobs'],
    ['operations of a list', 'name: a\nrules:\n  - when: { operation: [asyncImportJobs, s|] }', 'syncImportOrders'],
    ['values of an effect', 'name: a\nrules:\n  - then:\n      connection: |', 'hang'],
    ['the one value of a key', 'name: a\nrules:\n  - scope: |', 'server'],
  ])('%s', (_what, text, value) => {
    expect(propose(text).values).toContain(value);
  });

  test('no key twice', () => {
    expect(propose('name: a\nrules:\n  - then: { fail: x, | }').keys).not.toContain('fail');
  });
});

test('describes the key and the value under the pointer', () => {
  const text = 'name: a\nrules:\n  - then: { fail: x, after: 2s }\n';
  const key = placeOf(text, text.indexOf('after') + 1);
  expect(key).toMatchObject({ kind: 'key', path: ['rules', 0, 'then'] });
  expect(descriptionAt(schema, ['rules', 0, 'then', 'after'])).toMatch('Time from the acceptance');
  expect(placeOf(text, text.indexOf('2s'))).toMatchObject({ kind: 'value', path: ['rules', 0, 'then', 'after'] });
});
