/** Describes JSON schemas for readers: types, limits, fields, variants and rules. */
import { type Document, type Ref, resolve, type Schema } from './openapi.ts';

export interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

export interface Variant {
  readonly title: string;
  readonly schema: Schema;
}

/** Names the type of a value, such as `string`, `object[]` or `string | null`. */
export function typeOf(document: Document, schema: Schema): string {
  const { type, items, const: constant } = schema;
  if (constant !== undefined) return JSON.stringify(constant);
  const choices = [...(schema.anyOf ?? []), ...(type === undefined ? (schema.oneOf ?? []) : [])];
  if (choices.length > 0)
    return [...new Set(choices.map((one) => typeOf(document, resolve(document, one))))].join(' | ');
  const types = typeof type === 'string' ? [type] : (type ?? [schema.properties === undefined ? 'any' : 'object']);
  return types.map((one) => (one === 'array' ? toListType(document, items) : one)).join(' | ');
}

function toListType(document: Document, items: Ref<Schema> | undefined): string {
  if (items === undefined) return 'any[]';
  const inner = typeOf(document, resolve(document, items));
  return inner.includes(' | ') ? `(${inner})[]` : `${inner}[]`;
}

/** Lists the limits of a value, such as `at least 1 character`. */
export function limitsOf(schema: Schema): readonly string[] {
  const { minLength, maxLength, minItems, maxItems, minimum, maximum, pattern } = schema;
  return [
    ...toRange(minLength, maxLength, 'characters'),
    ...toRange(minItems, maxItems, 'entries'),
    ...toRange(minimum, maximum, ''),
    ...(schema.uniqueItems ? ['all different'] : []),
    ...(pattern === undefined ? [] : [`pattern ${pattern}`]),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
    ...(schema.writeOnly ? ['never returned'] : []),
  ];
}

function toRange(min: number | undefined, max: number | undefined, unit: string): readonly string[] {
  const show = (value: number): string => `${value.toLocaleString('en')} ${unit}`.trim();
  if (min !== undefined && min === max) return [`exactly ${show(min)}`];
  if (min !== undefined && max !== undefined) return [`${min.toLocaleString('en')} to ${show(max)}`];
  if (min !== undefined) return [unit === 'characters' && min === 1 ? 'not empty' : `at least ${show(min)}`];
  return max === undefined ? [] : [`at most ${show(max)}`];
}

/** Lists the fields of an object, those of its `allOf` included: the required ones first. */
export function fieldsOf(document: Document, schema: Schema): readonly Field[] {
  const parts = [schema, ...(schema.allOf ?? []).map((one) => resolve(document, one))];
  const required = new Set(parts.flatMap((one) => one.required ?? []));
  const fields = new Map<string, Schema>();
  for (const part of parts) {
    for (const [name, field] of Object.entries(part.properties ?? {})) {
      fields.set(name, { ...fields.get(name), ...resolve(document, field) });
    }
  }
  const all = [...fields].map(([name, field]) => ({ name, schema: field, isRequired: required.has(name) }));
  return [...all.filter(({ isRequired }) => isRequired), ...all.filter(({ isRequired }) => !isRequired)];
}

/** Returns the schema whose fields a value has, or its entries have if it is a list. */
export function innerOf(document: Document, schema: Schema): Schema | undefined {
  if (schema.properties !== undefined || schema.allOf?.some((one) => resolve(document, one).properties)) return schema;
  if (schema.items !== undefined) return innerOf(document, resolve(document, schema.items));
  if (schema.oneOf !== undefined && variantsOf(document, schema).length > 0) return schema;
  const objects = (schema.anyOf ?? []).map((one) => innerOf(document, resolve(document, one)));
  return objects.find((one) => one !== undefined);
}

/** Lists the variants of an object, such as an attendant or a driver. */
export function variantsOf(document: Document, { oneOf = [], properties = {} }: Schema): readonly Variant[] {
  return oneOf.flatMap((one) => {
    const schema = resolve(document, one);
    if (schema.properties === undefined) return [];
    // Fields that all variants share are listed once, outside of the variants.
    const own = Object.entries(schema.properties).filter(
      ([name]) => !Object.hasOwn(properties, name) || schema.required?.includes(name),
    );
    const title = '$ref' in one ? (one.$ref.split('/').at(-1) ?? '') : (schema.description ?? 'Variant');
    return [{ title, schema: { ...schema, properties: Object.fromEntries(own) } }];
  });
}

/** Lists the sentences that explain the rules of a value, those of its conditions included. */
export function rulesOf(document: Document, schema: Schema): readonly string[] {
  const inner = [...(schema.allOf ?? []), schema.then, schema.else].filter((one) => one !== undefined);
  const conditional = inner.flatMap((one) => {
    const { properties = {}, ...rest } = resolve(document, one);
    return [rest, ...Object.values(properties)].flatMap((part) => rulesOf(document, resolve(document, part)));
  });
  const own = schema['x-rule'] === undefined ? [] : [schema['x-rule']];
  return [...new Set([...own, ...conditional])];
}
