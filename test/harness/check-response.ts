/** Validates responses by the document of a contract. */
import type { ValidateFunction } from 'ajv';
import type { Json } from '../../src/lib/json.ts';
import { closeObjects } from '../../src/openapi/close-objects.ts';
import { type Contract, createAjv } from '../../src/openapi/contract.ts';

type Responses = Readonly<Record<string, { readonly content?: Readonly<Record<string, Json>> }>>;

/** The responses of operations, whose objects have no other fields. */
const responsesOf = new WeakMap<object, Responses>();

/** Validators of bodies, by the text of their schemas: documents of many profiles have the same ones. */
const validators = new Map<string, ValidateFunction>();

/** Returns what is wrong with a response, or undefined if it is valid. */
export function checkResponse(
  { operations, document }: Pick<Contract, 'operations' | 'document'>,
  operationId: string,
  status: number,
  body: unknown,
): string | undefined {
  const { source = {} } = operations.get(operationId) ?? {};
  const responses = responsesOf.get(source) ?? closeObjects((source as Json)['responses'] as Responses, document);
  responsesOf.set(source, responses);
  const response = responses[status];
  if (!response) return `${operationId} declares no ${status}`;
  const [[type, { schema = {} }] = ['', {}]] = Object.entries<Json>(response.content ?? {});
  if (type === '') return body === undefined ? undefined : `${operationId} ${status} declares no body`;
  if (!/\bjson\b/.test(type)) return undefined;
  const text = JSON.stringify(schema);
  const check = validators.get(text) ?? createAjv(false, 100).compile(schema as object);
  validators.set(text, check);
  return check(body) ? undefined : check.errors?.map((error) => `${error.instancePath} ${error.message}`).join('; ');
}
