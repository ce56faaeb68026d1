/** Makes the optional fields of all request bodies nullable, where the profile says `nulls: ignore`. */
import type { Json } from '../lib/json.ts';
import { type ApiDocument, bodySchema, eachOperation, resolve } from './api-document.ts';
import { untyped } from './close-objects.ts';
import { dropUnreferenced, referencesOf } from './profile/move-identifiers.ts';

/**
 * Returns a copy of the document whose request bodies accept null in place of every optional value, but not in lists.
 * A reference is replaced by one to a nullable copy of its schema: `AddressOrNull`.
 */
export function toNullable(document: ApiDocument): ApiDocument {
  const copy = structuredClone(document);
  const { schemas } = copy['components'] as { schemas: Record<string, Json> };
  const done = new Set<Json>();

  function visit(schema: Json): void {
    const resolved = resolve(copy, schema);
    if (done.has(resolved)) return;
    done.add(resolved);
    for (const part of partsOf(resolved)) visit(part);
    const required = (resolved['required'] ?? []) as readonly string[];
    const properties = (resolved['properties'] ?? {}) as Record<string, Json>;
    for (const [name, property] of Object.entries(properties)) {
      visit(property);
      if (!required.includes(name)) properties[name] = orNull(property);
    }
  }

  function orNull(schema: Json): Json {
    const { $ref, ...others } = schema;
    if (typeof $ref !== 'string') return withNull(schema);
    const resolved = resolve(copy, schema);
    if (acceptsNull(resolved)) return schema;
    const name = `${$ref.split('/').at(-1)}OrNull`;
    schemas[name] ??= withNull(resolved);
    return { ...others, $ref: `#/components/schemas/${name}` };
  }

  const before = referencesOf(copy);
  for (const { operation } of eachOperation(copy)) visit(bodySchema(operation) ?? {});
  dropUnreferenced(copy, before);
  return copy;
}

/** Returns the schemas of a list's items and of alternatives. */
function partsOf({ allOf, anyOf, oneOf, items }: Json): readonly Json[] {
  return [allOf, anyOf, oneOf, items].flatMap((part) => (part ?? []) as Json | readonly Json[]);
}

function acceptsNull({ type, anyOf }: Json): boolean {
  if (Array.isArray(anyOf)) return anyOf.some((one: Json) => one['type'] === 'null');
  return Array.isArray(type) && type.includes('null');
}

function withNull(schema: Json): Json {
  const { type, anyOf, enum: values } = schema;
  if (acceptsNull(schema)) return schema;
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...anyOf, { type: 'null' }] };
  const rules = untyped.filter((key) => key in schema);
  const isListed = type !== undefined && rules.every((key) => key === 'enum');
  if (rules.length > 0 && !isListed) return { anyOf: [schema, { type: 'null' }] };
  if (type === undefined) return schema;
  return {
    ...schema,
    type: [...[type].flat(), 'null'],
    ...(Array.isArray(values) && { enum: [...values, null] }),
  };
}
