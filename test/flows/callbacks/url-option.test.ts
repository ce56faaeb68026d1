/** `--callback-url` and `--callback-secret` hold for every project that was not told otherwise. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseOptions } from '../../../src/config/options.ts';
import type { RunningSandbox } from '../../../src/server.ts';
import { writeProfile } from '../../harness/profile.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { startSandbox } from '../../harness/start-sandbox.ts';

const secret = `whsec_${Buffer.alloc(40, 3).toString('base64')}`;
const receiver = useReceiver();
let sandbox: RunningSandbox;

beforeAll(async () => {
  const options = { port: '0', log: 'off', clock: 'frozen', callbackUrl: receiver.url(), callbackSecret: secret };
  const parsed = parseOptions(options, {});
  if (!parsed.ok) throw new Error(parsed.mistakes.join());
  sandbox = await startSandbox(parsed.options, { reportError: () => undefined, warn: () => undefined });
});
afterAll(() => sandbox.close());

async function ask(method: string, path: string, body?: object) {
  const headers = { apikey: 'sandbox-key', ...(body && { 'content-type': 'application/json' }) };
  const response = await fetch(sandbox.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return response.status === 204 ? undefined : ((await response.json()) as Record<string, unknown>);
}

async function failOne(project: string): Promise<void> {
  await ask('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'FAIL-1' }] });
  await ask('POST', `/_sandbox/projects/${project}/clock/advance`, { until: 'idle' });
}

const verify = (index: number) => {
  const { body = '', headers = {} } = receiver.received[index] ?? {};
  return new Webhook(secret).verify(body, headers as Record<string, string>);
};

test('unused projects already have it, and their callbacks go there', async () => {
  expect(await ask('GET', '/_sandbox/projects/a/callback-endpoint')).toEqual({ url: receiver.url(), disabled: false });
  await failOne('a');
  expect(verify(0)).toMatchObject({ data: { projectId: 'a' } });
});

test("a project can have its own URL, and returns to the option's after deleting it", async () => {
  await ask('PUT', '/_sandbox/projects/b/callback-endpoint', { url: `${receiver.url()}/own` });
  await failOne('b');
  await ask('DELETE', '/_sandbox/projects/b/callback-endpoint');
  await failOne('b');
  expect(receiver.received.map(({ path }) => path)).toEqual(['/own', '/']);
  expect(() => verify(0)).toThrow();
  expect(verify(1)).toBeTruthy();
});

test('a 410 disables it for one project, and a reset enables it again', async () => {
  receiver.answer(410);
  await failOne('c');
  await failOne('c');
  await failOne('d');
  expect(receiver.received.map(({ body }) => JSON.parse(body).data.projectId)).toEqual(['c', 'd']);
  await ask('POST', '/_sandbox/projects/c/reset');
  expect(await ask('GET', '/_sandbox/projects/c/callback-endpoint')).toEqual({ url: receiver.url(), disabled: false });
});

test('a sandbox that closes while it sends a callback does not wait for the response', async () => {
  const profile = writeProfile({ callbacks: { timeout: '10m' } });
  const parsed = parseOptions({ port: '0', log: 'off', profile }, {});
  if (!parsed.ok) throw new Error(parsed.mistakes.join());
  const other = await startSandbox(parsed.options, { reportError: () => undefined, warn: () => undefined });
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const send = (method: string, path: string, body: object) =>
    fetch(other.url + path, {
      method,
      headers: { apikey: 'sandbox-key', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  await send('PUT', '/_sandbox/projects/x/callback-endpoint', { url });
  const came = once(silent, 'request');
  await send('POST', '/async/projects/x/jobs', { jobs: [{ id: 'FAIL-1' }] });
  await came;
  await other.close();
  silent.closeAllConnections();
  silent.close();
});
