/** Fits samples to a document that a profile has changed: samples are made for the default one. Creates whole requests. */
import type { Json } from '../lib/json.ts';
import { fromPointer, valueAt } from '../lib/pointer.ts';
import type { Violation } from '../lib/problem.ts';
import { bodySchema, resolve } from '../openapi/api-document.ts';
import { type BuiltRequest, buildRequest } from '../openapi/build-request.ts';
import type { Contract } from '../openapi/contract.ts';
import type { OperationId } from '../operations/index.ts';
import { sampleBody } from './sample.ts';

/** More corrections than any single entry can need. */
const maxCorrections = 1000;

/**
 * Returns a function that changes a body in place until it is valid: removes what the document does not allow, and adds
 * what it requires, with the document's own example, default or first value.
 */
export function createFitting(
  { document, operations, validate }: Contract,
  id: OperationId,
): (body: Json) => Violation | undefined {
  const operation = operations.get(id);
  const schema = bodySchema(operation?.source as unknown as Json) ?? {};

  function findViolation(body: Json): Violation | undefined {
    if (!operation) return undefined;
    const shape = { params: {}, query: {}, body };
    const { violations } = validate(operation, shape, { list: undefined, strict: true });
    // The parameters are not part of the sample.
    return violations.find(({ path }) => path === '' || path.startsWith('/'));
  }

  return (body) => {
    const removed = new Map<string, Violation>();
    let violation = findViolation(body);
    for (let count = 0; violation && count < maxCorrections; count += 1) {
      const { path } = violation;
      const first = removed.get(path) ?? violation;
      if (!correct(body, path, document, schema, removed.has(path))) return first;
      removed.set(path, first);
      violation = findViolation(body);
    }
    return violation;
  };
}

/** Removes the value at a path, or adds one where it is missing. Returns whether this was possible. */
function correct(body: Json, path: string, document: Json, schema: Json, wasRemoved: boolean): boolean {
  const names = [...fromPointer(path)];
  const last = names.pop();
  const parent = valueAt(body, names);
  if (last === undefined || typeof parent !== 'object' || parent === null) return false;
  if (Array.isArray(parent)) {
    // The last item of a list stays, because an empty list is no body.
    if (parent.length < 2 || names.length === 1) return false;
    parent.splice(Number(last), 1);
    return true;
  }
  const fields = parent as Json;
  if (Object.hasOwn(fields, last)) {
    delete fields[last];
    return !wasRemoved;
  }
  const value = exampleOf(
    [...names, last].reduce((at, name) => step(document, at, name), schema),
    document,
  );
  fields[last] = value;
  return value !== undefined;
}

function step(document: Json, schema: Json, name: string): Json {
  const { properties, items } = resolve(document, schema) as { properties?: Record<string, Json>; items?: Json };
  return (/^\d+$/.test(name) ? items : properties?.[name]) ?? {};
}

interface ExampleSchema {
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Json>>;
  readonly items?: Json;
}

/** Returns a value of a schema: its example, default or first value, or else one of its fields or items. */
function exampleOf(schema: Json, document: Json): unknown {
  const { examples, default: preset, enum: values, properties, items } = resolve(document, schema) as ExampleSchema;
  const own = examples?.[0] ?? preset ?? values?.[0];
  if (own !== undefined) return own;
  if (items) return [exampleOf(items, document)].filter((item) => item !== undefined);
  if (!properties) return undefined;
  const fields = Object.entries(properties).map(([name, field]) => [name, exampleOf(field, document)] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

/** The identifiers in a sample request. */
export const sampleIds = {
  projectId: 'demo',
  subProjectId: 'north',
  jobId: 'ORD-1',
  orderId: 'ORD-1',
  username: 'ana',
};

/** Creates a request for the project `demo`, without key and content type, that is valid by the document of a contract. */
export async function createSampleRequest(contract: Contract, id: OperationId): Promise<BuiltRequest | undefined> {
  const operation = contract.operations.get(id);
  if (!operation) return undefined;
  const request = buildRequest(operation, sampleIds, await sampleBody(id, { count: 1, seed: 'sandbox' }));
  createFitting(contract, id)(request.body as Json);
  return request;
}
