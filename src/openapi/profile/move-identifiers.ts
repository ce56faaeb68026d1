/** Moves identifiers in the document from the path into the query, a header or the body. */
import type { Json } from '../../lib/json.ts';
import { type ApiDocument, bodySchema, resolve } from '../api-document.ts';
import { type MovedIdentifiers, splitPlace } from './places.ts';

/** Extension of an operation whose identifiers are not all in its path; its value is a `MovedIdentifiers`. */
export const identifiersKey = 'x-sandbox-identifiers';

/** Moves identifiers of one operation. Its parameters must include those of its path item. */
export function moveIdentifiers(operation: Json, moved: MovedIdentifiers, document: ApiDocument): void {
  if (Object.keys(moved).length === 0) return;
  operation[identifiersKey] = moved;
  const kept: Json[] = [];
  const fields: Json[] = [];
  for (const parameter of operation['parameters'] as readonly Json[]) {
    const { 'x-not-shown': _inPath, ...resolved } = resolve(document, parameter);
    const identifier = String(resolved['name']);
    const place = moved[identifier];
    if (place === undefined) {
      kept.push(parameter);
      continue;
    }
    const [kind, name] = splitPlace(place, identifier);
    if (kind === 'body') fields.push({ ...resolved, name });
    else kept.push({ ...resolved, name, in: kind });
  }
  operation['parameters'] = kept;
  if (fields.length > 0) addToBody(operation, fields, document);
}

/** Adds required fields to the body of an operation: its schema gets a new name, because others may share it. */
function addToBody(operation: Json, fields: readonly Json[], document: ApiDocument): void {
  const schema = bodySchema(operation) ?? {};
  const extended = withFields(resolve(document, schema), fields);
  const requestBody = operation['requestBody'] as Json;
  const { 'application/json': media, ...others } = requestBody['content'] as Record<string, Json>;
  const examples = Object.entries((media?.['examples'] ?? {}) as Record<string, Json>).map(
    ([name, example]) => [name, withValues(resolve(document, example), fields)] as const,
  );
  const changed = {
    ...media,
    schema: toNamed(schema['$ref'], extended, fields, document),
    ...(examples.length > 0 && { examples: Object.fromEntries(examples) }),
  };
  operation['requestBody'] = { ...requestBody, content: { 'application/json': changed, ...others } };
}

function withFields(schema: Json, fields: readonly Json[]): Json {
  const added = fields.map(({ name, schema: type, description, example }) => [
    name,
    { ...(type as Json), description, ...(example !== undefined && { examples: [example] }) },
  ]);
  const required = new Set([...fields.map(({ name }) => name), ...((schema['required'] ?? []) as readonly string[])]);
  const properties = { ...Object.fromEntries(added), ...without((schema['properties'] ?? {}) as Json, fields) };
  return { ...schema, required: [...required], properties, ...withNames(schema['if'], fields) };
}

/** Returns a condition about the names of all fields of a body, to which the added ones are allowed. */
function withNames(condition: unknown, fields: readonly Json[]): { readonly if?: Json } {
  const rule = condition as { not?: { propertyNames?: { enum?: readonly unknown[] } } } | undefined;
  const names = rule?.not?.propertyNames?.enum;
  if (!names) return {};
  const allowed = new Set([...names, ...fields.map(({ name }) => name)]);
  return { if: { ...rule, not: { propertyNames: { enum: [...allowed] } } } };
}

function without(properties: Json, fields: readonly Json[]): Json {
  const names = new Set(fields.map(({ name }) => name));
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !names.has(name)));
}

/** Adds the values of fields to an example of a body. */
function withValues(example: Json, fields: readonly Json[]): Json {
  const values = Object.fromEntries(fields.map(({ name, example: value }) => [name, value]));
  return { ...example, value: { ...values, ...(example['value'] as Json) } };
}

/** Returns a reference to a new schema such as `JobCreateListWithProjectId`; the schema itself if it had no name. */
function toNamed($ref: unknown, schema: Json, fields: readonly Json[], document: ApiDocument): Json {
  if (typeof $ref !== 'string') return schema;
  const suffix = fields.map(({ name }) => String(name).replace(/^./, (letter) => letter.toUpperCase())).join('And');
  const target = `${$ref}With${suffix}`;
  const { schemas } = document['components'] as { schemas: Json };
  schemas[target.slice(target.lastIndexOf('/') + 1)] ??= schema;
  return { $ref: target };
}

/** Removes components to which nothing refers any more; generators would create types for them. */
export function dropUnreferenced(document: ApiDocument, before: ReadonlySet<string>): void {
  const components = document['components'] as Record<string, Json>;
  let isDone = false;
  while (!isDone) {
    const now = referencesOf(document);
    isDone = true;
    for (const $ref of before) {
      const [kind = '', name = ''] = $ref.split('/').slice(2);
      if (now.has($ref) || components[kind]?.[name] === undefined) continue;
      delete components[kind][name];
      // What only this one referred to is unreferenced now.
      isDone = false;
    }
  }
}

/** Returns all references within a part of a document. */
export function referencesOf(value: unknown, found: Set<string> = new Set()): Set<string> {
  if (typeof value !== 'object' || value === null) return found;
  for (const [key, inner] of Object.entries(value)) {
    if (key === '$ref' && typeof inner === 'string') found.add(inner);
    else referencesOf(inner, found);
  }
  return found;
}
