/** Tables of the API that the sandbox plays, from its OpenAPI document. */
import source from '../../../spec/openapi.yaml';
import { type ApiDocument, eachOperation } from '../../../src/openapi/document.ts';
import { type OperationId, operations } from '../../../src/operations/index.ts';
import { code, toTable } from './table.ts';

const document = source as ApiDocument;

/** Returns a table of operations for each tag, under a heading. */
export function toOperationTables(): string {
  const all = [...eachOperation(document)].map(({ path, method, operation }) => {
    const id = String(operation['operationId']);
    const statuses = Object.keys(operation['responses'] as object);
    return {
      tag: (operation['tags'] as readonly string[])[0] ?? '',
      cells: [
        code(id),
        code(`${method.toUpperCase()} ${path}`),
        operations[id as OperationId].mode === 'async' ? 'asynchronous' : 'synchronous',
        statuses.filter((status) => status < '300').join(', '),
        statuses.filter((status) => status >= '300').join(', '),
      ],
    };
  });
  const tags = [...new Set(all.map(({ tag }) => tag))];
  const heads = ['operationId', 'method and path', 'mode', 'success', 'errors'];
  return tags
    .map((tag) => {
      const rows = all.filter((operation) => operation.tag === tag).map(({ cells }) => cells);
      return `\n### ${tag}\n${toTable(heads, rows)}`;
    })
    .join('');
}
