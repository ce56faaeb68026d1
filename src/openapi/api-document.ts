/** Reads OpenAPI documents: their operations, references and bodies. */
import type { Json } from '../lib/json.ts';

/** The part of an OpenAPI document that the code uses. */
export interface ApiDocument extends Json {
  paths: Record<string, Record<string, Json>>;
}

const methods = ['get', 'put', 'post', 'delete', 'patch'] as const;

/** Yields every operation of a document: its path, method and object. */
export function* eachOperation(document: ApiDocument): Generator<{ path: string; method: string; operation: Json }> {
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of methods) {
      const operation = item[method];
      if (operation) yield { path, method, operation };
    }
  }
}

/** Returns the JSON schema of an operation's body, which may be a reference. */
export function bodySchema(operation: Json): Json | undefined {
  const content = (operation['requestBody'] as Json | undefined)?.['content'] as Record<string, Json> | undefined;
  return content?.['application/json']?.['schema'] as Json | undefined;
}

/** A list in a body, whose entries are accepted or rejected one by one. */
export type EntryList = 'jobs' | 'orders' | 'routes' | 'locations' | 'routes/jobs';

/** Yields the lists of an operation's body with the schemas of their entries. */
export function* eachEntryList(document: Json, operation: Json): Generator<readonly [list: EntryList, entry: Json]> {
  const body = resolve(document, bodySchema(operation) ?? {});
  for (const list of ['jobs', 'orders', 'routes', 'locations'] as const) {
    const entry = itemsOf(document, body, list);
    if (entry) yield [list, entry];
    const job = list === 'routes' && entry && itemsOf(document, entry, 'jobs');
    if (job) yield ['routes/jobs', job];
  }
}

function itemsOf(document: Json, object: Json, name: string): Json | undefined {
  const list = (object['properties'] as Record<string, Json> | undefined)?.[name];
  const items = list && (resolve(document, list)['items'] as Json | undefined);
  return items && resolve(document, items);
}

/** Resolves a reference within the document. Returns other values unchanged. */
export function resolve(document: Json, value: Json): Json {
  let found = value;
  while (typeof found['$ref'] === 'string') {
    const pointer = found['$ref'].slice(2).split('/');
    found = pointer.reduce<Json>((at, key) => at[key.replace(/~1/g, '/').replace(/~0/g, '~')] as Json, document);
  }
  return found;
}

/** Returns what a reference refers to, with the keywords beside the reference, which an overlay may have added. */
export function resolveBeside(value: Json, document: Json): Json {
  const { $ref, ...beside } = value;
  return $ref === undefined ? value : { ...resolve(document, value), ...beside };
}

/** Returns a copy of a part of a document in which every reference is replaced; `x-ref` keeps it. */
export function dereference<Part>(value: Part, document: Json): Part;
export function dereference(value: unknown, document: Json): unknown {
  if (Array.isArray(value)) return value.map((item) => dereference(item, document));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref } = value as Json;
  const fields = Object.entries(resolveBeside(value as Json, document));
  const copy = Object.fromEntries(fields.map(([key, inner]) => [key, dereference(inner, document)]));
  return typeof $ref === 'string' ? { ...copy, 'x-ref': $ref } : copy;
}
