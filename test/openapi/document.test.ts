/** Both documents: the operations that were promised, their words, and that every example is what its schema says. */
import { describe, expect, test } from 'vitest';
import controlSource from '../../spec/control.yaml';
import apiSource from '../../spec/openapi.yaml';
import type { Json } from '../../src/lib/json.ts';
import { type ApiDocument, bodySchema, eachOperation, resolve } from '../../src/openapi/api-document.ts';
import { bodies, results, type Shape } from '../model/documented-fields.ts';
import { documented } from '../model/operations.ts';

const api = apiSource as ApiDocument;
const control = controlSource as ApiDocument;
const documents = { api, control };

const promised = Object.entries(documented).map(([id, row]) => [id, ...row] as const);

const operations = new Map([...eachOperation(api)].map((found) => [String(found.operation['operationId']), found]));

function jsonOf(document: ApiDocument, holder: unknown): Json | undefined {
  const content = resolve(document, holder as Json)['content'] as Record<string, Json> | undefined;
  return content?.['application/json'];
}

/** A schema of a string in the words of the hand-written table. */
function toWord(own: Json, format: string | undefined): string {
  if (format === 'date-time') return own['x-timestamp'] === 'date-allowed' ? 'date or timestamp' : 'timestamp';
  if (own['x-language-code']) return 'language';
  if (own['x-not-empty']) return 'subproject';
  return own['minLength'] === 1 ? 'identifier' : (format ?? 'string');
}

/** A schema in the words of the hand-written table. */
function toShape(schema: Json): Shape {
  const own = resolve(api, schema);
  const { type, format, properties, items } = own as { type: unknown; format?: string } & Record<string, Json>;
  if (Array.isArray(own['enum'])) return own['enum'].join(' | ');
  if (own['x-longitude-first']) return 'position';
  if (type === 'array') return [toShape(items as Json)];
  if (type === 'string') return toWord(own, format);
  if (own['anyOf'])
    return (own['anyOf'] as readonly Json[]).map(toShape).every(isText) ? 'string or strings' : 'unknown';
  return properties ? toObjectShape(own, properties) : toOtherShape(own);
}

const isText = (shape: Shape): boolean => shape === 'string' || JSON.stringify(shape) === '["string"]';

function toOtherShape({ type, maxProperties }: Json): Shape {
  if (type !== 'object') return String(type);
  return maxProperties === 0 ? {} : 'free';
}

function toObjectShape({ type, ...own }: Json, properties: Json): Shape {
  const required = (own['required'] ?? []) as readonly string[];
  const fields = Object.entries(properties).map(([name, inner]) => [
    required.includes(name) ? `${name}!` : name,
    toShape(inner as Json),
  ]);
  return { ...Object.fromEntries(fields), ...(Array.isArray(type) && { '(or null)': 'null' }) };
}

test('the API has the 29 documented operations and no other', () => {
  expect([...operations.keys()].sort()).toEqual(promised.map(([id]) => id).sort());
  expect(operations.size).toBe(29);
});

describe.each(promised)('%s', (id, method, path, success, result) => {
  const { operation, ...place } = operations.get(id) as { path: string; method: string; operation: Json };

  test('has its documented method and path, and one success status', () => {
    expect(place).toEqual({ path, method: method.toLowerCase() });
    expect(Object.keys(operation['responses'] as Json).filter((status) => status < '400')).toEqual([String(success)]);
  });

  test('accepts the documented fields', () => {
    expect(toShape(bodySchema(operation) as Json)).toEqual(bodies[id]);
  });

  test('returns the documented result', () => {
    const response = (operation['responses'] as Json)[String(success)];
    expect(toShape(jsonOf(api, response)?.['schema'] as Json)).toEqual(results[result]);
  });
});

describe.each(Object.entries(documents))('the document of the %s', (_name, document) => {
  const all = [...eachOperation(document)].map(({ operation }) => operation);

  test('has a summary, a description and a unique id for every operation', () => {
    for (const operation of all) {
      expect(operation['summary'], String(operation['operationId'])).toMatch(/\S/);
      expect(operation['description'], String(operation['operationId'])).toMatch(/\S/);
    }
    expect(new Set(all.map((operation) => operation['operationId'])).size).toBe(all.length);
  });

  test('has an example of every body and every success response', () => {
    for (const operation of all) {
      const id = String(operation['operationId']);
      if (operation['requestBody']) expect(examplesOf(document, operation['requestBody']), id).not.toEqual([]);
      for (const [status, response] of Object.entries(operation['responses'] as Json)) {
        if (!status.startsWith('2') || !jsonOf(document, response)) continue;
        expect(examplesOf(document, response), `${id} ${status}`).not.toEqual([]);
      }
    }
  });
});

function examplesOf(document: ApiDocument, holder: unknown): readonly unknown[] {
  const media = holder === undefined ? undefined : jsonOf(document, holder);
  if (!media) return [];
  const named = Object.values((media['examples'] ?? {}) as Record<string, Json>);
  const values = named.map((example) => resolve(document, example)['value']);
  return 'example' in media ? [...values, media['example']] : values;
}

test('no schema of the control API has the name of a global, which generated clients would hide', () => {
  const ofBrowsers = 'Comment Document Element Event File Image Location Node Option Range Report Storage Text Window';
  const ofTypes = 'Exclude Extract Omit Partial Pick Readonly Record Required';
  const globals = [...Object.getOwnPropertyNames(globalThis), ...`${ofBrowsers} ${ofTypes}`.split(' ')];
  const { schemas } = control['components'] as { schemas: Json };
  expect(Object.keys(schemas).filter((name) => globals.includes(name))).toEqual([]);
});
