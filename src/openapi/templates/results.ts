/** Shows the profile's bodies of results in the served document. */
import type { Json } from '../../lib/json.ts';
import { fillTemplate, parseTemplate } from '../../lib/template.ts';
import { type ApiDocument, bodySchema, eachOperation, resolve } from '../api-document.ts';
import { exampleValues, resultPlaceholders } from '../profile/placeholders.ts';
import type { Profile } from '../profile/profile.ts';
import { eachResponse, schemasOf } from './error-bodies.ts';
import { inferSchema } from './template-schema.ts';

/** Replaces the success response of each operation that has a template; others keep the shared one. */
export function showResults(document: ApiDocument, { bodies }: Profile): void {
  for (const { operation } of eachOperation(document)) {
    const id = String(operation['operationId']);
    if (bodies[id] !== undefined) showResult(document, operation, id, bodies[id]);
  }
}

function showResult(document: ApiDocument, operation: Json, id: string, body: unknown): void {
  const template = parseTemplate(body);
  const fields = (resolve(document, bodySchema(operation) ?? {})['properties'] ?? {}) as Record<string, Json>;
  const schema = inferSchema(template, toPlaceholders(fields));
  const name = `${id.charAt(0).toUpperCase()}${id.slice(1)}Result`;
  schemasOf(document)[name] = { description: `The result of ${id}.`, ...schema };
  const responses = operation['responses'] as Record<string, Json>;
  for (const { status, response, operation: other } of eachResponse(document)) {
    if (other !== operation || status >= 300) continue;
    const request = exampleOf(document, (operation['requestBody'] ?? {}) as Json);
    const result = exampleOf(document, response);
    // The id of an update may be in the path only; the message of each example has it after the noun.
    const recordId = String(result['message']).split(' ')[1];
    const own = { id: recordId, username: recordId, message: result['message'], operation: id };
    const value = fillTemplate(template, { ...exampleValues, ...request, ...own });
    const content = {
      schema: { $ref: `#/components/schemas/${name}` },
      examples: { done: { summary: 'Done', value } },
    };
    responses[String(status)] = { ...response, content: { 'application/json': content } };
  }
}

/** Returns the first example of a body. */
function exampleOf(document: ApiDocument, body: Json): Json {
  const content = body['content'] as Record<string, Json> | undefined;
  const { examples = {}, example } = content?.['application/json'] ?? {};
  const [first] = Object.values(examples as Record<string, Json>);
  return (first ? resolve(document, first)['value'] : (example ?? {})) as Json;
}

function toPlaceholders(fields: Record<string, Json>) {
  const time = resultPlaceholders['timestamp'] ?? {};
  return {
    schemas: { ...fields, ...resultPlaceholders, createdAt: time, updatedAt: time },
    optional: new Set([
      ...Object.keys(fields).filter((name) => name !== 'projectId' && name !== 'id'),
      'subProjectId',
      'createdAt',
      'updatedAt',
    ]),
  };
}
