/** Tables of the control API, from its OpenAPI document. */
import source from '../../../spec/control.yaml';
import type { Json } from '../../../src/lib/json.ts';
import { type ApiDocument, eachOperation } from '../../../src/openapi/api-document.ts';
import { code, toTable } from './table.ts';

const document = source as ApiDocument & {
  readonly components: Readonly<Record<string, Readonly<Record<string, Json>>>>;
};
const serverPrefix = '/_sandbox';
const projectPrefix = `${serverPrefix}/projects/{projectId}`;

/** Statuses that the page describes once, for all paths. */
const common = new Set(['400', '401', '403', '413', '415', '421', '429', '500', '507']);

const resolve = (value: Json): Json => {
  const [, group = '', name = ''] = /^#\/components\/(\w+)\/(\w+)$/.exec(String(value['$ref'])) ?? [];
  return document.components[group]?.[name] ?? value;
};

interface ControlOperation {
  readonly id: string;
  readonly path: string;
  readonly method: string;
  readonly operation: Json;
}

const all: readonly ControlOperation[] = [...eachOperation(document)].map(({ path, method, operation }) => ({
  id: String(operation['operationId']),
  path,
  method: method.toUpperCase(),
  operation,
}));

const isOfProject = ({ path }: ControlOperation): boolean => path.startsWith(projectPrefix);

/** Returns the table of paths of the server, or of one project, in the order of the document's tags. */
export function toPathTable(scope: 'server' | 'project'): string {
  const prefix = scope === 'server' ? serverPrefix : projectPrefix;
  const inScope = all.filter((one) => isOfProject(one) === (scope === 'project'));
  const tags = (document['tags'] as unknown as readonly { name: string }[]).map(({ name }) => name);
  const rows = tags
    .flatMap((tag) => inScope.filter(({ operation }) => (operation['tags'] as readonly string[]).includes(tag)))
    .map((one) => [
      code(`${one.method} ${one.path.slice(prefix.length) || '/'}`),
      code(one.id),
      toStatuses(one.operation),
      toParameters(one.operation),
      firstParagraph(String(one.operation['description'])),
    ]);
  return toTable(['path', 'operationId', 'statuses', 'parameters', 'result'], rows);
}

const toStatuses = (operation: Json): string =>
  Object.keys(operation['responses'] as object)
    .filter((status) => !common.has(status))
    .join(', ');

const toParameters = (operation: Json): string =>
  parametersOf(operation)
    .filter((parameter) => parameter['in'] !== 'path')
    .map(({ name }) => code(String(name)))
    .join(', ');

const parametersOf = (operation: Json): readonly Json[] =>
  ((operation['parameters'] ?? []) as readonly Json[]).map(resolve);

const firstParagraph = (text: string): string =>
  (text.split('\n\n')[0] ?? '')
    .trim()
    .replace(/:$/, '.')
    .replace(/^This document\./, 'The OpenAPI document of the control API.');
