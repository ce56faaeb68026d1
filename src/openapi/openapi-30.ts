/**
 * Converts the document to OpenAPI 3.0, for generators that support no newer version. The result is only less strict,
 * except that a text or a list is a list.
 */
import type { Json } from '../lib/json.ts';
import { type ApiDocument, resolve } from './api-document.ts';
import { dropUnreferenced, referencesOf } from './profile/move-identifiers.ts';

/**
 * Keys that 3.0 or its generators do not have. Drops the rules between fields, which the server explains, and unions:
 * generators of the time write a type that has no value of its own for them.
 */
const unsupportedKeys = new Set([
  'webhooks',
  'identifier',
  'if',
  'then',
  'else',
  'prefixItems',
  'discriminator',
  'oneOf',
]);

/** Keys whose values are copied unchanged, because they may hold anything. */
const valueKeys = new Set(['example', 'value', 'enum', 'default']);

/** Returns the document as OpenAPI 3.0, with the same paths, operationIds and names of schemas that are still used. */
export function toOpenApi30(document: ApiDocument): Json {
  const { summary: _, ...info } = document['info'] as Json;
  const converted = { ...(convert({ ...document, info }, document) as ApiDocument), openapi: '3.0.3' };
  dropUnreferenced(converted, referencesOf(document));
  return converted;
}

function convert(value: unknown, document: ApiDocument): unknown {
  if (Array.isArray(value)) return value.map((item) => convert(item, document));
  if (typeof value !== 'object' || value === null) return value;
  const given = toList(withListedTexts(value as Json, document));
  if (typeof given['$ref'] === 'string') return convertReference(given, document);
  const { type } = given;
  return Object.fromEntries(
    Object.entries(Array.isArray(type) ? { ...given, ...toOneType(type) } : given).flatMap((entry) =>
      convertEntry(entry, document),
    ),
  );
}

/**
 * Converts a reference and the keywords next to it, which 3.0 ignores there. Replaces references to webhooks, and to
 * types that are neither an object nor an enum, by their values: old generators do not import such types.
 */
function convertReference({ $ref, ...beside }: Json, document: ApiDocument): unknown {
  const named = resolve(document, { $ref });
  const isSchema = String($ref).startsWith('#/components/schemas/');
  const isNamed = named['enum'] !== undefined || named['type'] === 'object';
  if (!isSchema) return String($ref).startsWith('#/components/') ? { $ref } : convert(named, document);
  if (!isNamed && !isNullable(named)) return convert({ ...named, ...beside }, document);
  return Object.keys(beside).length === 0 ? { $ref } : { allOf: [{ $ref }], ...(convert(beside, document) as Json) };
}

/** Converts a text or a list to the list: generators of the time write invalid code for a union without a name. */
function toList({ anyOf, ...schema }: Json): Json {
  if (!Array.isArray(anyOf)) return anyOf === undefined ? schema : { ...schema, anyOf };
  const choices = (anyOf as readonly Json[]).filter(({ type }) => type !== 'null');
  const list = choices.find(({ type }) => type === 'array');
  if (!list || choices.length !== 2) return { ...schema, anyOf };
  return { ...schema, ...list, ...(choices.length < anyOf.length && { nullable: true }) };
}

/** Returns a media type whose example bodies fit its schema after conversion; any other value unchanged. */
function withListedTexts(value: Json, document: ApiDocument): Json {
  const { schema, examples } = value as Record<string, Json>;
  if (!schema || typeof examples !== 'object' || Array.isArray(examples)) return value;
  const listed = Object.entries(examples as Record<string, Json>).map(([name, example]) => {
    if (example['$ref'] !== undefined) return [name, example];
    return [name, { ...example, value: listTexts(example['value'], schema, document) }];
  });
  return { ...value, examples: Object.fromEntries(listed) };
}

/** Puts texts into a list where the schema accepts a text or a list. */
function listTexts(value: unknown, schema: Json, document: ApiDocument): unknown {
  const { items = {}, properties = {}, type } = toList(resolve(document, schema)) as Record<string, Json>;
  if (typeof value === 'string') return String(type) === 'array' ? [value] : value;
  if (Array.isArray(value)) return value.map((item) => listTexts(item, items, document));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, field]) => {
    return [name, listTexts(field, (properties as Record<string, Json>)[name] ?? {}, document)];
  });
  return Object.fromEntries(fields);
}

function isNullable({ type }: Json): boolean {
  return Array.isArray(type) && type.includes('null');
}

/** Converts a list of types to one type, plus `nullable` for null. */
function toOneType(types: readonly string[]): Json {
  const [first] = types.filter((type) => type !== 'null');
  return { type: first, ...(types.includes('null') && { nullable: true }) };
}

function convertEntry([key, value]: [string, unknown], document: ApiDocument): [string, unknown][] {
  if (unsupportedKeys.has(key)) return [];
  if (key === 'const') return [['enum', [value]]];
  if (key === 'type' && value === 'null') return [['nullable', true]];
  if (valueKeys.has(key)) return [[key, value]];
  // These keys are field names, which may equal a keyword.
  if (key === 'properties') {
    const fields = Object.entries(value as Json).map(([name, field]) => [name, convert(field, document)]);
    return [[key, Object.fromEntries(fields)]];
  }
  // Examples of schemas are a list, and a single `example` in 3.0. Examples of bodies are an object and stay as they
  // are.
  if (key === 'examples' && Array.isArray(value)) return [['example', value[0]]];
  return [[key, convert(value, document)]];
}
