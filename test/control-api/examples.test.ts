/** The examples of the control API's document: requests work when sent, and responses look like real ones. */
import { beforeAll, describe, expect, test } from 'vitest';
import controlSource from '../../spec/control.yaml';
import { createContract } from '../../src/openapi/contract.ts';
import type { ApiDocument } from '../../src/openapi/document.ts';
import { checkResponse } from '../harness/check-response.ts';
import { useReceiver } from '../harness/receiver.ts';
import { type TestSandbox, useSandbox } from '../harness/sandbox.ts';

const receiver = useReceiver();
const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });
/** Where records, projects and scenarios are deleted. */
const emptied = useSandbox({ clock: '2026-03-02T09:30:00Z' });
const contract = createContract(controlSource as ApiDocument);

interface Media {
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

type Content = Readonly<Record<string, Media>>;

interface Source {
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

/** Examples of a body as text or JSON, with their media type. */
function examplesIn(content: Content = {}): readonly { readonly type: string; readonly value: unknown }[] {
  return Object.entries(content).flatMap(([type, { example, examples = {} }]) =>
    [...(example === undefined ? [] : [example]), ...Object.values(examples).map(({ value }) => value)].map(
      (value) => ({
        type,
        value,
      }),
    ),
  );
}

const operations = [...contract.operations.values()].map(({ id, method, path, source }) => {
  const { requestBody, responses } = source as unknown as Source;
  const [status = '', response] = Object.entries(responses).find(([name]) => name.startsWith('2')) ?? [];
  return { id, method, path, status, bodies: examplesIn(requestBody?.content), answers: examplesIn(response?.content) };
});

/** Ids of the journal, the inbox and the keys, which exist only after the requests. */
interface Ids {
  readonly request: string;
  /** A later request of the same operation. */
  readonly later: string;
  readonly callback: string;
  readonly key: string;
}

let ids: Ids;

const recordIds: Readonly<Record<string, string>> = {
  jobs: 'J-3',
  orders: 'O-1',
  routes: 'R-1',
  users: 'jo.driver',
  locations: 'DEV-7',
  entities: 'A-3',
};

function fill(path: string, { request, callback, key }: Ids = ids): string {
  const collection = /\/(\w+)\/\{id\}/.exec(path)?.[1] ?? '';
  const id = { requests: request, callbacks: callback, keys: key, ...recordIds }[collection] ?? '';
  return path
    .replace('/_sandbox', '')
    .replace('{projectId}', 'acme')
    .replace('{name}', 'geocoder-rejects-third-job')
    .replace('{operation}', 'asyncImportJobs')
    .replace(/\/search$/, '/search?q=a-')
    .replace('{id}', id);
}

const bodyOf = (id: string, at = 0): unknown => operations.find((one) => one.id === id)?.bodies[at]?.value;

/** Sends the requests whose traces the examples show, and sends what the document shows as requests. */
async function prepare(sandbox: TestSandbox): Promise<Ids> {
  const api = async (method: string, path: string, body: unknown) =>
    expect((await sandbox.api(method, path, body)).status).toBeLessThan(300);
  await sandbox.control('PUT', '/scenarios/geocoder-rejects-third-job', bodyOf('putScenario', 1));
  const expecting = {
    ...(bodyOf('putScenario', 1) as object),
    expect: [{ callbacks: { type: 'jobs.import.failed', count: 1 } }],
  };
  expect((await sandbox.control('PUT', '/projects/acme/scenarios', { scenarios: [expecting] })).status).toBe(200);
  await sandbox.control('PUT', '/projects/acme/callback-endpoint', { url: receiver.url() });
  await sandbox.api('POST', '/async/project/acme/jobs', { jobs: [{ id: 'J-1' }] });
  await api('POST', '/projects/acme/users', {
    username: 'jo.driver',
    type: 'driver',
    password: 'Secret!1',
    visibleBy: ['VIC-01'],
    access: 'DRIVER',
  });
  await api('POST', '/sync/projects/acme/orders', {
    orders: [
      {
        id: 'O-1',
        status: 'READY',
        user: { firstName: 'Ada', lastName: 'Nguyen', id: 'C-9', phone: '+61 3 5550 0100' },
      },
    ],
  });
  const address = { streetAddress: '1 Collins Street', locality: 'Melbourne', postcode: '3000', country: 'Australia' };
  const routes = [{ id: 'R-1', driver: { id: 'D-1' }, jobs: [{ id: 'J-3', status: 'DELIVERED', address }] }];
  await api('POST', '/sync/projects/acme/subprojects/north/routes/batch', { routes });
  for (const minute of [28, 29])
    await api('POST', '/projects/acme/locations', {
      deviceId: 'DEV-7',
      eventDateTime: `2026-03-02T20:${minute}:00+11:00`,
      geoJson: { type: 'Point', coordinates: [144.9652, -37.8121] },
    });
  await api('POST', '/async/projects/acme/jobs', {
    jobs: [{ id: 'A-1', colour: 'red' }, { id: 'A-2' }, { id: 'A-3' }],
  });
  await sandbox.advance('acme');
  await api('POST', '/async/projects/acme/jobs', { jobs: [{ id: 'B-1' }] });
  const { body } = await sandbox.control('GET', '/projects/acme/callbacks');
  await sandbox.control('PUT', '/server-scenarios', bodyOf('putServerScenarios'));
  const created = await sandbox.control('POST', '/keys', bodyOf('createKey'));
  await sandbox.api('POST', '/sync/projects/acme-1/orders', { orders: [{ id: 'O-1' }] }, { apikey: created.body.key });
  const { body: requests } = await sandbox.control('GET', '/projects/acme/requests?operation=asyncImportJobs');
  const later = requests.items.at(-1).id;
  return { request: body.items[0].requestId, later, callback: body.items[0].id, key: created.body.id };
}

beforeAll(async () => {
  ids = await prepare(sandbox);
}, 60_000);

/** Returns how an example differs from a real value: in names, types, or the form of ids and times. */
function differences(example: unknown, real: unknown, at: string): readonly string[] {
  if (Array.isArray(example) && Array.isArray(real)) {
    return example.flatMap((entry, index) => {
      const found = real.map((other) => differences(entry, other, `${at}/${index}`));
      return found.toSorted((one, other) => one.length - other.length)[0] ?? [`${at}: nothing real to compare with`];
    });
  }
  if (isObject(example) && isObject(real)) {
    return Object.entries(example).flatMap(([name, value]) =>
      name in real ? differences(value, real[name], `${at}/${name}`) : [`${at}/${name}: no real one has it`],
    );
  }
  const [expected, got] = [formOf(real), formOf(example)];
  return expected === got ? [] : [`${at}: ${got}, but really ${expected}`];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const forms: readonly RegExp[] = [
  /^req_[\da-f]{16}$/,
  /^msg_[\da-f]{16}$/,
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  /^v1,[\w+/]{43}=$/,
  /^\*\*\*$/,
];

function formOf(value: unknown): string {
  if (typeof value !== 'string') return value === null ? 'null' : typeof value;
  return String(forms.find((form) => form.test(value)) ?? 'a text');
}

/** Values that depend on options and on what the client sends. */
const optional = [
  /^\/(satisfied|magicIds): /,
  /\/callbackEndpoint\/url: null/,
  // A frozen clock has no rate.
  /(^|\/clock)\/rate: no real one has it/,
  // No body of such a request is read.
  /^\/items\/0\/request\/body: /,
  // Only what an error names is one.
  /^\/rows\/0\/isError: /,
];

describe('a response example looks like a real one', () => {
  const read = operations.filter(({ method, answers }) => method === 'GET' && answers[0]?.type === 'application/json');
  test.each(read.map((one) => [one.id, one] as const))('%s', async (_id, { id, path, status, answers }) => {
    // Only a later request has one before it to be compared with.
    const query = id === 'getDifference' ? `?to=${ids.later}` : '';
    const real = await sandbox.control('GET', fill(path) + query);
    expect(real.status).toBe(Number(status));
    for (const { value } of answers) {
      expect(checkResponse(contract, id, Number(status), value)).toBeUndefined();
      const found = differences(value, real.body, '').filter((text) => !optional.some((form) => form.test(text)));
      expect(found).toEqual([]);
    }
  });

  test('getMetrics: every name is real', async () => {
    const { text } = await sandbox.control('GET', '/metrics');
    const example = String(operations.find(({ id }) => id === 'getMetrics')?.answers[0]?.value);
    const names = (lines: string) => lines.split('\n').flatMap((line) => /^[a-z]\w+/.exec(line)?.[0] ?? []);
    expect(names(example).filter((name) => !names(text).includes(name))).toEqual([]);
  });
});

test('every id in an example is a real one in form', () => {
  const bare = /["' ](?!req_|msg_)[\da-f]{16}\b/g;
  const all = operations.flatMap(({ id, answers }) =>
    [...JSON.stringify(answers).matchAll(bare)].map(([text]) => `${id}: ${text}`),
  );
  expect(all).toEqual([]);
});

describe('a request example works, and its response is like the example', () => {
  // An attempt to answer must be under way: flows/transcripts/listener.txt.
  const left = ['login', 'putListenerAttempt'];
  const sent = operations.filter(({ id, bodies }) => bodies.length > 0 && !left.includes(id));
  test.each(sent.flatMap((one) => one.bodies.map((body, at) => [`${one.id} ${at}`, one, body, at] as const)))(
    '%s',
    async (_name, { id, method, path, status, answers }, { type, value }, at) => {
      const project = `/projects/example-${id}-${at}`;
      if (id === 'patchCallbackEndpoint')
        await sandbox.control('PUT', `${project}/callback-endpoint`, { url: receiver.url() });
      if (id === 'forkProject')
        for (const now of ['05', '06', '07'])
          await sandbox.control('PUT', `${project}/clock`, { mode: 'frozen', now: `2030-01-${now}T00:00:00Z` });
      const to = fill(path).replace('/projects/acme', project);
      const real = await sandbox.control(method, to, value, { 'content-type': type });
      expect([real.status, real.body]).toEqual([Number(status), expect.anything()]);
      for (const example of answers) {
        expect(checkResponse(contract, id, Number(status), example.value)).toBeUndefined();
        expect(differences(example.value, real.body, '')).toEqual([]);
      }
    },
  );

  test('other writes', async () => {
    const own = await prepare(emptied);
    const removing = ['resetProject', 'resetAll', 'deleteScenario'];
    const others = operations
      .filter(({ method, bodies }) => method !== 'GET' && bodies.length === 0)
      .toSorted((one, other) => removing.indexOf(one.id) - removing.indexOf(other.id));
    for (const { id, method, path, status, answers } of others) {
      const real = await emptied.control(method, fill(path, own));
      expect([id, real.status]).toEqual([id, Number(status)]);
      for (const { value } of answers) expect([id, ...differences(value, real.body, '')]).toEqual([id]);
    }
  });
});
