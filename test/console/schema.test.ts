/** The reference describes schemas for readers. */
import { describe, expect, test } from 'vitest';
import type { Document, Schema } from '../../src/console/screens/reference/openapi.ts';
import {
  fieldsOf,
  innerOf,
  limitsOf,
  rulesOf,
  typeOf,
  variantsOf,
} from '../../src/console/screens/reference/schema.ts';

const id: Schema = { type: 'string', minLength: 1 };
const named: Schema = { type: 'object', required: ['id'], properties: { name: { type: 'string' }, id } };
const document: Document = {
  info: { title: 'T', version: '1' },
  paths: {},
  components: { schemas: { Named: named } },
};
const ref = { $ref: '#/components/schemas/Named' };

describe('the type', () => {
  test.each<[Schema, string]>([
    [{ type: 'string' }, 'string'],
    [{ type: ['object', 'null'] }, 'object | null'],
    [{ type: 'array', items: ref }, 'object[]'],
    [{ type: 'array', items: { type: ['string', 'null'] } }, '(string | null)[]'],
    [{ type: 'array' }, 'any[]'],
    [{ anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] }, 'string | string[]'],
    [{ const: 'Point' }, '"Point"'],
    [{ properties: {} }, 'object'],
    [{}, 'any'],
  ])('of %j is %s', (schema, expected) => {
    expect(typeOf(document, schema)).toBe(expected);
  });
});

test('limits are words', () => {
  expect(limitsOf({ minLength: 1 })).toEqual(['not empty']);
  expect(limitsOf({ minLength: 8, maxLength: 20, pattern: '^a' })).toEqual(['8 to 20 characters', 'pattern ^a']);
  expect(limitsOf({ minItems: 2, maxItems: 2 })).toEqual(['exactly 2 entries']);
  expect(limitsOf({ maxItems: 10_000, uniqueItems: true })).toEqual(['at most 10,000 entries', 'all different']);
  expect(limitsOf({ minimum: 0, default: 'x', writeOnly: true })).toEqual([
    'at least 0',
    'default "x"',
    'never returned',
  ]);
});

test('required fields are first, and those of allOf are merged', () => {
  const schema: Schema = { allOf: [ref, { required: ['name'], properties: { tag: { type: 'string' } } }] };
  const fields = fieldsOf(document, schema).map(({ name, isRequired }) => [name, isRequired]);
  expect(fields).toEqual([
    ['name', true],
    ['id', true],
    ['tag', false],
  ]);
});

test('a list is opened to the fields of its entries, also beside null', () => {
  expect(innerOf(document, { type: 'array', items: { type: 'array', items: ref } })).toEqual(named);
  expect(innerOf(document, { anyOf: [{ type: 'null' }, ref] })).toEqual(named);
  expect(innerOf(document, id)).toBeUndefined();
});

test('variants list only what differs', () => {
  const own = { type: { const: 'driver' }, id };
  const schema: Schema = {
    properties: { id, type: {} },
    oneOf: [{ description: 'Driver', properties: own, required: ['type'] }],
  };
  expect(variantsOf(document, schema)).toMatchObject([{ title: 'Driver', schema: { properties: { type: own.type } } }]);
});

test('rules of conditions are listed once', () => {
  const rule = { 'x-rule': 'Send one of these.' };
  const schema: Schema = { then: { allOf: [rule, rule], properties: { a: { 'x-rule': 'Omit it.' } } }, else: rule };
  expect(rulesOf(document, schema)).toEqual(['Send one of these.', 'Omit it.']);
});
