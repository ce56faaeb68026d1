/** What the tests of the contract judge: a request's body for one operation, by the shipped profile or another document. */
import apiSource from '../../spec/openapi.yaml';
import { type Contract, createContract } from '../../src/openapi/contract.ts';
import { type ApiDocument, applyProfile } from '../../src/openapi/document.ts';
import { shippedProfile } from '../../src/openapi/profile/profile.ts';
import type { Findings } from '../../src/openapi/validate.ts';
import { type OperationId, operations } from '../../src/operations/index.ts';

/** The API as it is shipped. */
export const api: Contract = createContract(applyProfile(apiSource as ApiDocument, shippedProfile));

/** What is found in a body sent to an operation. */
export function judge(
  id: OperationId,
  body: unknown,
  { strict = false, depth = 100 }: { strict?: boolean; depth?: number } = {},
): Findings {
  const operation = api.operations.get(id);
  if (!operation) throw new Error(`${id} is not routed`);
  const names = [...operation.path.matchAll(/\{(.+?)\}/g)].map((match) => [match[1], 'x']);
  const request = { params: Object.fromEntries(names), query: {}, body };
  return api.validate(operation, request, { list: operations[id].list, strict, depth });
}

/** The mistakes of a single-record body or an envelope, as `path message`. */
export function mistakes(id: OperationId, body: unknown, how?: { strict?: boolean }): readonly string[] {
  return judge(id, body, how).violations.map(({ path, message }) => `${path} ${message}`);
}

/** The reasons of a list's refused entries, by their keys. */
export function reasons(id: OperationId, body: unknown, how?: { strict?: boolean }): Readonly<Record<string, string>> {
  return Object.fromEntries([...judge(id, body, how).refused].map(([key, { reason }]) => [key, reason]));
}
