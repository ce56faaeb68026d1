/** The API's document as it is shown: of this sandbox, with the project filled in. */
import { ask } from '../data/client.ts';
import { apiUrl } from '../data/message.ts';

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
  /** Where a profile has put parameters of the path: their names in the query. */
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
  const document = await ask<ApiDocument>('GET', '/openapi.json');
  const parameters = document.components?.parameters ?? {};
  const { projectId } = parameters;
  const fill = (parameter: object) => ({ ...parameter, example: project, examples: undefined });
  const filled = projectId && fill(projectId);
  const paths = Object.entries(document.paths).map(([path, item]) => {
    const operations = Object.entries(item).map(([method, operation]) => [
      method,
      withMistake(fillQuery(operation, fill)),
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

/** The project, where a profile moved it into the query. */
function fillQuery(operation: Operation, fill: (parameter: Parameter) => Parameter): Operation {
  const moved = operation['x-sandbox-query']?.['projectId'];
  if (moved === undefined) return operation;
  const parameters = operation.parameters?.map((one) => (one['name'] === moved ? fill(one) : one)) ?? [];
  return { ...operation, parameters };
}

/** Those that take a list of jobs, each of which is refused alone. */
const takingJobs = new Set([
  'asyncImportJobs',
  'asyncImportJobsInSubproject',
  'syncCreateJobs',
  'syncCreateJobsInSubproject',
]);

/** Wrong on purpose, and so not among the examples of the document itself. */
const badStatus = {
  summary: 'One job with a status that does not exist',
  value: { jobs: [{ id: 'JOB-1' }, { id: 'JOB-2', status: 'DELIVERD' }] },
};

/** Puts an example of a mistake beside those of the document, the first of which stays the first. */
function withMistake(operation: Operation): Operation {
  const { content } = operation.requestBody ?? {};
  if (!takingJobs.has(operation.operationId ?? '') || content === undefined) return operation;
  const media = Object.entries(content).map(([type, one]) => {
    const [first, ...others] = Object.entries(one.examples ?? {});
    const all = [...(first ? [first] : []), ['badStatus', badStatus] as const, ...others];
    return [type, { ...one, examples: Object.fromEntries(all) }];
  });
  return { ...operation, requestBody: { ...operation.requestBody, content: Object.fromEntries(media) } };
}

/** The schemes by which a key is sent. */
export function keySchemes({ components = {} }: ApiDocument): readonly string[] {
  const schemes = Object.entries(components.securitySchemes ?? {});
  return schemes.filter(([, { type }]) => type === 'apiKey').map(([name]) => name);
}

/** The operation of a path and method. */
export function operationAt({ paths }: ApiDocument, [path, method]: readonly [string, string]): string | undefined {
  return paths[path]?.[method]?.operationId;
}

/** The heading under which an operation stands; undefined where there is no such operation. */
export function tagOf({ paths }: ApiDocument, operation: string): string | undefined {
  const all = Object.values(paths).flatMap((path) => Object.values(path));
  const found = all.find(({ operationId }) => operationId === operation);
  return found && (found.tags?.[0] ?? 'default');
}
