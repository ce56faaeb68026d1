/** The control API's catalogue of failures: for every operation, as it is played here, what it can be made to meet. */
import { type Operation, type OperationId, operationIds, operations } from '../../operations/index.ts';
import { toCatalog } from '../../scenarios/catalog.ts';
import { magicIds } from '../../scenarios/shipped.ts';
import { type ControlHandlers, type ControlParts, ok } from './handler.ts';

function listFailures(parts: ControlParts, id: OperationId) {
  const routed = parts.contract.operations.get(id);
  const operation: Operation = operations[id];
  const { mode } = parts.modeOf(id);
  const declared = Object.keys(routed?.source.responses ?? {}).map(Number);
  const shipped = parts.library.list().filter(({ source }) => source === 'shipped');
  const tells = {
    byCallback: mode === 'async' && operation.tells !== undefined,
    listsFailures: operation.listsFailures,
    statuses: declared.filter((status) => status >= 400),
  };
  const ways = {
    magicIds: parts.magicIds ? parts.library.find(magicIds)?.scenario : undefined,
    shipped: shipped.filter(({ name }) => name !== magicIds).map(({ scenario }) => scenario),
  };
  const { method = '', path = '' } = routed ?? {};
  return { operation: id, method, path, mode, failures: [...toCatalog(id, tells, ways)] };
}

export const catalogHandlers: ControlHandlers<'getCatalog'> = {
  getCatalog: (parts) => ok({ items: operationIds.map((id) => listFailures(parts, id)) }),
};
