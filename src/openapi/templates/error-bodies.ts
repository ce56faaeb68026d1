/** Shows the profile's error bodies and response headers in the served document. */
import { STATUS_CODES } from 'node:http';
import type { Json } from '../../lib/json.ts';
import { fillTemplate, parseTemplate, type Template } from '../../lib/template.ts';
import { type ApiDocument, eachOperation, resolve } from '../api-document.ts';
import { errorPlaceholders, exampleValues, problemTemplate, problemType } from '../profile/placeholders.ts';
import { type Profile, toCodeNames } from '../profile/profile.ts';
import { inferSchema } from './template-schema.ts';

/** Name of the schema of error bodies. */
const errorSchema = 'ErrorBody';

/** Replaces the codes of errors by those of the profile. */
export function showErrorCodes(document: ApiDocument, profile: Profile): void {
  const names = toCodeNames(profile);
  const schema = schemasOf(document)['ErrorCode'];
  if (names.size === 0 || !schema) return;
  const toName = (code: unknown): string => names.get(String(code)) ?? String(code);
  const { enum: all, 'x-enum-descriptions': explanations = [] } = schema as Record<string, readonly string[]>;
  const explained = new Map<string, string>();
  for (const [index, code] of (all ?? []).entries()) {
    const [name, before, more = ''] = [toName(code), explained.get(toName(code)), explanations[index]];
    explained.set(name, before === undefined ? more : `${before} Or: ${more}`);
  }
  schema['enum'] = [...explained.keys()];
  schema['x-enum-descriptions'] = [...explained.values()];
  schema['examples'] = (schema['examples'] as readonly string[]).map(toName);
  for (const { json } of eachErrorBody(document)) {
    showExamples(document, json, (value) => ({ ...(value as Json), code: toName((value as Json)['code']) }));
  }
}

/** Replaces the schema, the examples and the content type of all errors. */
export function showErrorBodies(document: ApiDocument, { bodies: { error } }: Profile): void {
  if (error === undefined) return;
  const template = parseTemplate(error === 'problem' ? problemTemplate : error);
  const schemas = schemasOf(document);
  const { properties = {}, ...own } = schemas[errorSchema] ?? {};
  const { description } = own;
  schemas[errorSchema] = { description, ...inferSchema(template, toPlaceholders(properties as Record<string, Json>)) };
  for (const { status, response, operation, json } of eachErrorBody(document)) {
    const id = String(operation['operationId']);
    showExamples(document, json, (value) => fillExample(template, value, { status, operation: id }));
    if (error === 'problem') response['content'] = { [problemType]: json };
  }
}

/** Yields the JSON body of each error, with its response; shared ones once. */
function* eachErrorBody(document: ApiDocument) {
  const seen = new Set<Json>();
  for (const one of eachResponse(document)) {
    const json = (one.response['content'] as Record<string, Json> | undefined)?.['application/json'];
    if (!json || one.status < 400 || seen.has(one.response)) continue;
    seen.add(one.response);
    yield { ...one, json };
  }
}

function fillExample(template: Template, value: unknown, context: { status: number; operation: string }): unknown {
  const { errors, ...facts } = value as { readonly errors?: readonly Json[] };
  const values = { ...exampleValues, ...facts, errors, ...context, title: STATUS_CODES[context.status] };
  return fillTemplate(template, values, { error: errors });
}

function toPlaceholders({ code = {}, errors = {} }: Record<string, Json>) {
  return {
    schemas: { ...errorPlaceholders, code, errors },
    // Before a request has a project or a number, for example at a limit, these are not known.
    optional: new Set(['errors', 'error', 'error.path', 'error.message', 'operation', 'projectId', 'requestId']),
  };
}

/** Adds the profile's headers to all responses. */
export function showResponseHeaders(document: ApiDocument, { responseHeaders }: Profile): void {
  const added = Object.entries(responseHeaders).map(([name, value]) => [
    name.toLowerCase(),
    { description: 'The same in all responses.', schema: { type: 'string', const: value }, example: value },
  ]);
  if (added.length === 0) return;
  for (const { response } of eachResponse(document)) {
    response['headers'] = { ...Object.fromEntries(added), ...(response['headers'] as Json | undefined) };
  }
}

/** Changes the examples of a body, wherever they are. */
export function showExamples(document: ApiDocument, body: Json, change: (value: unknown) => unknown): void {
  const examples = Object.entries((body['examples'] ?? {}) as Record<string, Json>);
  const changed = examples.map(([name, example]) => {
    const found = resolve(document, example);
    return [name, { ...found, value: change(found['value']) }];
  });
  if (changed.length > 0) body['examples'] = Object.fromEntries(changed);
  if (body['example'] !== undefined) body['example'] = change(body['example']);
}

/** Yields each response of each operation; shared ones several times. */
export function* eachResponse(document: ApiDocument): Generator<{ status: number; response: Json; operation: Json }> {
  for (const { operation } of eachOperation(document)) {
    for (const [status, response] of Object.entries((operation['responses'] ?? {}) as Record<string, Json>)) {
      yield { status: Number(status), response: resolve(document, response), operation };
    }
  }
}

export function schemasOf(document: ApiDocument): Record<string, Json> {
  return (document['components'] as Json)['schemas'] as Record<string, Json>;
}
