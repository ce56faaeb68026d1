/**
 * Converts the document to OpenAPI 3.0, for generators that support no newer version; the result is only less strict.
 */
import type { Json } from '../lib/json.ts';
import { type ApiDocument, resolve } from './document.ts';

/** Keys that 3.0 does not have. Drops the rules between fields, which generators ignore and the server explains. */
const unsupportedKeys = new Set(['webhooks', 'identifier', 'if', 'then', 'else']);

/** Keys whose values are copied unchanged, because they may hold anything. */
const valueKeys = new Set(['example', 'value', 'enum', 'default']);

/** Returns a copy of the document as OpenAPI 3.0, with the same paths, schema names and operationIds. */
export function toOpenApi30(document: ApiDocument): Json {
  const { summary: _, ...info } = document['info'] as Json;
  return { ...(convert({ ...document, info }, document) as Json), openapi: '3.0.3' };
}

function convert(value: unknown, document: ApiDocument): unknown {
  if (Array.isArray(value)) return value.map((item) => convert(item, document));
  if (typeof value !== 'object' || value === null) return value;
  const given = value as Json;
  if (typeof given['$ref'] === 'string') return convertReference(given['$ref'], document);
  const { type } = given;
  return Object.fromEntries(
    Object.entries(Array.isArray(type) ? { ...given, ...toOneType(type) } : given).flatMap((entry) =>
      convertEntry(entry, document),
    ),
  );
}

/**
 * Drops the keywords next to a reference: 3.0 ignores them, and some generators create another type for them.
 * Replaces a reference to a string type, such as a timestamp, by its schema: old generators do not import such types.
 */
function convertReference($ref: string, document: ApiDocument): unknown {
  const named = resolve(document, { $ref });
  const isText = named['type'] === 'string' && named['enum'] === undefined;
  return isText ? convert(named, document) : { $ref };
}

/** Converts a list of types to one type, plus `nullable` for null. A string or a list of strings becomes a list. */
function toOneType(types: readonly string[]): Json {
  const [first] = types.filter((type) => type !== 'null');
  return { type: types.includes('array') ? 'array' : first, ...(types.includes('null') && { nullable: true }) };
}

function convertEntry([key, value]: [string, unknown], document: ApiDocument): [string, unknown][] {
  if (unsupportedKeys.has(key)) return [];
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
