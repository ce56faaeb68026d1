/** Closes the objects of an OpenAPI document before it is compiled. */
import type { Json } from '../lib/json.ts';
import { type ApiDocument, dereference, resolveBeside } from './api-document.ts';
import { limitMark } from './document.ts';
import { freeFormKeyword } from './validate.ts';

/** Value of `x-timestamp` where a date alone is accepted with a warning; the format that replaces `date-time` there. */
export const dateAllowed = 'date-allowed';

/** Keywords whose schemas state conditions, and do not define fields: their objects stay open. */
const conditions = new Set(['if', 'then', 'else', 'not']);

/** Keywords whose values are no schemas. */
export const valueKeys: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'example', 'examples']);

/**
 * Returns a copy of a part of the document whose objects reject undefined fields, so that one pass finds both mistakes
 * and unknown fields. Use it only for compiling: the served document says, as the API does, that unknown fields are
 * accepted. Replaces every reference by a copy of its schema: for a shared schema, Ajv generates a function and builds
 * a path at each call, which takes several times as long as the checks.
 */
export function closeObjects<Part>(value: Part, document: ApiDocument): Part;
export function closeObjects(value: unknown, document: ApiDocument): unknown {
  if (Array.isArray(value)) return value.map((item) => closeObjects(item, document));
  if (typeof value !== 'object' || value === null) return value;
  const copy: Json = {};
  const whole = mergeParts(resolveBeside(value as Json, document), document);
  for (const [key, inner] of Object.entries(mergeTypes(withoutUnions(whole)))) {
    // Also these: openapi-backend replaces a list that is there twice by a reference to the first.
    if (valueKeys.has(key)) copy[key] = structuredClone(inner);
    else if (key === 'properties') copy[key] = closeFields(inner as Json, document);
    else copy[key] = conditions.has(key) ? dereference(inner, document) : closeObjects(inner, document);
  }
  close(copy);
  return copy;
}

/** Closes the schemas of fields, whose names may equal a keyword. */
function closeFields(fields: Json, document: ApiDocument): Json {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, closeObjects(field, document)]));
}

function close(copy: Json): void {
  if (copy['x-timestamp'] === dateAllowed) copy['format'] = dateAllowed;
  if (copy['type'] === 'object' || (Array.isArray(copy['type']) && copy['type'].includes('object'))) {
    if (copy['properties'] && copy['additionalProperties'] === undefined) copy['additionalProperties'] = false;
    if (!copy['properties']) copy[freeFormKeyword] = true;
  }
}

/**
 * Returns a schema without what only generators need: a union of types, whose rules `if` and `then` state with better
 * explanations; the maximum length of a list, whose entries are counted before.
 */
function withoutUnions(schema: Json): Json {
  const { discriminator, ...rest } = schema;
  if (discriminator !== undefined && rest['if'] !== undefined) delete rest['oneOf'];
  if (rest['x-profile'] === limitMark) delete rest['maxItems'];
  return rest;
}

/** Joins the parts of an object to one, so that a field of one part is not unknown in the others. Other rules stay parts. */
function mergeParts({ allOf, ...schema }: Json, document: ApiDocument): Json {
  if (!Array.isArray(allOf)) return allOf === undefined ? schema : { ...schema, allOf };
  const parts = allOf.map((one: Json) => mergeParts(resolveBeside(one, document), document));
  const all = [schema, ...parts];
  const isOpen = all.every((one) => one['additionalProperties'] === undefined);
  if (!isOpen || !parts.some((one) => one['properties'])) return { ...schema, allOf };
  const fields = new Map<string, unknown[]>();
  for (const [name, field] of all.flatMap((one) => Object.entries((one['properties'] ?? {}) as Json)))
    fields.set(name, [...(fields.get(name) ?? []), field]);
  return {
    ...schema,
    type: all.find((one) => one['type'] !== undefined)?.['type'] ?? 'object',
    properties: Object.fromEntries([...fields].map(([name, one]) => [name, one.length > 1 ? { allOf: one } : one[0]])),
    required: [...new Set(all.flatMap((one) => (one['required'] ?? []) as readonly string[]))],
    allOf: parts.map(({ properties: _fields, required: _names, type: _type, ...others }) => others),
  };
}

/** Keywords that hold for values of any type: in a joined schema, they would hold for the other types, too. */
export const untyped: readonly string[] = ['const', 'enum', 'not', 'if', '$ref', 'allOf', 'anyOf', 'oneOf'];

/** Joins `anyOf` of different types to one schema with a list of types, so that a wrong type is one mistake. */
function mergeTypes({ anyOf, ...schema }: Json): Json {
  if (!Array.isArray(anyOf)) return anyOf === undefined ? schema : { ...schema, anyOf };
  const types: readonly unknown[] = anyOf.map((one: Json) => one['type']);
  const isTyped = anyOf.every((one: Json) => typeof one['type'] === 'string' && !untyped.some((key) => key in one));
  const isJoinable = isTyped && new Set(types).size === types.length;
  return isJoinable ? { ...schema, ...Object.assign({}, ...anyOf), type: types } : { ...schema, anyOf };
}
