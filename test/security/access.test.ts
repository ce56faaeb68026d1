/**
 * Sends every operation of the control API as every kind of client. The results are the table of
 * docs/operating/security.md: `npx vitest run test/security/access.test.ts -u` writes it.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import source from '../../spec/control.yaml';
import type { Json } from '../../src/lib/json.ts';
import { createWallClock } from '../../src/lib/time.ts';
import { type ApiDocument, eachOperation } from '../../src/openapi/api-document.ts';
import { shippedProfile } from '../../src/openapi/profile/profile.ts';
import { code, replaceBlocks, toTable } from '../docs/tables/table.ts';
import { replay } from '../flows/replay-steps.ts';
import { useSandbox } from '../harness/sandbox.ts';

const page = 'docs/operating/security.md';
const ofProject = '/_sandbox/projects/{projectId}';
const admin = { authorization: 'Bearer token' };
/** A project of somebody else. Its id is in every list that shows all projects. */
const foreign = 'third-party';

const system = createWallClock();
let offsetMs = 0;
const wall = { ...system, now: () => system.now() + offsetMs };
const apiKeys = ['mine=own,own-0,own-1,own-2', 'theirs=other', 'all'];
const sandbox = useSandbox({ adminToken: 'token', apiKeys, clock: 'frozen' }, shippedProfile, wall);

type Headers = Readonly<Record<string, string>>;

/** Clients with the same access, by the name of their column. The first one decides; the others must not differ. */
const columns: Record<string, Headers[]> = {};

interface Row {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly type: string;
}

/** Operations that remove what others need come last. */
const removing = ['resetProject', 'deleteScenario', 'resetAll'];

const rows: readonly Row[] = [...eachOperation(source as ApiDocument)]
  .map(({ path, method, operation }) => {
    const content = ((operation['requestBody'] as Json | undefined)?.['content'] ?? {}) as Record<string, Json>;
    const [type = 'application/json', media] = Object.entries(content)[0] ?? [];
    const { example, examples = {} } = (media ?? {}) as { example?: unknown; examples?: Record<string, Json> };
    const body = example ?? Object.values(examples)[0]?.['value'];
    return { id: String(operation['operationId']), method: method.toUpperCase(), path, body, type };
  })
  .toSorted((one, other) => removing.indexOf(one.id) - removing.indexOf(other.id));

const ids = { request: '', key: '' };
let calls = 0;

async function createKey(body: object): Promise<{ readonly id: string; readonly key: string }> {
  const { status, body: created } = await sandbox.control('POST', '/keys', body, admin);
  expect(status).toBe(201);
  return created as { id: string; key: string };
}

async function logIn(body: object): Promise<string> {
  const { status, headers } = await sandbox.control('POST', '/session', body);
  expect(status).toBe(204);
  return String(headers['set-cookie']).split(';')[0] ?? '';
}

const importOrder = (project: string, apikey: string, id = 'O-1') =>
  sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id }] }, { apikey });

/** Creates the projects again: some of the operations delete them. Scenarios of other tests would name them. */
async function createProjects(): Promise<void> {
  await sandbox.control('PUT', '/server-scenarios', { scenarios: [] }, admin);
  await sandbox.control('POST', '/projects/own/reset', undefined, admin);
  await importOrder(foreign, 'all');
  // The coverage names the project of the first request with a failure.
  await importOrder(foreign, 'all', 'ERROR-503-1');
  const { headers } = await importOrder('own', 'mine');
  ids.request = String(headers['x-request-id']);
  await importOrder('other', 'theirs');
}

beforeAll(async () => {
  const glob = await createKey({ projects: ['own*'] });
  const expired = await createKey({ projects: ['own'], expiresAt: new Date(system.now() + 60_000).toISOString() });
  const deleted = await createKey({ projects: ['own'] });
  const everything = await createKey({ projects: ['*'] });
  const cookies = {
    admin: await logIn({ token: 'token' }),
    mine: await logIn({ apikey: 'mine' }),
    theirs: await logIn({ apikey: 'theirs' }),
    glob: await logIn({ apikey: glob.key }),
    expired: await logIn({ apikey: expired.key }),
    deleted: await logIn({ apikey: deleted.key }),
  };
  offsetMs = 3_600_000;
  await sandbox.control('DELETE', `/keys/${deleted.id}`, undefined, admin);
  const byKey = (apikey: string): Headers => ({ apikey });
  const byCookie = (cookie: string): Headers => ({ cookie });
  Object.assign(columns, {
    'no valid key': [
      {},
      byKey('never-issued'),
      byKey(expired.key),
      byKey(deleted.key),
      byCookie(cookies.expired),
      byCookie(cookies.deleted),
      byCookie(`${cookies.mine}x`),
      { authorization: 'Bearer another' },
    ],
    'key of all projects': [byKey('all'), byKey(everything.key)],
    'key of another project': [byKey('theirs'), byCookie(cookies.theirs)],
    'key of the project': [byKey('mine'), byCookie(cookies.mine), byKey(glob.key), byCookie(cookies.glob)],
    'admin token': [admin, byCookie(cookies.admin), { ...admin, apikey: 'theirs' }],
  });
});

const storedScenario = {
  name: 'geocoder-rejects-third-job',
  rules: [{ name: 'down', then: { respond: { status: 500 } } }],
};

/** Sends an operation, and returns its status and body. */
async function call({ id, method, path, body, type }: Row, headers: Headers, ownProject: string) {
  calls += 1;
  const key = id === 'deleteKey' ? (await createKey({ projects: ['own'] })).id : '';
  const to = path
    .replace('/_sandbox', '')
    .replace('{projectId}', 'own')
    .replace('{name}', 'geocoder-rejects-third-job')
    .replace('{id}', { '/_sandbox/requests/{id}': ids.request, '/_sandbox/keys/{id}': key }[path] ?? 'none');
  if (id === 'getEvents') return readStream('/events', headers, `"project":"${ownProject}"`);
  if (id === 'getListener') return readStream(`${to}?takeover=true`, headers, ': connected');
  if (id === 'deleteScenario') await sandbox.control('PUT', to, storedScenario, { ...admin, 'content-type': type });
  // Each fork needs a project of its own.
  const sent = id === 'forkProject' ? { to: `own-${calls % 3}` } : id === 'login' ? { token: 'token' } : body;
  if (id === 'forkProject') await sandbox.control('POST', `/projects/own-${calls % 3}/reset`, undefined, admin);
  const given = sent === undefined ? headers : { ...headers, 'content-type': type };
  const { status, text = '' } = await sandbox.control(method, to, sent, given);
  return { status, text };
}

/** Reads a stream, with the stored events first, until the text comes. */
async function readStream(path: string, headers: Headers, last: string) {
  const disconnecting = new AbortController();
  const url = `${sandbox.url()}/_sandbox${path}`;
  const response = await fetch(url, {
    headers: { ...headers, 'last-event-id': 'unknown-1' },
    signal: disconnecting.signal,
  });
  let text = '';
  if (response.status !== 200) return { status: response.status, text };
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString();
    if (text.includes(last)) break;
  }
  disconnecting.abort();
  return { status: 200, text };
}

const ownProjects: Readonly<Record<string, string>> = {
  'key of another project': 'other',
  'key of the project': 'own',
};

/** Returns the cells of an operation. All clients of a column must get the same one. */
async function toCells(row: Row): Promise<readonly string[]> {
  const cells: string[] = [];
  await createProjects();
  const expected = await call(row, admin, foreign);
  expect(expected.status, row.id).toBeLessThan(500);
  for (const [column, clients] of Object.entries(columns)) {
    const found = new Set<string>();
    for (const headers of clients) {
      const { status, text } = await call(row, headers, ownProjects[column] ?? foreign);
      const isKey = column.startsWith('key');
      if (isKey) expect(text, `${row.id} by the ${column}`).not.toContain(foreign);
      const isFiltered = isKey && expected.text.includes(foreign);
      found.add(status !== expected.status ? String(status) : isFiltered ? 'own only' : 'yes');
    }
    expect([...found], `${row.id} by ${column}`).toHaveLength(1);
    cells.push(...found);
  }
  return cells;
}

const cells = new Map<string, readonly string[]>();

/** Returns the name of an operation in the table, which has one for all of a project. */
const toName = ({ method, path }: { readonly method: string; readonly path: string }): string =>
  path.startsWith(ofProject)
    ? `all of ${code('/projects/{projectId}')}`
    : code(`${method} ${path.replace('/_sandbox', '')}`);

// In this order, because each of the tests adds a row to the table.
describe('every kind of client', { shuffle: false }, () => {
  test.each(rows.map((row) => [row.id, row] as const))('sends %s', async (id, row) => {
    cells.set(id, await toCells(row));
  });

  test('has the results that the table of security.md lists', async () => {
    const inOrder = rows.toSorted((one, other) => one.path.localeCompare(other.path));
    // Alone, the tests before have not found any of them.
    for (const row of rows) if (!cells.has(row.id)) cells.set(row.id, await toCells(row));
    const namesOf = new Map<string, Set<string>>();
    for (const row of inOrder) {
      const joined = (cells.get(row.id) ?? ['not sent']).join(' | ');
      namesOf.set(joined, (namesOf.get(joined) ?? new Set()).add(toName(row)));
    }
    const table = toTable(
      ['operations', ...Object.keys(columns)],
      [...namesOf].map(([joined, names]) => [[...names].join(', '), ...joined.split(' | ')]),
    );
    await expect(replaceBlocks(readFileSync(page, 'utf8'), { access: table })).toMatchFileSnapshot(`../../${page}`);
  });
});

describe('the document', () => {
  test.each(rows.map(({ id, path, method }) => [id, path, method] as const))(
    'says who may use %s, as the table does',
    (_id, path, method) => {
      const line = readFileSync(page, 'utf8')
        .split('\n')
        .find((one) => one.split('|')[1]?.trim().split(', ').includes(toName({ path, method })));
      const operation = (source as ApiDocument).paths[path]?.[method.toLowerCase()] as Json;
      const schemes = ((operation['security'] ?? [{ adminToken: [] }]) as readonly Json[]).flatMap(Object.keys);
      const [, , nobody, , , ownKey] = line?.split('|').map((cell) => cell.trim()) ?? [];
      expect(nobody).toBe(schemes.length === 0 ? 'yes' : '401');
      expect(/yes|own/.test(ownKey ?? '')).toBe(schemes.length === 0 || schemes.includes('apiKey'));
    },
  );
});

test('a recording has rules for all projects as its reader may read them, and a key can replay those of the library', async () => {
  const rules = [{ when: { project: foreign }, then: { refuse: 'No' } }];
  const record = async (headers: Headers) =>
    (await sandbox.control('GET', '/projects/own-1/recording', undefined, headers)).body;
  const useForAll = (...scenarios: readonly unknown[]) =>
    sandbox.control('PUT', '/server-scenarios', { scenarios }, admin);
  const begin = async () => {
    await sandbox.control('POST', '/projects/own-1/reset', undefined, admin);
    await importOrder('own-1', 'mine');
  };
  const incomplete = expect.stringContaining('only with the admin token');
  await useForAll('outage', { name: 'inline', rules });
  await begin();
  const before = await record({ apikey: 'mine' });
  expect(before).toMatchObject({ complete: false, incomplete });
  expect(JSON.stringify(before)).not.toContain(foreign);
  expect(await record(admin)).toMatchObject({ complete: true });
  await useForAll('outage');
  await begin();
  await useForAll({ name: 'inline', rules });
  const during = await record({ apikey: 'mine' });
  expect(during).toMatchObject({ complete: false, incomplete, changes: [{}, { kind: 'server-scenarios' }] });
  expect(JSON.stringify(during)).not.toContain(foreign);
  await useForAll('outage');
  await begin();
  expect(await replay(await record({ apikey: 'mine' }))).toMatchObject({ requests: 1, differences: [] });
});
