/** The control API's catalogue of failures: for every operation, as it is played here, what it can be made to meet. */
import type { components } from '../../contract/control.gen.ts';
import { type Operation, type OperationId, operationIds, operations } from '../../operations/index.ts';
import { toCatalog, type Ways } from '../../scenarios/catalog.ts';
import type { Tells } from '../../scenarios/failure-kinds.ts';
import { magicIds } from '../../scenarios/shipped.ts';
import type { PipelineParts } from '../pipeline.ts';
import { type ControlHandlers, type ControlParts, ok } from './handler.ts';

/** What the failures of an operation depend on, profile applied. */
export function tellsOf({ contract, modeOf }: Pick<PipelineParts, 'contract' | 'modeOf'>, id: OperationId): Tells {
  const operation: Operation = operations[id];
  const declared = Object.keys(contract.operations.get(id)?.source.responses ?? {}).map(Number);
  return {
    byCallback: modeOf(id).mode === 'async' && operation.tells !== undefined,
    listsFailures: operation.listsFailures,
    statuses: declared.filter((status) => status >= 400),
  };
}

function waysOf(parts: ControlParts): Ways {
  const shipped = parts.library.list().filter(({ source }) => source === 'shipped');
  return {
    magicIds: parts.magicIds ? parts.library.find(magicIds)?.scenario : undefined,
    shipped: shipped.filter(({ name }) => name !== magicIds).map(({ scenario }) => scenario),
  };
}

/** An operation, where and how it is played, and what it can be made to meet. */
export function listFailures(parts: ControlParts, id: OperationId): components['schemas']['CatalogOperation'] {
  const { method = '', path = '' } = parts.contract.operations.get(id) ?? {};
  const failures = [...toCatalog(id, tellsOf(parts, id), waysOf(parts))];
  return { operation: id, method, path, mode: parts.modeOf(id).mode, failures };
}

export const catalogHandlers: ControlHandlers<'getCatalog'> = {
  getCatalog: (parts) => ok({ items: operationIds.map((id) => listFailures(parts, id)) }),
};
