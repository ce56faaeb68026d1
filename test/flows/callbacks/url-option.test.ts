/** `--callback-url` and `--callback-secret` hold for every project that was not told otherwise. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeProfile } from '../../harness/profile.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { type KeptSandbox, startWith } from '../data-steps.ts';

const secret = `whsec_${Buffer.alloc(40, 3).toString('base64')}`;
const receiver = useReceiver();
let sandbox: KeptSandbox;

beforeAll(async () => {
  sandbox = await startWith({ clock: 'frozen', callbackUrl: receiver.url(), callbackSecret: secret });
});
afterAll(() => sandbox.close());

const control = async (method: string, path: string, body?: object) => (await sandbox.control(method, path, body)).body;

async function failOne(project: string): Promise<void> {
  await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'FAIL-1' }] });
  await control('POST', `/projects/${project}/clock/advance`, { until: 'idle' });
}

const verify = (index: number) => {
  const { body = '', headers = {} } = receiver.received[index] ?? {};
  return new Webhook(secret).verify(body, headers as Record<string, string>);
};

test('unused projects already have it, and their callbacks go there', async () => {
  expect(await control('GET', '/projects/a/callback-endpoint')).toEqual({ url: receiver.url(), disabled: false });
  await failOne('a');
  expect(verify(0)).toMatchObject({ data: { projectId: 'a' } });
});

test("a project can have its own URL, and returns to the option's after deleting it", async () => {
  await control('PUT', '/projects/b/callback-endpoint', { url: `${receiver.url()}/own` });
  await failOne('b');
  await control('DELETE', '/projects/b/callback-endpoint');
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
  await control('POST', '/projects/c/reset');
  expect(await control('GET', '/projects/c/callback-endpoint')).toEqual({ url: receiver.url(), disabled: false });
});

test('a sandbox that closes while it sends a callback does not wait for the response', async () => {
  const other = await startWith({ profile: writeProfile({ callbacks: { timeout: '10m' } }) });
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  await other.control('PUT', '/projects/x/callback-endpoint', { url });
  const came = once(silent, 'request');
  await other.api('POST', '/async/projects/x/jobs', { jobs: [{ id: 'FAIL-1' }] });
  await came;
  await other.close();
  silent.closeAllConnections();
  silent.close();
});
