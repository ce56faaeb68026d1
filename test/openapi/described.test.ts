/** The document as people read it: every field is described and has an example, every enum value is explained. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, test } from 'vitest';
import apiSource from '../../spec/openapi.yaml';
import type { Json } from '../../src/lib/json.ts';
import { type ApiDocument, eachOperation, resolve } from '../../src/openapi/api-document.ts';
import { applyProfile } from '../../src/openapi/document.ts';
import { toOpenApi30 } from '../../src/openapi/openapi-30.ts';
import { shippedProfile } from '../../src/openapi/profile/profile.ts';

const api = applyProfile(apiSource as ApiDocument, shippedProfile);
const schemas = Object.entries((api['components'] as Json)['schemas'] as Record<string, Json>);
const fields = schemas.flatMap(([schema, { properties }]) =>
  Object.entries((properties ?? {}) as Record<string, Json>).map(
    ([name, field]) => [`${schema}.${name}`, field] as const,
  ),
);

/** Whether a value of the schema can be seen: its own example, or those of its fields or items. */
function hasExample(schema: Json): boolean {
  const own = resolve(api, schema);
  if (schema['examples'] ?? own['examples'] ?? own['properties']) return true;
  if (own['type'] === 'array') return hasExample(own['items'] as Json);
  return own['type'] === 'object';
}

test.each(fields)('%s has a description and an example', (_name, field) => {
  expect(field['description'] ?? resolve(api, field)['description']).toMatch(/^[A-Z`].*\.$/s);
  expect(hasExample(field)).toBe(true);
});

test('every enum of several values is a schema of its own that explains each of them', () => {
  for (const [name, schema] of schemas) {
    const { enum: values, 'x-enum-descriptions': explanations } = schema as Readonly<Record<string, readonly string[]>>;
    if (values) expect(explanations?.length, name).toBe(values.length);
  }
  const anonymous = fields.filter(([, field]) => Array.isArray(field['enum']) && field['enum'].length > 1);
  expect(anonymous.map(([name]) => name)).toEqual([]);
});

// Other tools validate with the document as it is served, where the server validates with a copy.
test.each([
  ['3.1', api],
  ['3.0', toOpenApi30(api) as ApiDocument],
])('every example is valid by the schemas of the document %s', (_version, document) => {
  const ajv = new Ajv2020({ strict: false, validateSchema: false });
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  ajv.addSchema({ ...document, $id: 'document' });
  let count = 0;
  const check = (holder: Json, where: string) => {
    const media = ((resolve(document, holder)['content'] ?? {}) as Record<string, Json>)['application/json'];
    const { schema, examples } = (media ?? {}) as { schema?: Json; examples?: Record<string, Json> };
    if (!schema) return;
    const validate = ajv.compile({ $ref: `document${String(schema['$ref'])}` });
    for (const [name, example] of Object.entries(examples ?? {})) {
      count += 1;
      expect(
        validate(resolve(document, example)['value']),
        `${where} ${name}: ${ajv.errorsText(validate.errors)}`,
      ).toBe(true);
    }
  };
  for (const { operation } of eachOperation(document)) {
    const id = String(operation['operationId']);
    check(operation['requestBody'] as Json, id);
    for (const [status, response] of Object.entries(operation['responses'] as Record<string, Json>)) {
      check(response, `${id} ${status}`);
    }
  }
  expect(count).toBeGreaterThan(400);
});

test.each(['AttendantRegistration', 'DriverRegistration'])('%s has every field of a registration', (name) => {
  const fieldsOf = (schema: string) => Object.keys((Object.fromEntries(schemas)[schema] as Json)['properties'] as Json);
  expect(fieldsOf(name).sort()).toEqual(fieldsOf('UserRegistration').sort());
});
