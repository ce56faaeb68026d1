/** Control API handler for the failure catalogue: lists, for every operation, the failures that clients can provoke. */
import type { RequestHandlerDeps } from '../http/handler-deps.ts';
import type { components } from '../openapi/control.gen.ts';
import { type OperationId, operationIds, operations } from '../operations/index.ts';
import { type CatalogSources, toCatalog, toFailureName, toYaml } from '../scenarios/catalog.ts';
import { failureKinds, type OperationTraits, toTraits } from '../scenarios/failure-kinds.ts';
import { magicIds } from '../scenarios/shipped.ts';
import { type ControlHandlers, type ControlParts, ok } from './handler.ts';

/** Returns the traits on which the failures of an operation depend, with the profile applied. */
export function traitsOf(
  { contract, modeOf }: Pick<RequestHandlerDeps, 'contract' | 'modeOf'>,
  id: OperationId,
): OperationTraits {
  const declared = Object.keys(contract.operations.get(id)?.source.responses ?? {}).map(Number);
  return toTraits(operations[id], modeOf(id).mode, declared);
}

/** What the catalog depends on: the document with its profile, and the scenarios. */
export type CatalogParts = Pick<ControlParts, 'contract' | 'modeOf' | 'library' | 'magicIds'>;

function waysOf(parts: CatalogParts): CatalogSources {
  const shipped = parts.library.list().filter(({ source }) => source === 'shipped');
  return {
    magicIds: parts.magicIds ? parts.library.find(magicIds)?.scenario : undefined,
    shipped: shipped.filter(({ name }) => name !== magicIds).map(({ scenario }) => scenario),
  };
}

export function listFailures(parts: CatalogParts, id: OperationId): components['schemas']['CatalogOperation'] {
  const { method = '', path = '', identifiers } = parts.contract.operations.get(id) ?? {};
  const failures = [...toCatalog(id, traitsOf(parts, id), waysOf(parts))];
  const moved = identifiers && { identifiers: { ...identifiers.places } };
  return { operation: id, method, path, ...moved, mode: parts.modeOf(id).mode, failures };
}

/** Returns the text of the failure that a project activates under this name. */
export function findFailure(parts: CatalogParts, name: string): string | undefined {
  for (const id of operationIds) {
    if (!name.startsWith(`${id.toLowerCase()}-`)) continue;
    const found = failureKinds(traitsOf(parts, id)).find(({ kind }) => toFailureName(id, kind) === name);
    if (found) return toYaml(found, id, name);
  }
  return undefined;
}

export const catalogHandlers: ControlHandlers<'getCatalog'> = {
  getCatalog: (parts) => ok({ items: operationIds.map((id) => listFailures(parts, id)) }),
};
