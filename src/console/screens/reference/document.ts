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
  /** Places of the identifiers outside of the path, as set by a profile: `query:NAME`, `header:NAME` or `body`. */
  readonly 'x-sandbox-identifiers'?: Readonly<Record<string, string>>;
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
      fillProject(withErrorExample(operation), project),
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

/** Fills in the project if a profile has moved it out of the path. */
function fillProject(operation: Operation, project: string): Operation {
  const [kind, name] = operation['x-sandbox-identifiers']?.['projectId']?.split(/:(.*)/) ?? [];
  if (kind === undefined) return operation;
  if (kind === 'body') return mapExamples(operation, (value) => ({ ...value, projectId: project }));
  const fill = (parameter: Parameter) => ({ ...parameter, example: project, examples: undefined });
  const parameters = operation.parameters?.map((one) => (one['name'] === name ? fill(one) : one)) ?? [];
  return { ...operation, parameters };
}

/** Replaces the value of each example of a body. */
function mapExamples(operation: Operation, change: (value: object) => object): Operation {
  const media = Object.entries(operation.requestBody?.content ?? {}).map(([type, one]) => {
    const examples = Object.entries(one.examples ?? {}).map(([name, example]) => {
      const { value } = example as { readonly value?: object };
      return [name, value ? { ...example, value: change(value) } : example];
    });
    return [type, { ...one, examples: Object.fromEntries(examples) }];
  });
  return { ...operation, requestBody: { ...operation.requestBody, content: Object.fromEntries(media) } };
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
