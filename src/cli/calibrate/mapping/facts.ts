/** Describes the operations as the mapping needs them, from the API's document and the table of operations. */
import apiSource from '../../../../spec/openapi.yaml';
import type { Json } from '../../../lib/json.ts';
import { type ApiDocument, bodySchema, eachOperation, resolve } from '../../../openapi/document.ts';
import { type OperationId, operations } from '../../../operations/index.ts';

export const identifierNames = ['projectId', 'subProjectId', 'jobId', 'orderId', 'username'] as const;
export type IdentifierName = (typeof identifierNames)[number];

/** Identifiers of one request, by name. */
export type Identifiers = Readonly<Partial<Record<IdentifierName, string>>>;

export interface OperationFact {
  readonly id: OperationId;
  readonly method: string;
  readonly path: string;
  /** Identifiers of the default path, in their order. */
  readonly identifiers: readonly IdentifierName[];
  /** Name of the list in the body, or undefined for a single record. */
  readonly list: string | undefined;
  readonly action: 'create' | 'update';
  readonly mode: 'sync' | 'async';
  /** The collection that the body's records belong to. */
  readonly resource: 'jobs' | 'orders' | 'routes' | 'users' | 'devices';
  /** Counter of the batch result, or undefined for other results. */
  readonly counter: 'jobsReceived' | 'ordersReceived' | undefined;
  /** Top-level fields of the body. */
  readonly fields: ReadonlySet<string>;
}

/** The document as it is shipped, without a profile. */
export const shippedDocument: ApiDocument = apiSource as ApiDocument;

/** All operations, in the document's order. */
export const operationList: readonly OperationFact[] = [...eachOperation(shippedDocument)].map(toFact);

export const operationFactOf: ReadonlyMap<OperationId, OperationFact> = new Map(
  operationList.map((fact) => [fact.id, fact]),
);

function toFact({ path, method, operation }: { path: string; method: string; operation: Json }): OperationFact {
  const id = String(operation['operationId']) as OperationId;
  const { list, mode, collection, listsFailures } = operations[id];
  const counter = collection === 'orders' ? 'ordersReceived' : 'jobsReceived';
  return {
    id,
    method: method.toUpperCase(),
    path,
    identifiers: toIdentifiers(path),
    list,
    action: method === 'post' ? 'create' : 'update',
    mode,
    resource: collection,
    counter: listsFailures ? counter : undefined,
    fields: new Set(fieldsOf(resolve(shippedDocument, bodySchema(operation) ?? {}))),
  };
}

/** Returns the identifiers in a path template. */
function toIdentifiers(template: string): readonly IdentifierName[] {
  const names = [...template.matchAll(/\{(.*?)\}/g)].map(([, name]) => name);
  return identifierNames.filter((name) => names.includes(name));
}

/** Returns the names of an object schema's properties, also of its parts. */
function fieldsOf(schema: Json): readonly string[] {
  const parts = [schema['allOf'], schema['oneOf'], schema['anyOf']].filter(Array.isArray).flat() as readonly Json[];
  const inner = parts.flatMap((part) => fieldsOf(resolve(shippedDocument, part)));
  return [...Object.keys((schema['properties'] ?? {}) as Json), ...inner];
}
