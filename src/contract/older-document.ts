/** The document in the words of OpenAPI 3.0, for generators that read no newer ones; it asks for less, and never for other things. */
import type { Json } from '../base/json.ts';
import { type ApiDocument, resolve } from './document.ts';

/** What 3.0 has no word for. The rules between fields go with it: the server explains them, generators know none. */
const unknownKeys = new Set(['webhooks', 'identifier', 'if', 'then', 'else']);

/** Where anything may stand, and nothing is to be reworded. */
const valueKeys = new Set(['example', 'value', 'enum', 'default']);

/** A copy of the document as OpenAPI 3.0; paths, names of schemas and operationIds are the same. */
export function toOpenApi30(document: ApiDocument): Json {
  const { summary: _, ...info } = document['info'] as Json;
  return { ...(reworded({ ...document, info }, document) as Json), openapi: '3.0.3' };
}

function reworded(value: unknown, document: ApiDocument): unknown {
  if (Array.isArray(value)) return value.map((item) => reworded(item, document));
  if (typeof value !== 'object' || value === null) return value;
  const given = value as Json;
  if (typeof given['$ref'] === 'string') return rewordedReference(given['$ref'], document);
  const { type } = given;
  return Object.fromEntries(
    Object.entries(Array.isArray(type) ? { ...given, ...toOneType(type) } : given).flatMap((entry) =>
      rewordedEntry(entry, document),
    ),
  );
}

/**
 * Without the words beside it: 3.0 ignores them, and they make some generators think it another type.
 * A plain text, such as a timestamp, is written out: old generators forget to import what its name stands for.
 */
function rewordedReference($ref: string, document: ApiDocument): unknown {
  const named = resolve(document, { $ref });
  const isText = named['type'] === 'string' && named['enum'] === undefined;
  return isText ? reworded(named, document) : { $ref };
}

/** A list of types as one: null is a mark beside it, and of text and a list of texts the list can say both. */
function toOneType(types: readonly string[]): Json {
  const [first] = types.filter((type) => type !== 'null');
  return { type: types.includes('array') ? 'array' : first, ...(types.includes('null') && { nullable: true }) };
}

function rewordedEntry([key, value]: [string, unknown], document: ApiDocument): [string, unknown][] {
  if (unknownKeys.has(key)) return [];
  if (valueKeys.has(key)) return [[key, value]];
  // Here keys are names of fields, which may be any word.
  if (key === 'properties') {
    const fields = Object.entries(value as Json).map(([name, field]) => [name, reworded(field, document)]);
    return [[key, Object.fromEntries(fields)]];
  }
  // Those of schemas are a list, and one in 3.0; those of bodies are named, and hold values.
  if (key === 'examples' && Array.isArray(value)) return [['example', value[0]]];
  return [[key, reworded(value, document)]];
}
