/** Table of the API that the sandbox plays, from its OpenAPI document. */
import source from '../../../spec/openapi.yaml';
import { type ApiDocument, eachOperation } from '../../../src/openapi/api-document.ts';
import { type OperationId, operations } from '../../../src/operations/index.ts';
import { code, toTable } from './table.ts';

const document = source as ApiDocument;

/** Returns the table of operations. */
export function toOperationTable(): string {
  const rows = [...eachOperation(document)].map(({ path, method, operation }) => {
    const id = String(operation['operationId']);
    const statuses = Object.keys(operation['responses'] as object);
    return [
      code(id),
      code(`${method.toUpperCase()} ${path}`),
      operations[id as OperationId].mode === 'async' ? 'asynchronous' : 'synchronous',
      statuses.filter((status) => status < '300').join(', '),
      statuses.filter((status) => status >= '300').join(', '),
    ];
  });
  return toTable(['operationId', 'method and path', 'mode', 'success', 'errors'], rows);
}
