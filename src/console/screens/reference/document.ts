/** Lists the operations of an API document as the reference shows them. */
import { splitPlace } from '../../../openapi/profile/places.ts';
import {
  type Document,
  type Media,
  type Operation,
  type Parameter,
  type Ref,
  resolve,
  type Schema,
} from './openapi.ts';

export interface ApiExample {
  readonly name: string;
  readonly title: string;
  readonly value: unknown;
}

export interface ApiBody {
  readonly type: string;
  readonly schema: Schema;
  readonly examples: readonly ApiExample[];
}

export interface ApiResponse {
  readonly status: string;
  readonly description: string;
  readonly headers: readonly Parameter[];
  readonly body: ApiBody | undefined;
}

export interface ApiOperation {
  readonly id: string;
  /** The sandbox sends a callback, and receives all other operations. */
  readonly isCallback: boolean;
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** What the operator's documentation does not show, so that the sandbox assumes it. */
  readonly assumption: string;
  readonly parameters: readonly Parameter[];
  readonly body: ApiBody | undefined;
  readonly responses: readonly ApiResponse[];
  /** Ids of the callbacks that report what happens after the response. */
  readonly callbacks: readonly string[];
  /** Where requests have each identifier that is not in the path. */
  readonly identifiers: Readonly<Record<string, string>>;
}

export interface Reference {
  readonly document: Document;
  readonly operations: readonly ApiOperation[];
  /** Name of the header with the API key. */
  readonly keyHeader: string;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'];

export function toReference(document: Document): Reference {
  return {
    document,
    operations: [...listOperations(document, 'paths'), ...listOperations(document, 'webhooks')],
    keyHeader: toKeyHeader(document),
  };
}

function listOperations(document: Document, kind: 'paths' | 'webhooks'): readonly ApiOperation[] {
  return Object.entries(document[kind] ?? {}).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method] as Operation | undefined;
      return operation === undefined
        ? []
        : [
            toOperation(document, kind === 'webhooks', path, method, {
              ...operation,
              parameters: [...(item.parameters ?? []), ...(operation.parameters ?? [])],
            }),
          ];
    }),
  );
}

function toOperation(
  document: Document,
  isCallback: boolean,
  path: string,
  method: string,
  operation: Operation,
): ApiOperation {
  const id = operation.operationId ?? `${method} ${path}`;
  const { content } = resolve(document, operation.requestBody);
  return {
    ...{ id, isCallback, path, method: method.toUpperCase() },
    tag: operation.tags?.[0] ?? 'Other',
    summary: operation.summary ?? '',
    description: operation.description ?? '',
    assumption: operation['x-not-shown'] ?? '',
    parameters: (operation.parameters ?? []).map((one) => resolve(document, one)),
    body: withErrorExample(id, toBody(document, content)),
    responses: Object.entries(operation.responses ?? {}).map(([status, one]) => {
      const { description, headers = {}, content } = resolve(document, one);
      const named = Object.entries(headers).map(([name, header]) => ({
        ...resolve(document, header),
        name,
        in: 'header',
      }));
      return { status, description, headers: named, body: toBody(document, content) };
    }),
    callbacks: Object.values(operation.callbacks ?? {}).flatMap((one) => callbackIds(document, one as Ref<object>)),
    identifiers: operation['x-sandbox-identifiers'] ?? {},
  };
}

function toBody(document: Document, content: Readonly<Record<string, Media>> = {}): ApiBody | undefined {
  const [first] = Object.entries(content);
  if (first === undefined) return undefined;
  const [type, { schema, example, examples = {} }] = first;
  const named = Object.entries(examples).map(([name, one]) => {
    const { summary = name, value } = resolve(document, one);
    return { name, title: summary, value };
  });
  const only = example === undefined ? [] : [{ name: 'example', title: 'Example', value: example }];
  return { type, schema: resolve(document, schema), examples: [...only, ...named] };
}

function callbackIds(document: Document, callback: Ref<object>): readonly string[] {
  return Object.values(resolve(document, callback)).flatMap((item) =>
    Object.values(resolve(document, item as Ref<object>)).flatMap(({ operationId }: Operation) => operationId ?? []),
  );
}

function toKeyHeader({ components }: Document): string {
  const schemes = Object.values(components?.['securitySchemes'] ?? {}) as readonly Partial<
    Parameter & { type: string }
  >[];
  return schemes.find(({ type, in: place }) => type === 'apiKey' && place === 'header')?.name ?? 'apikey';
}

/** Operations that take a list of jobs and reject each of them separately. */
const jobOperations = new Set([
  'asyncImportJobs',
  'asyncImportJobsInSubproject',
  'syncCreateJobs',
  'syncCreateJobsInSubproject',
]);

/** Intentionally invalid, so it is not an example of the document. */
const badStatus: ApiExample = {
  name: 'badStatus',
  title: 'A job with an invalid status',
  value: { jobs: [{ id: 'JOB-1' }, { id: 'JOB-2', status: 'DELIVERD' }] },
};

/** Adds an example with an error. The document's first example stays the first. */
function withErrorExample(id: string, body: ApiBody | undefined): ApiBody | undefined {
  if (!jobOperations.has(id) || body === undefined) return body;
  const [first, ...others] = body.examples;
  return { ...body, examples: [...(first ? [first] : []), badStatus, ...others] };
}

/** Returns the name of an identifier's parameter, or undefined if requests have it in the body. */
export function parameterOf({ identifiers }: ApiOperation, identifier: string): string | undefined {
  const place = identifiers[identifier];
  if (place === undefined) return identifier;
  const [kind, name] = splitPlace(place, identifier);
  return kind === 'body' ? undefined : name;
}
