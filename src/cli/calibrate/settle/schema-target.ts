/** Finds the schema of a request's value in the API's document, as a target of an overlay. */
import apiSource from '../../../../spec/openapi.yaml';
import type { Json } from '../../../lib/json.ts';
import { type ApiDocument, bodySchema, eachOperation } from '../../../openapi/document.ts';
import { isObject } from '../exchange.ts';

/** The document as it is shipped, without a profile. */
export const shippedDocument: ApiDocument = apiSource as ApiDocument;

/** A schema, and its JSONPath in the document. */
export interface SchemaTarget {
  readonly target: string;
  readonly schema: Json;
}

const bodies: ReadonlyMap<string, SchemaTarget> = new Map(
  [...eachOperation(shippedDocument)].map(({ path, method, operation }) => {
    const target = `$.paths${toKey(path)}.${method}.requestBody.content${toKey('application/json')}.schema`;
    return [String(operation['operationId']), follow({ target, schema: bodySchema(operation) ?? {} })];
  }),
);

/** Returns the schema of the value at a pointer of an operation's body; `*` stands for any item of a list. */
export function findSchema(operation: string, pointer: string): SchemaTarget | undefined {
  const segments = pointer.split('/').slice(1);
  return segments.reduce<SchemaTarget | undefined>(
    (at, segment) => at && step(at, segment.replace(/~1/g, '/').replace(/~0/g, '~')),
    bodies.get(operation),
  );
}

function step({ target, schema }: SchemaTarget, segment: string): SchemaTarget | undefined {
  if (/^(\*|\d+)$/.test(segment) && isObject(schema['items']))
    return follow({ target: `${target}.items`, schema: schema['items'] });
  const properties = schema['properties'];
  if (isObject(properties) && isObject(properties[segment]))
    return follow({ target: `${target}.properties${toKey(segment)}`, schema: properties[segment] });
  for (const keyword of ['allOf', 'oneOf', 'anyOf']) {
    const parts = schema[keyword];
    if (!Array.isArray(parts)) continue;
    for (const [index, part] of parts.entries()) {
      const found = isObject(part) && step(follow({ target: `${target}.${keyword}[${index}]`, schema: part }), segment);
      if (found) return found;
    }
  }
  return undefined;
}

/** Follows references, so that the target is the schema itself. */
function follow({ target, schema }: SchemaTarget): SchemaTarget {
  const { $ref } = schema;
  if (typeof $ref !== 'string') return { target, schema };
  const keys = $ref.slice(2).split('/');
  const found = keys.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), shippedDocument);
  return follow({ target: `$${keys.map(toKey).join('')}`, schema: isObject(found) ? found : {} });
}

function toKey(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `['${name.replace(/['\\]/g, '\\$&')}']`;
}

/** Returns the values at a pointer; `*` stands for all items of a list. */
export function valuesAt(value: unknown, pointer: string): readonly unknown[] {
  const segments = pointer.split('/').slice(1);
  return segments.reduce<readonly unknown[]>(
    (values, segment) => {
      const key = segment.replace(/~1/g, '/').replace(/~0/g, '~');
      return values.flatMap((one) => {
        if (segment === '*') return Array.isArray(one) ? one : [];
        return isObject(one) && Object.hasOwn(one, key) ? [one[key]] : [];
      });
    },
    [value],
  );
}

/** Returns the JSON Schema types of values. */
export function typesOf(values: readonly unknown[]): readonly string[] {
  return [...new Set(values.map(typeOf))];
}

export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
