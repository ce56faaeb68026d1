/** The document as OpenAPI 3.0: valid, without a newer word, and of the same API. */
import { OpenAPIBackend } from 'openapi-backend';
import { describe, expect, test } from 'vitest';
import apiSource from '../../spec/openapi.yaml';
import type { Json } from '../../src/lib/json.ts';
import { createContract } from '../../src/openapi/contract.ts';
import { type ApiDocument, applyProfile, eachOperation, resolve } from '../../src/openapi/document.ts';
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

test('has the operations, schemas and statuses of the source', () => {
  const facts = (document: ApiDocument) =>
    [...eachOperation(document)].map(({ path, method, operation }) => {
      return [operation['operationId'], method, path, Object.keys(operation['responses'] as Json)];
    });
  expect(facts(older)).toEqual(facts(served));
  expect(Object.keys(schemasOf(older))).toEqual(Object.keys(schemasOf(served)));
});

test('accepts every example with lists instead of texts', async () => {
  const contract = createContract(older);
  let count = 0;
  for (const { path, operation } of eachOperation(older)) {
    const routed = contract.operations.get(String(operation['operationId']));
    if (!routed) throw new Error(`${operation['operationId']} is not routed`);
    const params = Object.fromEntries([...path.matchAll(/\{(.+?)\}/g)].map((match) => [match[1], 'x']));
    const media = ((operation['requestBody'] as Json)['content'] as Record<string, Json>)['application/json'] as Json;
    for (const example of Object.values(media['examples'] as Record<string, Json>)) {
      const body = inLists(resolve(older, example)['value'] as Json);
      count += 1;
      const how = { list: undefined, strict: true, depth: 100 };
      expect(contract.validate(routed, { params, query: {}, body }, how).violations, path).toEqual([]);
    }
  }
  expect(count).toBeGreaterThan(29);
});

/** The same with `access` as a list. */
function inLists({ access, ...others }: Json): Json {
  return { ...others, ...(access !== undefined && { access: [access].flat() }) };
}

const at = '#/components/schemas';
const named = { Kind: { type: 'string', enum: ['a'] }, Time: { type: 'string', examples: ['now'] } };

const words: readonly [string, Json, Json][] = [
  ['a rule between fields', { type: 'object', if: { required: ['a'] }, then: {}, else: {} }, { type: 'object' }],
  ['null as a type', { type: ['object', 'null'] }, { type: 'object', nullable: true }],
  ['a text or a list', { type: ['string', 'array'], items: {} }, { type: 'array', items: {} }],
  ['examples of a schema', { type: 'string', examples: ['en', 'de'] }, { type: 'string', example: 'en' }],
  ['words beside a reference', { $ref: `${at}/Kind`, description: 'D' }, { $ref: `${at}/Kind` }],
  ['a reference to a text', { items: { $ref: `${at}/Time` } }, { items: { type: 'string', example: 'now' } }],
  ['a field with a name that is a word', { properties: { if: {}, type: {} } }, { properties: { if: {}, type: {} } }],
  ['an example', { example: { then: 1, type: ['a', 'null'] } }, { example: { then: 1, type: ['a', 'null'] } }],
];

describe('converts', () => {
  test.each(words)('%s', (_what, schema, wanted) => {
    const document = { openapi: '3.1.0', info: {}, paths: {}, components: { schemas: { ...named, Any: schema } } };
    const reworded = toOpenApi30(document) as ApiDocument;
    expect(schemasOf(reworded)['Any']).toEqual(wanted);
  });
});

test('the document has only two kinds of type unions: with null, and text or list of texts', () => {
  const choices = [...JSON.stringify(served).matchAll(/"type":(\[[^\]]*\])/g)].map((match) => match[1]);
  expect(new Set(choices)).toEqual(new Set(['["object","null"]', '["string","array"]']));
});

test('removes the webhook, but not its schemas', () => {
  expect(older['webhooks']).toBeUndefined();
  expect(schemasOf(older)['CallbackMessage']).toMatchObject({
    type: 'object',
    required: ['type', 'timestamp', 'data'],
  });
});
