/** Infers the JSON schema of the values that a template gives. */
import type { Json } from '../../lib/json.ts';
import type { Template } from '../../lib/template.ts';

/** The schema of each placeholder. Those in `optional` may be absent. */
export interface PlaceholderSchemas {
  readonly schemas: Readonly<Record<string, Json>>;
  readonly optional: ReadonlySet<string>;
}

export function inferSchema(template: Template, known: PlaceholderSchemas): Json {
  switch (template.kind) {
    case 'constant':
      return ofConstant(template.value);
    case 'value':
      return { ...known.schemas[template.name] };
    case 'text':
      return { type: 'string' };
    case 'object': {
      const required = template.fields.filter(([, field]) => isAlways(field, known)).map(([key]) => key);
      return {
        type: 'object',
        ...(required.length > 0 && { required }),
        properties: Object.fromEntries(template.fields.map(([key, field]) => [key, inferSchema(field, known)])),
      };
    }
    case 'list':
      return { type: 'array', items: toUnion(template.items.map((item) => inferSchema(item, known))) };
    case 'repeat':
      return { type: 'array', items: inferSchema(template.item, inItem(known, template.over)) };
    default:
      return template satisfies never;
  }
}

/** Whether a template always gives a value. */
function isAlways(template: Template, known: PlaceholderSchemas): boolean {
  switch (template.kind) {
    case 'value':
      return !known.optional.has(template.name);
    case 'text':
      return template.parts.every((part) => typeof part === 'string' || !known.optional.has(part.name));
    case 'repeat':
      return !known.optional.has(template.over);
    case 'constant':
    case 'object':
    case 'list':
      return true;
    default:
      return template satisfies never;
  }
}

/** Within an item of a list, its fields are present unless they are optional by themselves. */
function inItem({ schemas, optional }: PlaceholderSchemas, over: string): PlaceholderSchemas {
  const absent = [...optional].filter((name) => name !== over && !(optional.has(over) && name.startsWith(`${over}.`)));
  return { schemas, optional: new Set(absent) };
}

function ofConstant(value: unknown): Json {
  if (value === null) return { type: 'null' };
  if (Array.isArray(value)) return { type: 'array', items: toUnion(value.map(ofConstant)) };
  if (typeof value !== 'object') return { type: Number.isInteger(value) ? 'integer' : typeof value, const: value };
  const properties = Object.fromEntries(Object.entries(value).map(([key, field]) => [key, ofConstant(field)]));
  const required = Object.keys(properties);
  return { type: 'object', ...(required.length > 0 && { required, properties }) };
}

/** Returns the schema of values of one of several schemas. */
function toUnion(schemas: readonly Json[]): Json {
  const [first, ...others] = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  return others.length === 0 ? (first ?? {}) : { anyOf: [first, ...others] };
}
