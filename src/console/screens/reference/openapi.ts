/** The parts of an OpenAPI 3.1 document that the reference shows. */

export type Ref<Value> = Value | { readonly $ref: string };

type Named<Value> = Readonly<Record<string, Value>>;

export interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Named<Ref<Schema>>;
  readonly required?: readonly string[];
  readonly items?: Ref<Schema>;
  readonly additionalProperties?: boolean | Ref<Schema>;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly uniqueItems?: boolean;
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
  readonly allOf?: readonly Ref<Schema>[];
  readonly anyOf?: readonly Ref<Schema>[];
  readonly oneOf?: readonly Ref<Schema>[];
  readonly if?: Ref<Schema>;
  readonly then?: Ref<Schema>;
  readonly else?: Ref<Schema>;
  readonly 'x-not-shown'?: string;
  readonly 'x-rule'?: string;
  readonly 'x-warning'?: string;
  readonly 'x-enum-descriptions'?: readonly string[];
}

export interface Example {
  readonly summary?: string;
  readonly value?: unknown;
}

export interface Media {
  readonly schema?: Ref<Schema>;
  readonly example?: unknown;
  readonly examples?: Named<Ref<Example>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Ref<Schema>;
  readonly example?: unknown;
  readonly 'x-not-shown'?: string;
}

export interface Response {
  readonly description: string;
  readonly headers?: Named<Ref<Omit<Parameter, 'name' | 'in'>>>;
  readonly content?: Named<Media>;
  readonly 'x-not-shown'?: string;
}

export interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Ref<Parameter>[];
  readonly requestBody?: Ref<{ readonly content?: Named<Media> }>;
  readonly responses?: Named<Ref<Response>>;
  readonly callbacks?: Named<unknown>;
  readonly 'x-not-shown'?: string;
  /** Places of the identifiers outside of the path, as set by a profile: `query:NAME`, `header:NAME` or `body`. */
  readonly 'x-sandbox-identifiers'?: Named<string>;
}

interface PathItem extends Named<unknown> {
  readonly parameters?: readonly Ref<Parameter>[];
}

export interface Document {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly servers?: readonly { readonly url: string; readonly description?: string }[];
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Named<PathItem>;
  readonly webhooks?: Named<PathItem>;
  readonly components?: Named<Named<unknown>>;
}

/** Returns what a reference points to, with the fields beside it. A reference to nothing is an empty object. */
export function resolve<Value extends object>(document: Document, value: Ref<Value> | undefined): Value {
  if (value === undefined) return {} as Value;
  if (!('$ref' in value)) return value;
  const { $ref, ...beside } = value;
  const target = $ref
    .split('/')
    .slice(1)
    .reduce<unknown>((at, key) => (at as Named<unknown> | undefined)?.[decode(key)], document);
  return { ...resolve(document, target as Ref<Value> | undefined), ...beside };
}

function decode(key: string): string {
  return decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~');
}
