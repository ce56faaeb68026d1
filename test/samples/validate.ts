/** Validates samples against the contract of the shipped profile. */
import document from '../../spec/openapi.yaml';
import type { ApiDocument } from '../../src/openapi/api-document.ts';
import { createContract } from '../../src/openapi/contract.ts';
import { applyProfile } from '../../src/openapi/document.ts';
import { shippedProfile } from '../../src/openapi/profile/profile.ts';
import { type OperationId, operations } from '../../src/operations/index.ts';

const contract = createContract(applyProfile(document as ApiDocument, shippedProfile));

/** Returns all findings of the contract, which should find nothing. */
export function findings(id: OperationId, body: unknown): readonly unknown[] {
  const operation = contract.operations.get(id);
  if (!operation) throw new Error(`no operation ${id}`);
  const params = Object.fromEntries([...operation.path.matchAll(/\{(.*?)\}/g)].map(([, name]) => [name, 'x']));
  const shape = { params, query: {}, body };
  const found = contract.validate(operation, shape, { list: operations[id].list, strict: false });
  return [...found.violations, ...found.refused, ...found.warnings];
}

/** Returns all values of this key, at any depth. */
export function valuesOf(value: unknown, name: string): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [...(key === name ? [inner] : []), ...valuesOf(inner, name)]);
}
