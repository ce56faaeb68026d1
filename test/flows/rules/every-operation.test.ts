/** Every one of the 29 operations, called with a realistic body: what it answers and what it leaves. */
import { describe, expect, test } from 'vitest';
import { type OperationId, operationIds, operations } from '../../../src/operations/index.ts';
import { sampleBody } from '../../../src/samples/sample.ts';
import { useSandbox } from '../../harness/sandbox.ts';

const clock = '2026-03-02T09:30:00Z';
const sandbox = useSandbox({ clock });
const twin = useSandbox({ clock });

type Body = Record<string, unknown> & { jobs?: Entry[]; orders?: Entry[]; routes?: { id: string; jobs: Entry[] }[] };
type Entry = Record<string, unknown> & { id: string };

const seed = 'rules';
const scope = '/subprojects/sub';

/** Where an operation lives: as the design has it, written out again here. */
const places: Record<OperationId, readonly [method: string, path: string, status: number]> = {
  registerUser: ['POST', '/projects/:p/users', 201],
  updateUser: ['PATCH', '/projects/:p/users/:username', 200],
  asyncImportJobs: ['POST', '/async/projects/:p/jobs', 202],
  asyncUpdateJobs: ['PATCH', '/async/projects/:p/jobs', 202],
  asyncUpdateJob: ['PATCH', '/async/projects/:p/jobs/:id', 202],
  asyncImportRoutes: ['POST', '/async/projects/:p/routes', 202],
  asyncImportJobsInSubproject: ['POST', `/async/projects/:p${scope}/jobs`, 202],
  asyncUpdateJobsInSubproject: ['PATCH', `/async/projects/:p${scope}/jobs`, 202],
  asyncUpdateJobInSubproject: ['PATCH', `/async/projects/:p${scope}/jobs/:id`, 202],
  asyncImportRoutesInSubproject: ['POST', `/async/projects/:p${scope}/routes`, 202],
  syncCreateJobs: ['POST', '/sync/projects/:p/jobs/batch', 200],
  syncUpdateJobs: ['PATCH', '/sync/projects/:p/jobs/batch', 200],
  syncCreateRoutes: ['POST', '/sync/projects/:p/routes/batch', 200],
  syncCreateJob: ['POST', '/sync/projects/:p/jobs', 201],
  syncUpdateJob: ['PATCH', '/sync/projects/:p/jobs', 200],
  syncCreateJobsInSubproject: ['POST', `/sync/projects/:p${scope}/jobs/batch`, 200],
  syncCreateRoutesInSubproject: ['POST', `/sync/projects/:p${scope}/routes/batch`, 200],
  syncCreateJobInSubproject: ['POST', `/sync/projects/:p${scope}/jobs`, 201],
  syncUpdateJobInSubproject: ['PATCH', `/sync/projects/:p${scope}/jobs`, 200],
  asyncImportOrders: ['POST', '/async/projects/:p/orders', 202],
  asyncUpdateOrder: ['PATCH', '/async/projects/:p/orders/:id', 202],
  asyncImportOrdersInSubproject: ['POST', `/async/projects/:p${scope}/orders`, 202],
  asyncUpdateOrderInSubproject: ['PATCH', `/async/projects/:p${scope}/orders/:id`, 202],
  syncImportOrders: ['POST', '/sync/projects/:p/orders', 200],
  syncUpdateOrder: ['PATCH', '/sync/projects/:p/orders/:id', 200],
  syncImportOrdersInSubproject: ['POST', `/sync/projects/:p${scope}/orders`, 200],
  syncUpdateOrderInSubproject: ['PATCH', `/sync/projects/:p${scope}/orders/:id`, 200],
  submitLocation: ['POST', '/projects/:p/locations', 200],
  submitLocations: ['POST', '/projects/:p/locations/batch', 200],
};

test('there are 29 operations', () => {
  expect(operationIds).toHaveLength(29);
});

/** What must be there before an update: the seed's own imports, in the subproject that the URL will name. */
async function prepare(place: typeof sandbox, project: string, id: OperationId) {
  if (!/update/i.test(id)) return {};
  if (id === 'updateUser') {
    const user = await sampleBody('registerUser', { count: 1, seed });
    await place.api('POST', `/projects/${project}/users`, user);
    return { username: String(user['username']) };
  }
  const [list, path, operation] = id.includes('Order')
    ? (['orders', 'orders', 'syncImportOrders'] as const)
    : (['jobs', 'jobs/batch', 'syncCreateJobs'] as const);
  const records: Body = await sampleBody(operation, { count: 3, seed });
  await place.api('POST', `/sync/projects/${project}${scopeOf(id)}/${path}`, records);
  return { id: records[list]?.[0]?.id };
}

function scopeOf(id: OperationId): string {
  return id.endsWith('InSubproject') ? scope : '';
}

async function call(place: typeof sandbox, project: string, id: OperationId) {
  const [method, template] = places[id];
  const known = await prepare(place, project, id);
  const path = template
    .replace(':p', project)
    .replace(':username', known.username ?? '')
    .replace(':id', known.id ?? '');
  const body = (await sampleBody(id, { count: operations[id].list ? 3 : 1, seed })) as Body;
  const response = await place.api(method, path, body);
  await place.advance(project);
  const snapshot = (await place.control('GET', `/projects/${project}/snapshot`)).body;
  return { response, body, known, snapshot };
}

const calls = operationIds.map((id) => [id] as const);

/** Checks the list of accepted entries in a response. */
function expectResults(body: Record<string, Entry[]>, id: OperationId, entries: readonly Entry[]): void {
  const results = operations[id].collection === 'orders' ? 'orders' : 'jobs';
  expect(body).toMatchObject({ failed: [], [`${results}Received`]: entries.length });
  const accepted = body[results]?.map(({ orderNumber, subProjectId }) => ({ orderNumber, subProjectId }));
  const inUrl = id.endsWith('InSubproject') ? 'sub' : undefined;
  expect(accepted).toEqual(
    entries.map((entry) => ({ orderNumber: entry.id, subProjectId: entry['subProjectId'] ?? inUrl })),
  );
}

describe.each(calls)('%s', (id) => {
  test('accepts and applies a realistic body without a warning, and records it; the same in a twin sandbox', async () => {
    const project = `same-${id}`;
    const { response, body, known, snapshot } = await call(sandbox, project, id);
    const [request] = (await sandbox.items(project, 'requests')).slice(-1);
    expect(request).toMatchObject({ operation: id, warnings: [], status: places[id][2] });
    expect(response.status).toBe(places[id][2]);
    expect(response.headers).not.toHaveProperty('x-sandbox-warnings');
    expect(await sandbox.items(project, 'callbacks')).toEqual([]);

    const { collection, list } = operations[id];
    const entries = (list === 'routes' ? body.routes?.flatMap(({ jobs }) => jobs) : list && body[list]) as Entry[];
    if (collection === 'devices') expect(response.body).toEqual({});
    else if ('message' in response.body) {
      const name = String(known.username ?? known.id ?? body['id'] ?? body['username']);
      const verb = id.includes('pdate') ? 'updated' : 'created';
      expect(response.body).toEqual({ message: `${collection.slice(0, -1)} ${name} ${verb}` });
    } else expectResults(response.body, id, entries ?? [{ ...body, ...known } as Entry]);
    for (const sent of entries ?? [{ ...body, ...known }]) {
      const stored = find(snapshot, collection, sent);
      const { password: _password, ...fields } = sent;
      expect(stored).toMatchObject(fields);
    }
    const same = await call(twin, project, id);
    expect(same.response.body).toEqual(response.body);
    expect(same.snapshot).toEqual(snapshot);
    expect(same.response.headers['x-request-id']).toBe(response.headers['x-request-id']);
  });
});

/** The stored record of what was sent; a device's point in its trail. */
function find(snapshot: Record<string, Entry[]>, collection: string, sent: Record<string, unknown>): unknown {
  if (collection !== 'devices') {
    const name = collection === 'users' ? 'username' : 'id';
    const kept = snapshot[collection === 'routes' ? 'jobs' : collection];
    return kept?.find((record) => record[name] === sent[name]);
  }
  const device = snapshot['locations']?.find(({ deviceId }) => deviceId === sent['deviceId']);
  return ((device?.['trail'] ?? []) as Entry[]).find(({ eventDateTime }) => eventDateTime === sent['eventDateTime']);
}
