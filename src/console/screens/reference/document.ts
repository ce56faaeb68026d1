/** Loads the API document of this sandbox, with the selected project filled in. */
import { callApi } from '../../data/client.ts';
import { apiUrl } from '../../data/export-request.ts';

type Parameter = Readonly<Record<string, unknown>>;

type Examples = Readonly<Record<string, object>>;

interface Body {
  readonly content?: Readonly<Record<string, { readonly examples?: Examples }>>;
}

interface Operation {
  readonly operationId?: string;
  readonly requestBody?: Body;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  /** Names of the query parameters that replace path parameters, as set by a profile. */
  readonly 'x-sandbox-query'?: Readonly<Record<string, string>>;
}

export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: {
    readonly parameters?: Readonly<Record<string, object>>;
    readonly securitySchemes?: Readonly<Record<string, { readonly type: string }>>;
  };
}

export async function loadDocument(project: string): Promise<ApiDocument> {
  const document = await callApi<ApiDocument>('GET', '/openapi.json');
  const parameters = document.components?.parameters ?? {};
  const { projectId } = parameters;
  const fill = (parameter: object) => ({ ...parameter, example: project, examples: undefined });
  const filled = projectId && fill(projectId);
  const paths = Object.entries(document.paths).map(([path, item]) => {
    const operations = Object.entries(item).map(([method, operation]) => [
      method,
      withErrorExample(fillQuery(operation, fill)),
    ]);
    return [path, Object.fromEntries(operations)];
  });
  return {
    ...document,
    paths: Object.fromEntries(paths),
    ...{ servers: [{ url: apiUrl, description: 'This sandbox.' }] },
    components: { ...document.components, parameters: { ...parameters, ...(filled && { projectId: filled }) } },
  };
}

/** Fills in the project if a profile has moved it to the query. */
function fillQuery(operation: Operation, fill: (parameter: Parameter) => Parameter): Operation {
  const parameterName = operation['x-sandbox-query']?.['projectId'];
  if (parameterName === undefined) return operation;
  const parameters = operation.parameters?.map((one) => (one['name'] === parameterName ? fill(one) : one)) ?? [];
  return { ...operation, parameters };
}

/** Operations that take a list of jobs and reject each of them separately. */
const jobOperations = new Set([
  'asyncImportJobs',
  'asyncImportJobsInSubproject',
  'syncCreateJobs',
  'syncCreateJobsInSubproject',
]);

/** Intentionally invalid, so it is not an example of the document. */
const badStatus = {
  summary: 'A job with an invalid status',
  value: { jobs: [{ id: 'JOB-1' }, { id: 'JOB-2', status: 'DELIVERD' }] },
};

/** Adds an example with an error. The document's first example stays the first. */
function withErrorExample(operation: Operation): Operation {
  const { content } = operation.requestBody ?? {};
  if (!jobOperations.has(operation.operationId ?? '') || content === undefined) return operation;
  const media = Object.entries(content).map(([type, one]) => {
    const [first, ...others] = Object.entries(one.examples ?? {});
    const all = [...(first ? [first] : []), ['badStatus', badStatus] as const, ...others];
    return [type, { ...one, examples: Object.fromEntries(all) }];
  });
  return { ...operation, requestBody: { ...operation.requestBody, content: Object.fromEntries(media) } };
}

/** Returns the security schemes that send an API key. */
export function keySchemes({ components = {} }: ApiDocument): readonly string[] {
  const schemes = Object.entries(components.securitySchemes ?? {});
  return schemes.filter(([, { type }]) => type === 'apiKey').map(([name]) => name);
}

/** Returns the id of the operation with this path and method. */
export function operationAt({ paths }: ApiDocument, [path, method]: readonly [string, string]): string | undefined {
  return paths[path]?.[method]?.operationId;
}

/** Returns the tag of an operation, or undefined if there is no such operation. */
export function tagOf({ paths }: ApiDocument, operation: string): string | undefined {
  const all = Object.values(paths).flatMap((path) => Object.values(path));
  const found = all.find(({ operationId }) => operationId === operation);
  return found && (found.tags?.[0] ?? 'default');
}
