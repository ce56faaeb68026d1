/** Describes an API document for readers: its operations with every reference resolved, and schemas as lists of fields. */
import type { Json } from '../lib/json.ts';
import { type ApiDocument, dereference, eachOperation } from './api-document.ts';
import type { components } from './control.gen.ts';
import { identifiersKey } from './profile/move-identifiers.ts';
import { type MovedIdentifiers, splitPlace } from './profile/places.ts';

type Shown = components['schemas'];
type Field = Shown['ApiField'];
type Body = Shown['ApiBody'];
type Example = Body['examples'][number];
type Named<Value> = Readonly<Record<string, Value>>;

/** The part of JSON Schema that is described. */
interface Schema extends Json {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Named<Schema>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly then?: Schema;
  readonly else?: Schema;
  readonly 'x-rule'?: string;
  readonly 'x-enum-descriptions'?: readonly string[];
}

interface Parameter extends Json {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: Schema;
  readonly example?: unknown;
}

interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Named<Json>;
}

interface Response {
  readonly description?: string;
  readonly headers?: Named<Parameter>;
  readonly content?: Named<Media>;
}

interface Operation extends Json {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content?: Named<Media> };
  readonly responses?: Named<Response>;
  readonly callbacks?: Named<Named<Named<Partial<Operation>>>>;
}

interface WholeDocument extends ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly servers?: readonly { readonly url: string; readonly description?: string }[];
  readonly tags?: readonly { readonly name: string }[];
  readonly webhooks?: ApiDocument['paths'];
  readonly components?: Named<Named<Json>>;
}

/** Lists the operations of a document, and its webhooks, which the sandbox sends. With an id, describes only this one. */
export function toReference(document: ApiDocument, id?: string): Shown['ApiReference'] {
  const { info, servers = [], tags = [], webhooks = {}, components = {} } = document as WholeDocument;
  const list = (paths: ApiDocument['paths'], isCallback: boolean) =>
    [...eachOperation({ ...document, paths })].map(({ path, method, operation: source }) => {
      const { operationId, summary = operationId, tags: [tag = 'Other'] = [] } = source as Operation;
      const row = { id: operationId, method: method.toUpperCase(), path, isCallback, tag, summary };
      return id === operationId
        ? { ...row, detail: describeOperation(dereference(source as Operation, document)) }
        : row;
    });
  const order = tags.map(({ name }) => name);
  const operations = [...list(document.paths, false), ...list(webhooks, true)];
  return {
    title: info.title,
    version: info.version,
    description: info.description ?? '',
    servers: servers.map(({ url, description = '' }) => ({ url, description })),
    keyHeader: keyHeaderOf(components),
    operations: operations
      .filter((one) => id === undefined || one.id === id)
      .sort((one, other) => order.indexOf(one.tag) - order.indexOf(other.tag)),
  };
}

function keyHeaderOf({ securitySchemes = {} }: Named<Named<Json>>): string {
  const scheme = Object.values(securitySchemes).find((one) => one['type'] === 'apiKey' && one['in'] === 'header');
  return String(scheme?.['name'] ?? 'apikey');
}

function describeOperation(operation: Operation): Shown['ApiOperationDetail'] {
  const { operationId, description = '', parameters = [], responses = {}, callbacks = {} } = operation;
  const moved = Object.entries((operation[identifiersKey] ?? {}) as MovedIdentifiers);
  const identifiers = new Map(moved.map(([name, place]) => [splitPlace(place, name)[1], name]));
  const body = describeBody(operation.requestBody?.content);
  return {
    description,
    ...noteOf(operation),
    parameters: parameters.map((one) => {
      const field = describeParameter(one);
      return { ...field, identifier: identifiers.get(field.name) ?? field.name };
    }),
    ...(body && { body: { ...body, examples: [...withMistake(operationId, body.examples)] } }),
    responses: Object.entries(responses).map(([status, one]) => describeResponse(status, one)),
    callbacks: Object.values(callbacks).flatMap(callbackIds),
  };
}

/** Returns the examples of an operation's body, also one with a mistake. */
export function examplesOf(document: ApiDocument, id: string): readonly Example[] {
  return toReference(document, id).operations[0]?.detail?.body?.examples ?? [];
}

function callbackIds(callback: Named<Named<Partial<Operation>>>): readonly string[] {
  const operations = Object.values(callback).flatMap((item) => Object.values(item));
  return operations.flatMap(({ operationId = [] }) => operationId);
}

/** Operations that take a list of new jobs. */
const jobLists = /^(asyncImport|syncCreate)Jobs/;

/** Adds an example that is wrong on purpose, so it is none of the document, after the first one. */
function* withMistake(id: string, [first, ...others]: readonly Example[]): Generator<Example> {
  if (first) yield first;
  const jobs = [{ id: 'JOB-1' }, { id: 'JOB-2', status: 'DELIVERD' }];
  if (jobLists.test(id)) yield { name: 'badStatus', title: 'A job with an invalid status', value: { jobs } };
  yield* others;
}

function describeResponse(status: string, { description, headers = {}, content }: Response) {
  const body = describeBody(content);
  return {
    status,
    description: String(description ?? ''),
    headers: Object.entries(headers).map(([name, one]) => describeParameter({ ...one, name, in: 'header' })),
    ...(body && { body }),
  };
}

function describeBody(content: Named<Media> = {}): Body | undefined {
  const [first] = Object.entries(content);
  if (!first) return undefined;
  const [type, { schema = {}, example, examples = {} }] = first;
  const named = Object.entries(examples).map(([name, { summary = name, value }]) => {
    return { name, title: String(summary), value };
  });
  return {
    type,
    ...(schema.description !== undefined && { description: schema.description }),
    ...noteOf(schema),
    rules: [...rulesOf(schema)],
    fields: [...fieldsOf(schema, 0)],
    examples: [...(example === undefined ? [] : [{ name: 'example', title: 'Example', value: example }]), ...named],
  };
}

function describeParameter(parameter: Parameter): Field {
  const { name, in: place, required = false, schema = {}, example, description } = parameter;
  return {
    ...toField(name, schema, schema),
    ...{ place, isRequired: required },
    ...(typeof description === 'string' && { description }),
    ...noteOf(parameter),
    ...(example !== undefined && { example }),
  };
}

/** Returns the mark of what the operator's documentation does not show, so that the sandbox assumes it. */
function noteOf({ 'x-not-shown': text }: Json): { readonly assumption?: string } {
  return typeof text === 'string' ? { assumption: text } : {};
}

/** Describes the fields of an object, those of its `allOf` included, the required ones first; then its variants. */
function* fieldsOf(schema: Schema, level: number): Generator<Field> {
  const parts = [schema, ...(schema.allOf ?? [])];
  const required = new Set(parts.flatMap((one) => one.required ?? []));
  const fields = new Map<string, Schema>();
  for (const [name, field] of parts.flatMap((part) => Object.entries(part.properties ?? {}))) {
    fields.set(name, { ...fields.get(name), ...field });
  }
  const all = [...fields];
  for (const isRequired of [true, false]) {
    for (const [name, one] of all.filter(([key]) => required.has(key) === isRequired)) {
      const inner = innerOf(one);
      yield { ...toField(name, one, inner ?? one), level, ...(isRequired && { isRequired }) };
      if (inner) yield* fieldsOf(inner, level + 1);
    }
  }
  yield* variantsOf(schema, level);
  if (schema.additionalProperties === true) yield { name: '*', type: 'any', level, description: 'Any other fields.' };
}

/** Describes a value. `ruled`: the schema that has its rules. */
function toField(name: string, schema: Schema, ruled: Schema): Field {
  const { description, format, enum: values, examples: [example] = [], 'x-enum-descriptions': texts = [] } = schema;
  const rules = [...rulesOf(ruled)];
  const limits = [...limitsOf(schema)];
  return {
    name,
    level: 0,
    type: typeOf(schema) + (format === undefined ? '' : ` · ${format}`),
    ...(description !== undefined && { description }),
    ...noteOf(schema),
    ...(rules.length > 0 && { rules }),
    ...(limits.length > 0 && { limits }),
    ...(values && { values: values.map((value, index) => ({ value, description: texts[index] ?? '' })) }),
    ...(example !== undefined && { example }),
  };
}

/** Describes the variants of an object, such as an attendant or a driver. */
function* variantsOf({ oneOf = [], properties = {} }: Schema, level: number): Generator<Field> {
  for (const schema of oneOf) {
    if (!schema.properties) continue;
    // Fields that all variants share are listed once, outside of the variants.
    const own = Object.entries(schema.properties).filter(
      ([name]) => !Object.hasOwn(properties, name) || schema.required?.includes(name),
    );
    const [name = ''] = String(schema['x-ref'] ?? schema.description ?? 'Variant').match(/[^/]*$/) ?? [];
    yield { name, type: 'one of', level };
    yield* fieldsOf({ ...schema, properties: Object.fromEntries(own) }, level + 1);
  }
}

/** Returns the schema whose fields a value has, or its entries have if it is a list. */
function innerOf(schema: Schema): Schema | undefined {
  const parts = [schema, ...(schema.allOf ?? [])];
  if (parts.some((one) => one.properties)) return schema;
  if (schema.items) return innerOf(schema.items);
  if (schema.oneOf?.some((one) => one.properties)) return schema;
  return schema.anyOf?.map(innerOf).find((one) => one !== undefined);
}

/** Names the type of a value, such as `string`, `object[]` or `string | null`. */
function typeOf(schema: Schema): string {
  const { type, items, const: constant, anyOf = [], oneOf = [], properties } = schema;
  if (constant !== undefined) return JSON.stringify(constant);
  const choices = [...anyOf, ...(type === undefined ? oneOf : [])].map(typeOf);
  if (choices.length > 0) return [...new Set(choices)].join(' | ');
  const entry = items === undefined ? 'any' : typeOf(items);
  const list = entry.includes(' | ') ? `(${entry})[]` : `${entry}[]`;
  const types = typeof type === 'string' ? [type] : (type ?? [properties ? 'object' : 'any']);
  return types.map((one) => (one === 'array' ? list : one)).join(' | ');
}

/** Lists the limits of a value, such as `at least 2 entries`. */
function* limitsOf(schema: Schema): Generator<string> {
  const { minLength, maxLength, minItems, maxItems, minimum, maximum, pattern } = schema as Named<number | undefined>;
  yield* toRange(minLength === 1 && maxLength === undefined ? undefined : minLength, maxLength, ' characters');
  if (minLength === 1 && maxLength === undefined) yield 'not empty';
  yield* toRange(minItems, maxItems, ' entries');
  yield* toRange(minimum, maximum, '');
  if (schema['uniqueItems']) yield 'all different';
  if (pattern !== undefined) yield `pattern ${pattern}`;
  if (schema['default'] !== undefined) yield `default ${JSON.stringify(schema['default'])}`;
  if (schema['writeOnly']) yield 'never returned';
}

function* toRange(min: number | undefined, max: number | undefined, unit: string): Generator<string> {
  const show = (value: number): string => value.toLocaleString('en');
  if (min !== undefined && min === max) yield `exactly ${show(min)}${unit}`;
  else if (min !== undefined && max !== undefined) yield `${show(min)} to ${show(max)}${unit}`;
  else if (min !== undefined) yield `at least ${show(min)}${unit}`;
  else if (max !== undefined) yield `at most ${show(max)}${unit}`;
}

/** Lists the sentences that explain the rules of a value, those of its conditions included. */
function rulesOf(schema: Schema): ReadonlySet<string> {
  const inner = [...(schema.allOf ?? []), schema.then, schema.else].filter((one) => one !== undefined);
  const conditional = inner.flatMap(({ properties = {}, ...rest }) => {
    return [rest, ...Object.values(properties)].flatMap((part) => [...rulesOf(part)]);
  });
  return new Set([...(schema['x-rule'] === undefined ? [] : [schema['x-rule']]), ...conditional]);
}
