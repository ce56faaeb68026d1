/** A profile applied to the document: paths, methods, statuses and required fields move, and nothing else does. */
import { describe, expect, test } from 'vitest';
import source from '../../../spec/openapi.yaml';
import type { Json } from '../../../src/lib/json.ts';
import { type Contract, createContract } from '../../../src/openapi/contract.ts';
import { type ApiDocument, applyProfile, bodySchema, eachOperation, resolve } from '../../../src/openapi/document.ts';
import { toNullable } from '../../../src/openapi/nullable.ts';
import { referencesOf } from '../../../src/openapi/profile/move-identifiers.ts';
import { type Profile, parseSize, shippedProfile } from '../../../src/openapi/profile/profile.ts';

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

function leadsTo(contract: Contract, method: string, url: string): unknown {
  const match = contract.match(method, url);
  return match.found ? { id: match.operation.id, params: match.params } : match;
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

test('a base path precedes every path', async () => {
  const document = served({ basePath: '/field/v2' });
  expect(Object.keys(document.paths).every((path) => path.startsWith('/field/v2/'))).toBe(true);
  const contract = createContract(document);
  const routed = { id: 'asyncImportJobs', params: { projectId: 'p' } };
  expect(leadsTo(contract, 'POST', '/field/v2/async/projects/p/jobs')).toEqual(routed);
  expect(leadsTo(contract, 'POST', '/async/projects/p/jobs')).toEqual({ found: false, why: 'unknown' });
});

describe('a moved operation', () => {
  const moved = {
    asyncImportJobs: { path: '/v2/jobs?project={projectId}', method: 'PUT', status: 200 },
    asyncUpdateJob: { path: '/v2/jobs/{jobId}?project={projectId}' },
  } as const;
  const document = served({ operations: moved });

  test('is found by its new path and query only', async () => {
    const contract = createContract(document);
    expect(leadsTo(contract, 'PUT', '/v2/jobs?project=p%2F1')).toEqual({
      id: 'asyncImportJobs',
      params: { projectId: 'p/1' },
    });
    expect(leadsTo(contract, 'PATCH', '/v2/jobs/J-1?project=p')).toEqual({
      id: 'asyncUpdateJob',
      params: { projectId: 'p', jobId: 'J-1' },
    });
    expect(leadsTo(contract, 'POST', '/async/projects/p/jobs')).toEqual({
      found: false,
      why: 'method',
      allow: ['PATCH'],
    });
  });

  test('has its query parameter in the document under the new name', () => {
    const { operation } = find(document, 'asyncImportJobs');
    const parameters = (operation['parameters'] as Json[]).map((parameter) => resolve(document, parameter));
    expect(parameters).toMatchObject([{ name: 'project', in: 'query', required: true }]);
  });

  test('is rejected without its query parameter', async () => {
    const contract = createContract(document);
    const match = contract.match('PUT', '/v2/jobs');
    if (!match.found) throw new Error('not found');
    const request = { params: match.params, query: match.query, body: { jobs: [] } };
    const { violations } = contract.validate(match.operation, request, { list: 'jobs', strict: false, depth: 100 });
    expect(violations).toEqual([{ path: 'query:project', message: 'required, but missing' }]);
  });

  test('has its new status with the same body', async () => {
    expect(statusesOf(document, 'asyncImportJobs').filter((status) => status < '400')).toEqual(['200']);
    const contract = createContract(document);
    const body = { failed: [], jobs: [], jobsReceived: 0 };
    expect(contract.checkResponse('asyncImportJobs', 200, body)).toBeUndefined();
    expect(contract.checkResponse('asyncImportJobs', 202, body)).toBe('asyncImportJobs declares no 202');
  });
});

test('identifiers leave the path with their segments, or need a path without them', () => {
  const document = served({
    identifiers: { projectId: 'header:X-Project', subProjectId: 'query' },
    operations: {
      asyncUpdateJob: {
        method: 'PUT',
        path: '/v2/jobs',
        identifiers: { projectId: 'query', username: 'body' },
        status: 200,
      },
      syncCreateJob: { path: '/v2/job?sub={projectId}', identifiers: { projectId: 'query' } },
    },
  });
  const contract = createContract(document);
  const own = { 'x-project': 'p' };
  const find = (method: string, url: string) => {
    const match = contract.match(method, url, own);
    return match.found && [match.operation.id, match.params];
  };
  expect(find('POST', '/async/projects/jobs')).toEqual(['asyncImportJobs', { projectId: 'p' }]);
  expect(find('POST', '/async/projects/subprojects/jobs?subProjectId=s')).toEqual([
    'asyncImportJobsInSubproject',
    { projectId: 'p', subProjectId: 's' },
  ]);
  expect(find('PUT', '/v2/jobs?projectId=q')).toEqual(['asyncUpdateJob', { projectId: 'q' }]);
  expect(find('POST', '/v2/job?sub=q')).toEqual(['syncCreateJob', { projectId: 'q' }]);
  expect(Object.keys(document.paths).filter((path) => /projectId|subProjectId/.test(path))).toEqual([]);
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

test('two operations with the same method and path are an error that names both', () => {
  const operations = {
    asyncImportJobs: { path: '/v2/jobs/{projectId}' },
    syncCreateJobs: { path: '/v2/jobs/{projectId}' },
  };
  expect(() => served({ operations })).toThrow(
    'syncCreateJobs and asyncImportJobs must differ in method or path, got POST /v2/jobs/{projectId} for both',
  );
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
      createContract(document).checkResponse('syncCreateJob', 404, { message: 'm', code: 'not_found' }),
    ).toBeUndefined();
  });

  test('can differ for a missing and an unknown key', () => {
    const document = served({ errors: { ...shippedProfile.errors, missingKey: 401, unknownKey: 403 } });
    expect(statusesOf(document, 'asyncImportJobs')).toEqual(expect.arrayContaining(['401', '403']));
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

test("entries have the profile's required fields, also the jobs of routes", async () => {
  const contract = createContract(
    served({
      required: {
        jobs: { create: ['id', 'address'], update: ['id', 'status'], inRoute: ['id', 'sequence'] },
        orders: ['id', 'storeId'],
        routes: ['id'],
      },
    }),
  );
  const refused = (id: string, list: 'jobs' | 'orders' | 'routes', body: Json) => {
    const routed = contract.operations.get(id);
    if (!routed) throw new Error(`no ${id}`);
    const request = { params: { projectId: 'p' }, query: {}, body };
    return Object.fromEntries(contract.validate(routed, request, { list, strict: false, depth: 100 }).refused);
  };
  expect(refused('asyncImportJobs', 'jobs', { jobs: [{ id: '1' }] })).toEqual({ 0: 'address: required, but missing' });
  for (const id of ['asyncUpdateJobs', 'syncCreateJobsInSubproject']) {
    expect(refused(id, 'jobs', { jobs: [{ id: '1' }] })).toEqual({ 0: 'status: required, but missing' });
  }
  expect(refused('syncImportOrders', 'orders', { orders: [{ id: '1' }] })).toEqual({
    0: 'storeId: required, but missing',
  });
  expect(refused('syncCreateRoutes', 'routes', { routes: [{ id: 'R', jobs: [{ id: '1' }] }] })).toEqual({
    '0/0': 'sequence: required, but missing',
  });
});

test('an attendant needs no access if the profile has a default', async () => {
  const body = { username: 'ana', password: 'Secret!', type: 'attendant', locationIds: 'S1' };
  const violationsWith = async (attendantAccess: 'required' | 'default') => {
    const contract = createContract(served({ users: { attendantAccess, withoutType: 'reject' } }));
    const match = contract.match('POST', '/projects/p/users');
    if (!match.found) throw new Error('not found');
    const request = { params: match.params, query: {}, body };
    return contract.validate(match.operation, request, { list: undefined, strict: false, depth: 100 }).violations;
  };
  expect(await violationsWith('required')).toMatchObject([{ path: '/access', message: expect.stringContaining('HO') }]);
  expect(await violationsWith('default')).toEqual([]);
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
