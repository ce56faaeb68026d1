/** Attaching to a sandbox that runs elsewhere: by the environment alone, and only where it is what is asked for. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/index.ts';
import { importJobs, withoutEnvironment } from './kit.ts';

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

/** Attaches to it, as far as that works. */
function attach(url: string, environment: Record<string, string> = {}, options: SandboxOptions = {}): Promise<Sandbox> {
  vi.stubEnv('SANDBOX_URL', url);
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  return startSandbox(options);
}

test('it works as with one of its own, and closing leaves the other one alone', async () => {
  const sandbox = await attach(`${plain.url}/`);
  expect(sandbox).toMatchObject({ url: plain.url, apiKey: 'sandbox-key' });
  const project = sandbox.project();
  await project.clock.freeze();
  await importJobs(project, 'J-1');
  expect(await project.clock.advance('idle')).toMatchObject({ processed: 1, pending: 0 });
  await sandbox.close();
  expect(await plain.project(project.id).jobs.list()).toMatchObject([{ id: 'J-1' }]);
});

test('what stands in the place of fetch does not matter', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new Error('mocked')));
  try {
    const sandbox = await attach(plain.url);
    expect(await sandbox.project().jobs.list()).toEqual([]);
  } finally {
    vi.unstubAllGlobals();
  }
});

test('with an admin token and a key of its own', async () => {
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

test.each<[string, Record<string, string>, string]>([
  ['no token', {}, 'wants its admin token: give it in SANDBOX_ADMIN_TOKEN'],
  ['another token', { SANDBOX_ADMIN_TOKEN: 'wrong' }, 'wants its admin token: and what was given is another'],
  ['no key', { SANDBOX_ADMIN_TOKEN: 'let-me-in' }, 'has keys of its own: give one in SANDBOX_API_KEY'],
])('%s', async (_, environment, message) => {
  await expect(attach(locked.url, environment)).rejects.toThrow(message);
});

test('where there is none', async () => {
  const gone = await startSandbox();
  await gone.close();
  await expect(attach(gone.url)).rejects.toThrow(
    `there is no sandbox at ${gone.url} (SANDBOX_URL): connection refused`,
  );
});

test('where something else answers', async () => {
  const server = createServer((_request, response) => void response.writeHead(404).end('nothing here'));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    await expect(attach(url)).rejects.toThrow(
      `what answers at ${url} (SANDBOX_URL) is no sandbox: GET /_sandbox/settings gave 404`,
    );
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test.each([['localhost:4600'], ['http:/x'], ['ftp://x']])('%s is no address', async (url) => {
  await expect(attach(url)).rejects.toThrow(
    `SANDBOX_URL: expected an address such as http://127.0.0.1:4600, got "${url}"`,
  );
});

describe('options', () => {
  test('that it was started with are fine, and those that no test sees', async () => {
    const options: SandboxOptions = {
      ...{ seed: 'mine', strict: true, magicIds: false, scenarios: ['outage'] },
      ...{ port: 4711, host: '0.0.0.0', log: 'pretty' },
    };
    await (await attach(frozen.url, {}, { ...options, clock: 'frozen' })).close();
    await (await attach(frozen.url, {}, { ...options, clock: instant })).close();
  });

  test.each<[SandboxOptions, string]>([
    [{ seed: 'other' }, 'seed: expected other, but it has "field-sandbox"'],
    [{ strict: true }, 'strict: expected true, but it is not strict'],
    [{ magicIds: false }, 'magicIds: expected false, but it has them on'],
    [{ clock: 'frozen' }, 'clock: expected frozen, but it has a real one'],
    [{ clock: instant }, `clock: expected ${instant}, but it has a real one`],
    [
      { callbackUrl: 'http://localhost:1/' },
      'callbackUrl: expected http://localhost:1/, but it sends them to the inbox',
    ],
    [{ scenarios: ['outage'] }, 'but it has none switched on, and not outage; a project can use() it'],
    [{ profile: 'mine.yaml' }, 'profile: a running sandbox cannot be changed: start it with --profile <file>'],
  ])('%j can not be met there', async (options, message) => {
    await expect(attach(plain.url, {}, options)).rejects.toThrow(message);
    await expect(attach(plain.url, {}, options)).rejects.toThrow(`${plain.url} (SANDBOX_URL) is not what is asked for`);
  });

  test('scenarios that are written out are known by their names', async () => {
    const outage = { name: 'outage', rules: [] };
    await (await attach(frozen.url, {}, { scenarios: [outage] })).close();
    await expect(attach(frozen.url, {}, { scenarios: [{ ...outage, name: 'outtage' }] })).rejects.toThrow(
      'but it has outage switched on, and not outtage, did you mean outage?; a project can use() it',
    );
  });

  test('that are wrong are told as otherwise', async () => {
    await expect(attach(plain.url, {}, { clock: 'frosen' })).rejects.toThrow('did you mean frozen?');
  });
});
