/** That each constraint has a message. flows/transcripts/mistakes.txt has messages. */
import { expect, test } from 'vitest';
import controlSource from '../../spec/control.yaml';
import type { Json } from '../../src/lib/json.ts';
import { type ApiDocument, bodySchema, eachOperation, resolve } from '../../src/openapi/api-document.ts';
import { closeObjects } from '../../src/openapi/close-objects.ts';
import { api } from './requests.ts';

/** Keywords whose errors are explained, and those that repeat the errors of their subschemas. */
const explained =
  /^(type|enum|const|required|format|additionalProperties|(min|max)Items|(min|max)Length|(min|max)imum|if|then|else|allOf)$/;
const annotations = /^(\$ref|description|default|example|examples|name|in|title|writeOnly|items|properties|x-.*)$/;

/** Yields the schemas of parameters and bodies that have a keyword without a message of its own. */
function* findUnexplained(schema: Json): Generator<Json> {
  const keywords = Object.keys(schema).filter((key) => !explained.test(key) && !annotations.test(key));
  const isOfFields = keywords.join() === 'minProperties' && schema['properties'] !== undefined;
  const hasMessage = schema['x-rule'] !== undefined || schema['x-warning'] !== undefined || isOfFields;
  if (keywords.length > 0 && !hasMessage) yield schema;
  const { properties = {}, items, allOf = [], then, else: otherwise } = schema as Record<string, Json>;
  const inner = [...Object.values(properties), ...Object.values(allOf), items, then, otherwise];
  for (const one of inner) if (typeof one === 'object') yield* findUnexplained(one as Json);
}

test.each([
  ['the API', api.document],
  ['the control API', controlSource],
])('every constraint of requests of %s has a message of its own', (_, source) => {
  const document = source as ApiDocument;
  for (const { operation } of eachOperation(document)) {
    const { parameters = [] } = operation as { readonly parameters?: readonly Json[] };
    const schemas = parameters.map((one) => resolve(document, one)['schema'] as Json);
    for (const schema of [...schemas, bodySchema(operation) ?? {}]) {
      expect([...findUnexplained(closeObjects(schema, document) as Json)]).toEqual([]);
    }
  }
});
