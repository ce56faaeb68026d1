/** Connecting to a running sandbox by SANDBOX_URL, if it has the requested options. */
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
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

test('closing ends a request that waits for its response', async () => {
  const sandbox = await attach(plain.url);
  const project = sandbox.project();
  await project.fail('asyncImportJobs', 'connection-hang');
  const sending = project.send('asyncImportJobs', { jobs: [{ id: 'J-1' }] });
  await plain.project(project.id).requests.waitFor();
  await sandbox.close();
  await expect(sending).rejects.toMatchObject({
    code: 'closed',
    message: expect.stringMatching(/^send: .* by this test$/),
  });
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
  const foreign = 'jobs.list: apikey: this API key is for another project';
  await expect(sandbox.project('other').jobs.list()).rejects.toThrow(foreign);
  await project.reset();
  await sandbox.close();
});

type Wrong = readonly [url: string, environment: Record<string, string>, options: SandboxOptions];

/** Returns the message of each attempt to connect, under what it was given. The URLs are replaced by their names. */
async function toText(attempts: readonly Wrong[], urls: Readonly<Record<string, string>>): Promise<string> {
  const texts: string[] = [];
  for (const [url, environment, options] of attempts) {
    const { message } = await attach(url, environment, options).then(
      () => new Error('it has connected'),
      (error: Error) => error,
    );
    texts.push(`${url} ${JSON.stringify({ ...environment, ...options })}\n  ${message.replaceAll('\n', '\n  ')}\n`);
  }
  const text = texts.join('\n').replace(/(?<=got real, at )\S+/, 'NOW');
  return Object.entries(urls).reduce((all, [name, url]) => all.replaceAll(url, name), text);
}

test('what the sandbox refuses has no code of the arguments', async () => {
  await expect(attach(locked.url)).rejects.toMatchObject({ code: 'unauthorized', status: 401 });
});

test('every obstacle is reported, with what to do', async () => {
  receiver.handle(() => 404);
  const urls = { LOCKED: locked.url, PLAIN: plain.url, FROZEN: frozen.url, REFUSED: refused(), OTHER: receiver.url() };
  const others: readonly SandboxOptions[] = [
    ...[{ seed: 'other' }, { strict: true }, { magicIds: false }, { clock: 'frozen' }, { clock: '20x' }],
    ...[
      { clock: instant },
      { callbackUrl: 'http://localhost:1/' },
      { scenarios: ['outage'] },
      { profile: 'mine.yaml' },
    ],
  ];
  const attempts: readonly Wrong[] = [
    [locked.url, {}, {}],
    [locked.url, { SANDBOX_ADMIN_TOKEN: 'wrong' }, {}],
    [locked.url, { SANDBOX_ADMIN_TOKEN: 'let-me-in' }, {}],
    [locked.url, { SANDBOX_ADMIN_TOKEN: '', SANDBOX_API_KEY: 'no-key' }, {}],
    [locked.url, { SANDBOX_API_KEY: 'own-key' }, {}],
    [plain.url, { SANDBOX_API_KEY: 'no-key' }, {}],
    [locked.url, { SANDBOX_API_KEY: '' }, { apiKeys: ['own-key'] }],
    [refused(), {}, {}],
    [receiver.url(), {}, {}],
    ...['localhost:4600', 'http:/x', 'ftp://x'].map((url): Wrong => [url, {}, {}]),
    ...others.map((options): Wrong => [plain.url, {}, options]),
    [frozen.url, {}, { scenarios: [{ name: 'outtage', rules: [] }] }],
  ];
  await expect(await toText(attempts, urls)).toMatchFileSnapshot('attach.txt');
});

test('options are accepted if they are equal, or only matter for an own sandbox', async () => {
  const options: SandboxOptions = {
    ...{ seed: 'mine', strict: true, magicIds: false, scenarios: ['outage'] },
    ...{ port: 4711, host: '0.0.0.0', log: 'pretty' },
  };
  await (await attach(frozen.url, {}, { ...options, clock: 'frozen' })).close();
  await (await attach(frozen.url, {}, { ...options, clock: instant })).close();
  await (await attach(plain.url, {}, { clock: '1x' })).close();
  await (await attach(plain.url, {}, { clock: 'real' })).close();
  // Scenarios that are objects are compared by name.
  await (await attach(frozen.url, {}, { scenarios: [{ name: 'outage', rules: [] }] })).close();
});
