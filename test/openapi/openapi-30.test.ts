/** The document as OpenAPI 3.0: valid, without a newer word, and of the same API. */
import { OpenAPIBackend } from 'openapi-backend';
import { describe, expect, test } from 'vitest';
import apiSource from '../../spec/openapi.yaml';
import type { Json } from '../../src/lib/json.ts';
import { type ApiDocument, eachOperation } from '../../src/openapi/api-document.ts';
import { applyProfile } from '../../src/openapi/document.ts';
import { toOpenApi30 } from '../../src/openapi/openapi-30.ts';
import { shippedProfile } from '../../src/openapi/profile/profile.ts';

const served = applyProfile(apiSource as ApiDocument, shippedProfile);
const older = toOpenApi30(served) as ApiDocument;
const schemasOf = (document: ApiDocument) => (document['components'] as Json)['schemas'] as Record<string, Json>;

/** By the schema of OpenAPI 3.0. */
const check = (document: ApiDocument) =>
  new OpenAPIBackend({ definition: document as never, strict: true, validate: false }).init();

test('is valid OpenAPI 3.0, unlike the source', async () => {
  await check(structuredClone(older));
  await expect(check(structuredClone(served))).rejects.toThrow('not valid OpenAPI');
});

test('does not change the source', () => {
  const before = structuredClone(served);
  expect(toOpenApi30(served)['openapi']).toBe('3.0.3');
  expect(served).toEqual(before);
});

test('has the operations and statuses of the source', () => {
  const facts = (document: ApiDocument) =>
    [...eachOperation(document)].map(({ path, method, operation }) => {
      return [operation['operationId'], method, path, Object.keys(operation['responses'] as Json)];
    });
  expect(facts(older)).toEqual(facts(served));
});

test('has the schemas of the source that something refers to', () => {
  const names = Object.keys(schemasOf(older));
  const text = JSON.stringify(older);
  expect(names.filter((name) => !text.includes(`"#/components/schemas/${name}"`))).toEqual([]);
  expect(Object.keys(schemasOf(served))).toEqual(expect.arrayContaining(names));
  expect(names).toEqual(expect.arrayContaining(['CallbackMessage', 'UserRegistration', 'JobStatus', 'ErrorCode']));
});

const at = '#/components/schemas';
const named = {
  Kind: { type: 'string', enum: ['a'] },
  Time: { type: 'string', description: 'A time.', examples: ['now'] },
  Texts: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
};

const words: readonly [string, Json, Json][] = [
  ['a rule between fields', { type: 'object', if: { required: ['a'] }, then: {}, else: {} }, { type: 'object' }],
  ['null as a type', { type: ['object', 'null'] }, { type: 'object', nullable: true }],
  ['a text or a list', named.Texts, { type: 'array', items: { type: 'string' } }],
  ['a union beside the fields', { type: 'object', oneOf: [{}], discriminator: {} }, { type: 'object' }],
  ['items of their own', { type: 'array', prefixItems: [{}], items: {} }, { type: 'array', items: {} }],
  ['examples of a schema', { type: 'string', examples: ['en', 'de'] }, { type: 'string', example: 'en' }],
  ['a reference', { $ref: `${at}/Kind` }, { $ref: `${at}/Kind` }],
  [
    'words beside a reference',
    { $ref: `${at}/Kind`, description: 'D', examples: ['a'] },
    { allOf: [{ $ref: `${at}/Kind` }], description: 'D', example: 'a' },
  ],
  [
    'words beside a reference to a text',
    { $ref: `${at}/Time`, description: 'D' },
    { type: 'string', description: 'D', example: 'now' },
  ],
  [
    'a reference to a text',
    { items: { $ref: `${at}/Time` } },
    { items: { type: 'string', description: 'A time.', example: 'now' } },
  ],
  ['a field with a name that is a word', { properties: { if: {}, type: {} } }, { properties: { if: {}, type: {} } }],
  ['an example', { example: { then: 1, type: ['a', 'null'] } }, { example: { then: 1, type: ['a', 'null'] } }],
];

describe('converts', () => {
  test.each(words)('%s', (_what, schema, wanted) => {
    const paths = { '/any': { post: { schema } } };
    const document = { openapi: '3.1.0', info: {}, paths, components: { schemas: named } };
    expect((toOpenApi30(document) as ApiDocument).paths['/any']?.['post']?.['schema']).toEqual(wanted);
  });
});

test('the document has only one kind of type unions: with null', () => {
  const choices = [...JSON.stringify(served).matchAll(/"type":(\[[^\]]*\])/g)].map((match) => match[1]);
  expect(new Set(choices)).toEqual(new Set(['["object","null"]']));
});

test('removes the webhook, but not the callbacks of operations', () => {
  expect(older['webhooks']).toBeUndefined();
  const { DownstreamFailed } = (older['components'] as Json)['callbacks'] as Record<string, Record<string, Json>>;
  const [item] = Object.values(DownstreamFailed ?? {});
  expect(item?.['post']).toMatchObject({ operationId: 'downstreamFailed', requestBody: { required: true } });
  expect(schemasOf(older)['CallbackMessage']).toMatchObject({
    type: 'object',
    required: ['type', 'timestamp', 'data'],
  });
});
