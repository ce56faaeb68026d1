/** A profile applied to the document: paths, methods, statuses and required fields move, and nothing else does. */
import { describe, expect, test } from 'vitest';
import source from '../../../spec/openapi.yaml';
import type { Json } from '../../../src/lib/json.ts';
import { createContract } from '../../../src/openapi/contract.ts';
import { type ApiDocument, applyProfile, bodySchema, eachOperation, resolve } from '../../../src/openapi/document.ts';
import { toNullable } from '../../../src/openapi/nullable.ts';
import { referencesOf } from '../../../src/openapi/profile/move-identifiers.ts';
import { type Profile, parseSize, shippedProfile } from '../../../src/openapi/profile/profile.ts';
import { checkResponse } from '../../harness/check-response.ts';

const api = source as ApiDocument;

function served(changes: Partial<Profile>): ApiDocument {
  return applyProfile(api, { ...shippedProfile, ...changes });
}

function find(document: ApiDocument, id: string): { path: string; method: string; operation: Json } {
  const found = [...eachOperation(document)].find(({ operation }) => operation['operationId'] === id);
  if (!found) throw new Error(`no ${id}`);
  return found;
}

function statusesOf(document: ApiDocument, id: string): readonly string[] {
  return Object.keys(find(document, id).operation['responses'] as Json);
}

test('the default profile changes no path, and not the source', () => {
  const before = structuredClone(api);
  const document = applyProfile(api, shippedProfile);
  expect(api).toEqual(before);
  expect(Object.keys(document.paths)).toEqual(Object.keys(api.paths));
  for (const { path, method, operation } of eachOperation(api)) {
    const id = String(operation['operationId']);
    expect(find(document, id)).toMatchObject({ path, method });
    expect(statusesOf(document, id)).toEqual(Object.keys(operation['responses'] as Json));
  }
});

test.each<[string, Partial<Profile>]>([
  ['callbacks', { bodies: { callback: { event: '{type}' } } }],
  ['the nulls', { nulls: 'ignore' }],
  ['the places of identifiers', { identifiers: { ...shippedProfile.identifiers, projectId: 'header:x-project' } }],
])('a profile that changes %s leaves no component unused', (_what, changes) => {
  const document = served(changes);
  const shown = changes.nulls === 'ignore' ? toNullable(document) : document;
  const { securitySchemes: _, ...components } = shown['components'] as Record<string, Json>;
  const references = referencesOf(shown);
  const unused = Object.entries(components).flatMap(([kind, members]) =>
    Object.keys(members).filter((name) => !references.has(`#/components/${kind}/${name}`)),
  );
  expect(unused).toEqual([]);
});

describe('statuses of errors', () => {
  test('follow the profile in every operation', () => {
    const document = served({
      errors: { ...shippedProfile.errors, invalid: 422, downstream: 424, foreignKey: 404, duplicate: 400 },
    });
    const statuses = statusesOf(document, 'syncCreateJob');
    expect(statuses).toEqual(expect.arrayContaining(['201', '422', '401', '404', '400', '413', '415', '424', '429']));
    expect(statuses).not.toContain('403');
    expect(statuses).not.toContain('409');
  });

  test('that are equal have one response, which describes both errors with their examples', () => {
    const document = served({ errors: { ...shippedProfile.errors, foreignKey: 404, notFound: 404, duplicate: 400 } });
    const responses = find(document, 'syncCreateJob').operation['responses'] as Record<string, Json>;
    const { description, headers, content } = responses['404'] as Record<string, Json>;
    expect(description).toBe('The API key belongs to another project or region. Or: The path does not exist.');
    expect(Object.keys(headers ?? {})).toEqual(['x-request-id', 'x-sandbox-warnings']);
    expect(
      Object.keys(resolve(document, (content as Record<string, Json>)['application/json'] as Json)['examples'] as Json),
    ).toEqual(['unknownPath', 'foreignKey']);
    expect((responses['400'] as Json)['description']).toMatch(
      /^The request is invalid\..* Or: A job with this identifier/,
    );
    expect(
      checkResponse(createContract(document), 'syncCreateJob', 404, { message: 'm', code: 'not_found' }),
    ).toBeUndefined();
  });
});

test("every list of a body has the profile's maximum, which validation does not check", () => {
  const document = served({ limits: { ...shippedProfile.limits, entries: 3 } });
  const lists = ['jobs', 'orders', 'routes', 'locations'];
  const maximums = [...eachOperation(document)].flatMap(({ operation }) => {
    const { properties } = resolve(document, bodySchema(operation) as Json) as { properties: Record<string, Json> };
    return lists.flatMap((list) => (properties[list] ? [resolve(document, properties[list])['maxItems']] : []));
  });
  expect(maximums).toEqual(Array.from({ length: 16 }, () => 3));
  const contract = createContract(document);
  const routed = contract.operations.get('submitLocations');
  const location = {
    deviceId: 'D',
    eventDateTime: '2026-03-02T09:41:17Z',
    geoJson: { type: 'Point', coordinates: [1, 2] },
  };
  const body = { locations: Array.from({ length: 4 }, () => location) };
  const how = { list: undefined, strict: true, depth: 100 };
  expect(routed && contract.validate(routed, { params: { projectId: 'p' }, query: {}, body }, how).violations).toEqual(
    [],
  );
});

test('marks of assumptions do not state a default that the profile changes', () => {
  const marksOf = (document: ApiDocument) => {
    const { schemas } = document['components'] as { schemas: Record<string, Json> };
    const names = ['JobCreate', 'JobUpdate', 'Route', 'AttendantRegistration', 'UserRegistration'];
    return names.map((name) => schemas[name]?.['x-not-shown']);
  };
  const entry = 'Which fields an entry of a list needs.';
  const jobs = { ...shippedProfile.required.jobs, create: ['id', 'address'] };
  const users = { attendantAccess: 'default', withoutType: 'driver' } as const;
  expect(marksOf(served({ required: { ...shippedProfile.required, jobs }, users }))).toEqual([
    entry,
    `${entry} The sandbox needs only \`id\`.`,
    `${entry} The sandbox needs only \`id\`.`,
    'Whether a missing `access` is rejected or becomes `HO`.',
    undefined,
  ]);
  expect(marksOf(served({})).join()).toMatch(/It is rejected\..*which is rejected/);
});

test('a callback per entry is described as one', () => {
  const document = served({ callbacks: { ...shippedProfile.callbacks, perEntry: true } });
  const texts = JSON.stringify(document['webhooks']);
  expect(texts).toContain('once for each entry. Signed as Standard Webhooks');
  expect(texts).not.toContain('once for all failures');
});

test("an overlay's required fields stay beside the profile's", () => {
  const overlaid = structuredClone(api);
  const { schemas } = overlaid['components'] as { schemas: Record<string, { required: string[] }> };
  for (const name of ['JobCreate', 'JobInRoute']) schemas[name]?.required.push('sequence');
  const required = { ...shippedProfile.required, jobs: { ...shippedProfile.required.jobs, create: ['id', 'address'] } };
  const document = applyProfile(overlaid, { ...shippedProfile, required });
  const { schemas: found } = document['components'] as { schemas: typeof schemas };
  expect(found['JobCreate']?.required).toEqual(['id', 'address', 'sequence']);
  expect(found['JobInRoute']?.required).toEqual(['id', 'sequence']);
});

test.each([
  ['bodies', { bodies: { error: 'problem', registerUser: { id: '{id}' } } }],
  ['responseHeaders', { responseHeaders: { 'x-region': 'au' } }],
  ['identifiers', { identifiers: { ...shippedProfile.identifiers, projectId: 'query', username: 'body' } }],
] as const)('%s change a copy of the document, which other profiles share', (_key, changes) => {
  const before = JSON.stringify(api);
  served(changes);
  expect(JSON.stringify(api) === before).toBe(true);
});

test.each([
  ['16MB', 16 * 1024 ** 2],
  ['3kB', 3072],
  ['12B', 12],
])('a size of %s is %i bytes', (text, bytes) => {
  expect(parseSize(text)).toBe(bytes);
});
