/** Finds what the document does not allow and the real API accepts, with the schema that does not. */
import apiSource from '../../../spec/openapi.yaml';
import type { AppliedProfile } from '../../config/config-files.ts';
import { isObject, type Json } from '../../lib/json.ts';
import { fromPointer, valueAt } from '../../lib/pointer.ts';
import type { Violation } from '../../lib/problem.ts';
import { type ApiDocument, resolve } from '../../openapi/api-document.ts';
import type { Contract } from '../../openapi/contract.ts';
import type { OperationId } from '../../operations/index.ts';
import { failuresOf, type MappedExchange } from './exchange.ts';
import { shippedFacts } from './shipped.ts';

/** The document as it is shipped, without a profile. */
export const shippedDocument: ApiDocument = apiSource as ApiDocument;

/** A mistake in a part of a request that the real API accepts. */
export interface AcceptedMistake extends Violation {
  /** The value that the document does not allow; undefined if it is missing. */
  readonly value: unknown;
  /** The ids of the entries that have it, the outermost first. */
  readonly ids: readonly string[];
  /** The JSONPath of the schema in the document; undefined if it is not in the shipped one. */
  readonly target: string | undefined;
  /** The schema that has the keyword. */
  readonly schema: Json;
}

/** Returns a text that is equal for mistakes of one keyword of a schema, and of one field. */
export function toMistakeKey({ target, keyword, params }: AcceptedMistake): string {
  return JSON.stringify([target, keyword, params?.['missingProperty'] ?? params?.['additionalProperty']]);
}

/**
 * Returns the mistakes in what the real API accepts. Validates the body as a whole, so that the mistakes of entries have
 * their keywords, too. A body may be valid, and the request rejected because of its records.
 */
export function findAccepted(
  { exchange, operation, identifiers }: MappedExchange,
  { profile: { errors, nulls } }: AppliedProfile,
  contract: Contract,
): readonly AcceptedMistake[] {
  const { response } = exchange;
  const { status } = response;
  const body = exchange.body?.value;
  const isValid = status < 300 || (status !== errors.invalid && [errors.duplicate, errors.downstream].includes(status));
  const routed = contract.operations.get(operation);
  if (!routed || body === undefined || !isValid) return [];
  const shape = { params: { ...identifiers }, query: {}, body };
  const found = contract.validate(routed, shape, { list: undefined, strict: false });
  const failed = new Set(failuresOf(response.body?.value)?.map(({ id }) => id));
  const unknown = found.warnings.filter(({ keyword }) => keyword === 'additionalProperties');
  return [...found.violations, ...unknown].flatMap((violation): readonly AcceptedMistake[] => {
    const { path, keyword, schemaPath = '' } = violation;
    const value = valueAt(body, fromPointer(path));
    const ids = idsOn(body, path);
    const isIgnored = nulls === 'ignore' && value === null;
    if (keyword === undefined || isIgnored || !/^(\/|$)/.test(path) || ids.some((id) => failed.has(id))) return [];
    return [{ ...violation, value, ids, ...findSchema(operation, schemaPath) }];
  });
}

/** Returns the ids of the entries on a path, such as of a route and its job. A failure without an id has an empty one. */
function idsOn(body: unknown, path: string): readonly string[] {
  const places = [...path.matchAll(/\/\d+(?=\/|$)/g)].map(({ index, 0: { length } }) => path.slice(0, index + length));
  return places.map((place) => {
    const entry = valueAt(body, fromPointer(place));
    return isObject(entry) ? String(entry['id'] ?? '') : '';
  });
}

/** Follows a keyword's path in the validated schema of an operation. A target is where the document has the schema. */
function findSchema(operation: OperationId, schemaPath: string): Pick<AcceptedMistake, 'target' | 'schema'> {
  const { path, method } = shippedFacts(operation);
  const keys = fromPointer(schemaPath).slice(0, -1);
  const body = ['paths', path, method.toLowerCase(), 'requestBody', 'content', 'application/json', 'schema'];
  const isInBody = keys[0] === 'properties' && keys[1] === 'requestBody';
  let schema: unknown = isInBody ? shippedDocument : undefined;
  let target = '$';
  for (const key of [...body, ...keys.slice(2)]) {
    if (typeof schema !== 'object' || schema === null) return { target: undefined, schema: {} };
    target += Array.isArray(schema) ? `[${key}]` : toStep(key);
    schema = (schema as Json)[key];
    while (isObject(schema) && typeof schema['$ref'] === 'string') {
      target = `$${schema['$ref'].slice(2).split('/').map(toStep).join('')}`;
      schema = resolve(shippedDocument, schema);
    }
  }
  return isObject(schema) ? { target, schema } : { target: undefined, schema: {} };
}

/** Formats a name as a step of a JSONPath. */
export function toStep(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `['${name.replace(/['\\]/g, '\\$&')}']`;
}
