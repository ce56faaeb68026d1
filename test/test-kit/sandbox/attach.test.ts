/** Connecting to a running sandbox by SANDBOX_URL, if it has the requested options. */
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../src/index.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { useRefusedPort } from '../../harness/refused-port.ts';
import { importJobs, withoutEnvironment } from '../kit.ts';

const receiver = useReceiver();
const refused = useRefusedPort();

let plain: Sandbox;
let locked: Sandbox;
let frozen: Sandbox;
const instant = '2026-03-02T09:00:00.000Z';

beforeAll(async () => {
  withoutEnvironment();
  plain = await startSandbox();
  locked = await startSandbox({ adminToken: 'let-me-in', apiKeys: ['own-key'] });
  frozen = await startSandbox({ clock: instant, seed: 'mine', strict: true, scenarios: ['outage'], magicIds: false });
});
beforeEach(() => withoutEnvironment());
afterAll(() => Promise.all([plain, locked, frozen].map((one) => one.close())));

/** Connects to the sandbox at a URL. */
function attach(url: string, environment: Record<string, string> = {}, options: SandboxOptions = {}): Promise<Sandbox> {
  vi.stubEnv('SANDBOX_URL', url);
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  return startSandbox(options);
}

test('works like an own sandbox, and closing does not stop it', async () => {
  const sandbox = await attach(`${plain.url}/`);
  expect(sandbox).toMatchObject({ url: plain.url, apiKey: 'sandbox-key' });
  const project = sandbox.project();
  await project.clock.freeze();
  await importJobs(project, 'J-1');
  expect(await project.clock.advance('idle')).toMatchObject({ processed: 1, pending: 0 });
  await sandbox.close();
  expect(await plain.project(project.id).jobs.list()).toMatchObject([{ id: 'J-1' }]);
});

test('does not use `fetch`, which tests may replace', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new Error('mocked')));
  try {
    const sandbox = await attach(plain.url);
    expect(await sandbox.project().jobs.list()).toEqual([]);
  } finally {
    vi.unstubAllGlobals();
  }
});

test('uses the admin token and the API key of the environment or the options', async () => {
  const sandbox = await attach(locked.url, { SANDBOX_ADMIN_TOKEN: 'let-me-in', SANDBOX_API_KEY: 'own-key@au another' });
  expect(sandbox.apiKey).toBe('own-key');
  expect((await importJobs(sandbox.project(), 'J-1')).status).toBe(202);
  await sandbox.close();
  const given = await attach(
    locked.url,
    { SANDBOX_ADMIN_TOKEN: '' },
    { adminToken: 'let-me-in', apiKeys: ['own-key'] },
  );
  expect(given.apiKey).toBe('own-key');
  expect(await given.project().jobs.list()).toEqual([]);
});

test('needs no admin token with a key of its projects', async () => {
  const response = await fetch(`${locked.url}/_sandbox/keys`, {
    method: 'POST',
    headers: { authorization: 'Bearer let-me-in', 'content-type': 'application/json' },
    body: JSON.stringify({ projects: ['test-*'] }),
  });
  const { key } = (await response.json()) as { key: string };
  const sandbox = await attach(locked.url, { SANDBOX_API_KEY: key });
  const project = sandbox.project();
  expect((await importJobs(project, 'J-1')).status).toBe(202);
  expect(await project.requests.list()).toHaveLength(1);
  await project.reset();
  await sandbox.close();
});

test.each<[string, Record<string, string>, string]>([
  [
    'a missing token',
    {},
    'requires its admin token: set SANDBOX_ADMIN_TOKEN, or SANDBOX_API_KEY to a key of projects such as test-*',
  ],
  ['a wrong token', { SANDBOX_ADMIN_TOKEN: 'wrong' }, 'requires its admin token: the given token is wrong'],
  ['a missing key', { SANDBOX_ADMIN_TOKEN: 'let-me-in' }, 'does not accept the default API key: set SANDBOX_API_KEY'],
])('reports %s', async (_, environment, message) => {
  await expect(attach(locked.url, environment)).rejects.toThrow(message);
});

test("reports that it can't connect", async () => {
  await expect(attach(refused())).rejects.toThrow(
    `can't connect to the sandbox at ${refused()} (SANDBOX_URL): connection refused`,
  );
});

test('reports a server that is not a sandbox', async () => {
  receiver.handle(() => 404);
  await expect(attach(receiver.url())).rejects.toThrow(
    `the server at ${receiver.url()} (SANDBOX_URL) is not a sandbox: GET /_sandbox/settings returned 404`,
  );
});

test.each([['localhost:4600'], ['http:/x'], ['ftp://x']])('rejects the address %s', async (url) => {
  await expect(attach(url)).rejects.toThrow(
    `SANDBOX_URL: expected an address such as http://127.0.0.1:4600, got "${url}"`,
  );
});

describe('options', () => {
  test('are accepted if they are equal, or only matter for an own sandbox', async () => {
    const options: SandboxOptions = {
      ...{ seed: 'mine', strict: true, magicIds: false, scenarios: ['outage'] },
      ...{ port: 4711, host: '0.0.0.0', log: 'pretty' },
    };
    await (await attach(frozen.url, {}, { ...options, clock: 'frozen' })).close();
    await (await attach(frozen.url, {}, { ...options, clock: instant })).close();
    await (await attach(plain.url, {}, { clock: '1x' })).close();
    await (await attach(plain.url, {}, { clock: 'real' })).close();
  });

  test.each<[SandboxOptions, string]>([
    [{ seed: 'other' }, 'seed: expected other, got field-sandbox'],
    [{ strict: true }, 'strict: expected true, got false'],
    [{ magicIds: false }, 'magicIds: expected false, got true'],
    [{ clock: 'frozen' }, 'clock: expected frozen, got real'],
    [{ clock: '20x' }, 'clock: expected 20x, got real'],
    [{ clock: instant }, `clock: expected ${instant}, got real`],
    [{ callbackUrl: 'http://localhost:1/' }, 'callbackUrl: expected http://localhost:1/, got the inbox'],
    [
      { scenarios: ['outage'] },
      'scenarios: expected outage, got none: outage is not active; activate it with project.use()',
    ],
    [{ profile: 'mine.yaml' }, "profile: can't be set on a running sandbox: start that sandbox with --profile <file>"],
  ])('%j that differ are reported', async (options, message) => {
    await expect(attach(plain.url, {}, options)).rejects.toThrow(message);
    await expect(attach(plain.url, {}, options)).rejects.toThrow(
      `the sandbox at ${plain.url} (SANDBOX_URL) has other options`,
    );
  });

  test('scenarios given as objects are compared by name', async () => {
    const outage = { name: 'outage', rules: [] };
    await (await attach(frozen.url, {}, { scenarios: [outage] })).close();
    await expect(attach(frozen.url, {}, { scenarios: [{ ...outage, name: 'outtage' }] })).rejects.toThrow(
      'expected outtage, got outage: outtage is not active, did you mean outage?; activate it with project.use()',
    );
  });
});
