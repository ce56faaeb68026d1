/**
 * One case for each line of the table "Assumptions" in docs/reference/profile.md: a question to the sandbox whose answer
 * is different under a profile.
 */
import supertest from 'supertest';
import type { RunningSandbox } from '../../../src/server.ts';

/** A question and its two answers. */
export interface NotShown {
  /** The first cell of the line in the table. */
  readonly line: string;
  readonly profile: string;
  /** The overlay that the profile names `changes.overlay.yaml`. */
  readonly overlay?: string;
  readonly ask: (client: Client) => Promise<unknown>;
  readonly byDefault: unknown;
  readonly changed: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Sends requests to a sandbox: to the API with the default key, or to the control API. */
export interface Client {
  api(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  control(method: string, path: string, body?: unknown): Promise<Answer>;
}

export function createClient({ url }: Pick<RunningSandbox, 'url'>): Client {
  const send: Client['api'] = async (method, path, body, headers = {}) => {
    const request = supertest(url)
      [method.toLowerCase() as 'post'](path)
      .ok(() => true)
      .set({ apikey: 'sandbox-key', ...headers });
    const response = await (body === undefined ? request : request.send(body as object));
    return { status: response.status, headers: response.headers as Record<string, string>, body: response.body };
  };
  return { api: send, control: (method, path, body) => send(method, `/_sandbox${path}`, body) };
}

const jobs = '/sync/projects/acme/jobs';
const batch = `${jobs}/batch`;
const driver = { username: 'j.okafor', password: 'Harbour!', type: 'driver', visibleBy: 'CHI-003', access: 'DRIVER' };
const attendant = { username: 'm.keller', password: 'Sunrise#', type: 'attendant', locationIds: 'BNE-014' };
const register = (client: Client, body: object) => client.api('POST', '/projects/acme/users', body);
const job = { id: 'JOB-1', status: 'PENDING', address: {} };
/** Imports one job and returns the reasons of failures. */
const importJob = async (client: Client, fields: object, path = batch): Promise<readonly string[]> => {
  const { body } = await client.api('POST', path, { jobs: [fields] });
  return (body as { readonly failed: readonly { readonly reason: string }[] }).failed.map(({ reason }) => reason);
};
/** Imports one route and returns the reasons of failures. */
const importRoute = async (client: Client, route: object): Promise<readonly string[]> => {
  const { body } = await client.api('POST', '/sync/projects/acme/routes/batch', { routes: [route] });
  return (body as { readonly failed: readonly { readonly reason: string }[] }).failed.map(({ reason }) => reason);
};
const status = async (answer: Promise<Answer>): Promise<number> => (await answer).status;
/** Lets an asynchronous import fail, and returns the callbacks. */
const callbacksOf = async (client: Client, ids: readonly string[]): Promise<readonly Record<string, unknown>[]> => {
  await client.api('POST', '/async/projects/acme/jobs', { jobs: ids.map((id) => ({ id })) });
  await client.control('POST', '/projects/acme/clock/advance', { until: 'idle' });
  const { body } = await client.control('GET', '/projects/acme/callbacks');
  return (body as { readonly items: readonly Record<string, unknown>[] }).items;
};
const failing = 'FAIL-GEOCODE-1';
interface SentAttempt {
  readonly sent: string;
  readonly headers: Readonly<Record<string, string>>;
}
/** Returns the first attempt of the first callback. */
const firstAttempt = (callbacks: readonly Record<string, unknown>[]): SentAttempt | undefined =>
  callbacks.flatMap(({ attempts }) => attempts as readonly SentAttempt[])[0];
/** An overlay with one action. */
const overlay = (target: string, update: string): string =>
  `overlay: 1.0.0\ninfo: { title: Changes, version: "1" }\nactions:\n  - target: ${target}\n    update: ${update}\n`;
const withOverlay = 'overlays: [changes.overlay.yaml]';

export const notShown: readonly NotShown[] = [
  {
    line: 'method and path of each operation',
    profile: 'basePath: /v2\noperations: { syncCreateJob: { method: PUT, path: "/jobs/{projectId}" } }',
    ask: (client) => status(client.api('PUT', '/v2/jobs/acme', job)),
    byDefault: 404,
    changed: 201,
  },
  {
    line: 'place of `projectId`, `subProjectId`, `jobId`, `orderId`, `username`',
    profile: 'identifiers: { projectId: "header:x-project" }',
    ask: (client) => status(client.api('POST', '/sync/projects/jobs', job, { 'x-project': 'acme' })),
    byDefault: 404,
    changed: 201,
  },
  {
    line: 'success statuses',
    profile: 'operations: { syncCreateJob: { status: 200 } }',
    ask: (client) => status(client.api('POST', jobs, job)),
    byDefault: 201,
    changed: 200,
  },
  {
    line: 'which set is asynchronous',
    profile: 'operations: { asyncImportJobs: { mode: sync } }',
    ask: (client) => importJob(client, { id: failing }, '/async/projects/acme/jobs'),
    byDefault: [],
    changed: ['Address could not be geocoded'],
  },
  {
    line: 'required fields of list entries',
    profile: 'required: { jobs: { create: [id, branchId] } }',
    ask: (client) => importJob(client, { id: 'JOB-1' }),
    byDefault: [],
    changed: ['branchId: required, but missing'],
  },
  {
    line: 'import of an existing id',
    profile: 'duplicates: { jobs: replace }',
    ask: async (client) => {
      await importJob(client, { id: 'JOB-1' });
      return (await importJob(client, { id: 'JOB-1' })).length;
    },
    byDefault: 1,
    changed: 0,
  },
  {
    line: 'import of an existing route',
    profile: 'duplicates: { routes: replace }',
    ask: async (client) => {
      await importRoute(client, { id: 'R-1', jobs: [{ id: 'JOB-1' }] });
      return (await importRoute(client, { id: 'R-1', jobs: [{ id: 'JOB-1' }] })).length;
    },
    byDefault: 2,
    changed: 0,
  },
  {
    line: 'job that exists, in an import of routes',
    profile: 'duplicates: { routeJobs: reject }',
    ask: async (client) => {
      await importJob(client, { id: 'JOB-1' });
      return importRoute(client, { id: 'R-1', jobs: [{ id: 'JOB-1' }] });
    },
    byDefault: [],
    changed: ['job JOB-1 exists already'],
  },
  {
    line: 'objects inside a record, in an update',
    profile: 'updates: { nested: merge }',
    ask: async (client) => {
      await importJob(client, { id: 'JOB-1', attributes: { a: { b: 1 }, list: [1] } });
      await client.api('PATCH', batch, { jobs: [{ id: 'JOB-1', attributes: { a: { c: 2 }, list: [2] } }] });
      return ((await client.control('GET', '/projects/acme/jobs/JOB-1')).body as { attributes: unknown }).attributes;
    },
    byDefault: { a: { c: 2 }, list: [2] },
    changed: { a: { b: 1, c: 2 }, list: [2] },
  },
  {
    line: 'projects of one id in two regions',
    profile: 'regions: { separate: true }',
    ask: async (client) => {
      await importJob(client, { id: 'JOB-1' });
      const change = { jobs: [{ id: 'JOB-1', status: 'DISPATCH' }] };
      const { body } = await client.api('PATCH', batch, change, { host: 'eu.localhost' });
      return (body as { failed: unknown[] }).failed.length;
    },
    byDefault: 0,
    changed: 1,
  },
  {
    line: 'values of `code` in errors',
    profile: 'codes: { unknownPath: NO_SUCH_PATH }',
    ask: async (client) => ((await client.api('POST', '/unknown', {})).body as { code: string }).code,
    byDefault: 'unknown_path',
    changed: 'NO_SUCH_PATH',
  },
  {
    line: 'names of identifiers in the query and in bodies',
    profile: 'identifiers: { projectId: "body:tenant" }',
    ask: (client) => status(client.api('POST', '/sync/projects/orders', { tenant: 'acme', orders: [] })),
    byDefault: 404,
    changed: 200,
  },
  {
    line: 'attendant without `access`',
    profile: 'users: { attendantAccess: default }',
    ask: (client) => status(register(client, attendant)),
    byDefault: 400,
    changed: 201,
  },
  {
    line: 'user without `type`',
    profile: 'users: { withoutType: driver }',
    ask: (client) => {
      const { type: _type, ...withoutType } = driver;
      return status(register(client, withoutType));
    },
    byDefault: 400,
    changed: 201,
  },
  {
    line: 'missing or invalid key',
    profile: 'errors: { unknownKey: 404 }',
    ask: (client) => status(client.api('POST', jobs, job, { apikey: 'other' })),
    byDefault: 401,
    changed: 404,
  },
  {
    line: 'statuses of other errors',
    profile: 'errors: { invalid: 422 }',
    ask: (client) => status(client.api('POST', jobs, {})),
    byDefault: 400,
    changed: 422,
  },
  {
    line: 'body of errors',
    profile: 'bodies: { error: { error: { text: "{message}", code: "{code}" } } }',
    ask: async (client) => Object.keys((await client.api('POST', '/unknown', {})).body as object),
    byDefault: ['message', 'code'],
    changed: ['error'],
  },
  {
    line: 'response body of user operations',
    profile: 'bodies: { registerUser: { created: "{id}" } }',
    ask: async (client) => (await register(client, driver)).body,
    byDefault: { message: 'user j.okafor created' },
    changed: { created: 'j.okafor' },
  },
  {
    line: 'headers of responses',
    profile: 'responseHeaders: { x-api-version: "7" }',
    ask: async (client) => (await client.api('POST', jobs, job)).headers['x-api-version'] ?? null,
    byDefault: null,
    changed: '7',
  },
  {
    line: 'delay of asynchronous processing',
    profile: 'downstream: { processing: 5s }',
    ask: async (client) => {
      await client.api('POST', '/async/projects/acme/jobs', { jobs: [{ id: 'JOB-1' }] });
      return (await client.control('POST', '/projects/acme/clock/advance', { by: '1s' })).body;
    },
    byDefault: { now: '2026-03-02T09:30:01.000Z', processed: 1, delivered: 0, pending: 0 },
    changed: { now: '2026-03-02T09:30:01.000Z', processed: 0, delivered: 0, pending: 1 },
  },
  {
    line: 'payload of callbacks',
    profile: 'bodies: { callback: { failures: [{ job: "{entry.id}" }] } }',
    ask: async (client) => {
      const attempt = firstAttempt(await callbacksOf(client, [failing]));
      return Object.keys(JSON.parse(attempt?.sent ?? '{}') as object);
    },
    byDefault: ['type', 'timestamp', 'data'],
    changed: ['failures'],
  },
  {
    line: 'headers and signature of callbacks',
    profile: 'callbacks: { headers: { x-event: "{type}" }, signature: none }',
    ask: async (client) => {
      await client.control('PUT', '/projects/acme/callback-endpoint', { url: 'http://127.0.0.1:9/none' });
      const attempt = firstAttempt(await callbacksOf(client, [failing]));
      return ['x-event', 'webhook-signature'].filter((name) => attempt && name in attempt.headers);
    },
    byDefault: ['webhook-signature'],
    changed: ['x-event'],
  },
  {
    line: 'delivery of callbacks',
    profile: 'callbacks: { perEntry: true }',
    ask: async (client) => (await callbacksOf(client, [failing, 'FAIL-GEOCODE-2'])).length,
    byDefault: 1,
    changed: 2,
  },
  {
    line: 'other events',
    profile: 'callbacks: { successes: true }',
    ask: async (client) => (await callbacksOf(client, ['JOB-1'])).map(({ type }) => type),
    byDefault: [],
    changed: ['jobs.import.completed'],
  },
  {
    line: 'rate limits',
    profile: 'rate: { requests: 1, per: 1m }',
    ask: async (client) => {
      await client.api('POST', jobs, job);
      return status(client.api('POST', jobs, { ...job, id: 'JOB-2' }));
    },
    byDefault: 201,
    changed: 429,
  },
  {
    line: 'batch sizes',
    profile: 'limits: { entries: 1 }',
    ask: (client) => status(client.api('POST', batch, { jobs: [{ id: 'JOB-1' }, { id: 'JOB-2' }] })),
    byDefault: 200,
    changed: 413,
  },
  {
    line: 'field lengths',
    profile: withOverlay,
    overlay: overlay('$.components.schemas.Address.properties.postcode', '{ maxLength: 4 }'),
    ask: (client) => status(client.api('POST', jobs, { ...job, address: { postcode: '60606' } })),
    byDefault: 201,
    changed: 400,
  },
  {
    line: 'status transitions',
    profile: 'transitions: { jobs: { DELIVERED: [] } }',
    ask: async (client) => {
      await importJob(client, { id: 'JOB-1', status: 'DELIVERED' });
      return status(client.api('PATCH', jobs, { id: 'JOB-1', status: 'PENDING' }));
    },
    byDefault: 200,
    changed: 422,
  },
  {
    line: 'update through another subproject',
    profile: 'otherSubproject: reject',
    ask: async (client) => {
      await importJob(client, { id: 'JOB-1', subProjectId: 'north' });
      return status(
        client.api('PATCH', '/sync/projects/acme/subprojects/south/jobs', { id: 'JOB-1', status: 'PENDING' }),
      );
    },
    byDefault: 200,
    changed: 422,
  },
  {
    line: 'a field that is `null`',
    profile: 'nulls: ignore',
    ask: (client) => status(client.api('POST', jobs, { ...job, branchId: null })),
    byDefault: 400,
    changed: 201,
  },
  {
    line: 'further rules for passwords',
    profile: withOverlay,
    overlay: overlay('$.components.schemas.UserRegistration.properties.password', '{ minLength: 12 }'),
    ask: (client) => status(register(client, driver)),
    byDefault: 201,
    changed: 400,
  },
  {
    line: 'roles at registration',
    profile: withOverlay,
    overlay: overlay('$.components.schemas.UserRegistration.properties.roles.items', '{ enum: ["delivery:driver"] }'),
    ask: (client) => status(register(client, { ...driver, roles: ['captain'] })),
    byDefault: 201,
    changed: 400,
  },
  {
    line: 'status of job and order items, fields of `proofOfDelivery`, unit of `waitTime`',
    profile: withOverlay,
    overlay: overlay('$.components.schemas.JobItem.properties.status', '{ enum: [PICKED, PACKED] }'),
    ask: (client) => status(client.api('POST', jobs, { ...job, jobItems: [{ status: 'LOST' }] })),
    byDefault: 201,
    changed: 400,
  },
  {
    line: 'further fields',
    profile: withOverlay,
    overlay: overlay('$.components.schemas.Address.properties', '{ floor: { type: integer } }'),
    ask: async (client) => {
      await client.api('POST', jobs, { ...job, address: { floor: 3 } });
      const { body } = await client.control('GET', '/projects/acme/jobs/JOB-1');
      return (body as { readonly address: unknown }).address;
    },
    byDefault: {},
    changed: { floor: 3 },
  },
  {
    line: 'versions of the API',
    profile: 'basePath: /v3',
    ask: (client) => status(client.api('POST', `/v3${jobs}`, job)),
    byDefault: 404,
    changed: 201,
  },
];
