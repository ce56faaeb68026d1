/** Callbacks as a profile wants them: method, headers, payload, signature, one per entry, and of successes. */
import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { writeProfile } from '../../harness/profile.ts';
import { type Received, useReceiver } from '../../harness/receiver.ts';
import { startWith, useFolders } from '../data-steps.ts';
import { withProfile } from '../profile-steps.ts';
import { replayProject } from '../replay-steps.ts';
import { useRules } from './disturbance-steps.ts';
import { callbacksOf, failLater, frozenProject } from './steps.ts';

const receiver = useReceiver();
const { fresh, start } = useFolders();

const only = (): Received => {
  expect(receiver.received).toHaveLength(1);
  return receiver.received[0] as Received;
};

describe('an HMAC over timestamp and body', () => {
  const secret = 'a shared secret';
  const sandbox = withProfile({
    bodies: {
      callback: {
        event: '{type}',
        at: '{timestamp}',
        from: '{operation} in {projectId}',
        sub: '{subProjectId}',
        all: [{ ref: '{entry.id}', why: '{entry.reason}' }],
      },
    },
    callbacks: {
      method: 'PUT',
      contentType: 'application/vnd.acme+json',
      headers: { 'X-Event': '{type}', 'x-delivery': '{id}', 'x-timestamp': '{timestamp}', 'x-sub': '{subProjectId}' },
      signature: { hmac: 'sha256', header: 'X-Signature', value: 'sha256={hex}', over: '{timestamp}.{body}' },
    },
  });
  const sign = ({ headers, body }: Received, key: string | Buffer = secret) =>
    `sha256=${createHmac('sha256', key).update(`${headers['x-timestamp']}.${body}`).digest('hex')}`;

  test('signs the payload, method and headers of the profile', async () => {
    const project = await frozenProject(sandbox, receiver.url(), secret);
    await failLater(sandbox, project);
    await sandbox.advance(project);
    const received = only();
    const [callback] = await callbacksOf(sandbox, project);
    const body = {
      event: 'jobs.import.failed',
      at: '2026-03-02T09:30:00.200Z',
      from: `asyncImportJobs in ${project}`,
      all: [{ ref: 'FAIL-1', why: expect.any(String) }],
    };
    expect(received.method).toBe('PUT');
    expect(JSON.parse(received.body)).toEqual(body);
    expect(callback?.body).toEqual(body);
    expect(callback).toMatchObject({ data: { failed: [{ id: 'FAIL-1' }], projectId: project } });
    expect(received.headers).toMatchObject({
      'content-type': 'application/vnd.acme+json',
      'x-event': 'jobs.import.failed',
      'x-delivery': callback?.id,
      'x-signature': sign(received),
    });
    expect(received.headers).not.toHaveProperty('x-sub');
    expect(received.headers).not.toHaveProperty('webhook-id');
    expect(Math.abs(Number(received.headers['x-timestamp']) - Date.now() / 1000)).toBeLessThan(60);
    expect((await replayProject(sandbox, project)).differences).toEqual([]);
  });

  test('uses the bytes of a secret with whsec_', async () => {
    const key = Buffer.alloc(32, 7);
    const project = await frozenProject(sandbox, receiver.url(), `whsec_${key.toString('base64')}`);
    await failLater(sandbox, project);
    await sandbox.advance(project);
    expect(only().headers['x-signature']).toBe(sign(only(), key));
  });

  test.each([
    ['signature: invalid', { signature: 'invalid' }, (one: Received) => one.headers['x-signature'] !== sign(one)],
    ['signature: missing', { signature: 'missing' }, (one: Received) => one.headers['x-signature'] === undefined],
    [
      'signature: stale',
      { signature: 'stale' },
      (one: Received) =>
        one.headers['x-signature'] === sign(one) && Number(one.headers['x-timestamp']) < Date.now() / 1000 - 3500,
    ],
    [
      'body: malformed',
      { body: 'malformed' },
      (one: Received) =>
        one.headers['x-signature'] === sign(one) && one.body.startsWith('{"event"') && !one.body.endsWith('}'),
    ],
    ['copies: 2', { copies: 2 }, (one: Received) => one.headers['x-signature'] === sign(one)],
  ])('is disturbed by a scenario: %s', async (_, fault, isDisturbed) => {
    const project = await frozenProject(sandbox, receiver.url(), secret);
    await useRules(sandbox, project, [{ then: { callback: fault } }]);
    await failLater(sandbox, project);
    await sandbox.advance(project);
    expect(receiver.received.length).toBeGreaterThan(0);
    expect(receiver.received.every(isDisturbed)).toBe(true);
  });

  test('is shown in the document', async () => {
    const { body: document } = await sandbox.control('GET', '/openapi.json');
    const { put } = document.webhooks.downstreamFailed;
    expect(put.parameters.map(({ name }: { name: string }) => name)).toEqual([
      'x-event',
      'x-delivery',
      'x-timestamp',
      'x-sub',
      'x-signature',
    ]);
    expect(document.components.schemas.CallbackMessage).toMatchObject({
      required: ['event', 'at', 'from', 'all'],
      properties: { all: { type: 'array', items: { required: ['ref', 'why'] } } },
    });
    const { examples } = put.requestBody.content['application/vnd.acme+json'];
    expect(Object.values(examples)).toMatchObject([
      { value: { event: 'jobs.import.failed', all: [{ ref: expect.any(String) }] } },
    ]);
  });
});

describe('a header with the secret', () => {
  const secret = 'token-4716';
  const sandbox = withProfile({ callbacks: { signature: { header: 'Authorization', value: 'Bearer {secret}' } } });

  test('is not stored where the receiver repeats it', async () => {
    const project = await frozenProject(sandbox, receiver.url(), secret);
    const repeated = JSON.stringify({ got: { Authorization: `Bearer ${secret}` }, text: `wrong: ${secret}` });
    receiver.answer({ status: 401, headers: { 'x-got': `Bearer ${secret}` }, body: Buffer.from(repeated) });
    await failLater(sandbox, project);
    await sandbox.advance(project, '1s');
    const [callback] = await callbacksOf(sandbox, project);
    expect(callback?.attempts[0]?.response).toMatchObject({
      headers: { 'x-got': 'Bearer ***' },
      body: '{"got":{"Authorization":"***"},"text":"wrong: ***"}',
    });
  });

  test('is sent, and shown as ***', async () => {
    const project = await frozenProject(sandbox, receiver.url(), secret);
    await failLater(sandbox, project);
    await sandbox.advance(project);
    expect(only().headers.authorization).toBe(`Bearer ${secret}`);
    const [callback] = await callbacksOf(sandbox, project);
    expect(callback?.attempts[0]?.headers['authorization']).toBe('Bearer ***');
    for (const path of ['callbacks', 'recording', 'requests', 'callback-endpoint']) {
      expect((await sandbox.control('GET', `/projects/${project}/${path}`)).text).not.toContain(secret);
    }
  });

  test('has another secret if a scenario makes it invalid, which is hidden too', async () => {
    const project = await frozenProject(sandbox, receiver.url(), secret);
    await useRules(sandbox, project, [{ then: { callback: { signature: 'invalid' } } }]);
    await failLater(sandbox, project);
    await sandbox.advance(project);
    expect(only().headers.authorization).toMatch(/^Bearer \S{10}$/);
    expect(only().headers.authorization).not.toContain(secret);
    const [callback] = await callbacksOf(sandbox, project);
    expect(callback?.attempts[0]?.headers['authorization']).toBe('Bearer ***');
  });
});

test('signature: none sends no header of a signature, and accepts every secret', async () => {
  const profile = writeProfile({ callbacks: { signature: 'none' } });
  const kept = await startWith({ profile, callbackSecret: 'x', callbackUrl: receiver.url() });
  await kept.api('POST', '/async/projects/p/jobs', { jobs: [{ id: 'FAIL-1' }] });
  await receiver.waitFor(1);
  const names = Object.keys(only().headers).sort();
  expect(names).toEqual(['connection', 'content-length', 'content-type', 'host', 'user-agent']);
  await kept.close();
});

test('Standard Webhooks accept no other secret, also with a profile', async () => {
  const starting = startWith({ profile: writeProfile({}), callbackSecret: 'hunter2' });
  await expect(starting).rejects.toThrow('--callback-secret: a secret must begin with whsec_;');
});

test('after a restart, pending entries are sent with the payload and signature of the profile', async () => {
  const profile = writeProfile({
    bodies: { callback: { reference: '{entry.id}', of: '{projectId}' } },
    callbacks: {
      perEntry: true,
      headers: { 'x-event': '{id}' },
      signature: { hmac: 'sha256', header: 'x-sign', value: 'v={hex}' },
    },
  });
  const options = { profile, clock: '2026-03-02T09:00:00Z', callbackUrl: receiver.url(), callbackSecret: 'a secret' };
  const jobs = ['A', 'B', 'C'].map((name) => ({ id: `FAIL-${name}` }));
  const folder = fresh();
  const first = await start(folder, options);
  await first.api('POST', '/async/projects/p/jobs', { jobs });
  await first.close();
  const again = await start(folder, options);
  receiver.handle(() => 500);
  await again.control('POST', '/projects/p/clock/advance', { by: '200ms' });
  await again.close();
  receiver.handle(() => 204);
  const last = await start(folder, options);
  const before = receiver.received.length;
  await last.control('POST', '/projects/p/clock/advance', { until: 'idle' });
  const retried = receiver.received.slice(before);
  expect(retried.map(({ body }) => body).sort()).toEqual(
    ['A', 'B', 'C'].map((name) => `{"reference":"FAIL-${name}","of":"p"}`),
  );
  for (const { body, headers } of receiver.received) {
    expect(headers['x-sign']).toBe(`v=${createHmac('sha256', 'a secret').update(body).digest('hex')}`);
  }
  const ids = new Set(receiver.received.map(({ headers }) => headers['x-event']));
  expect([receiver.received.length, ids.size]).toEqual([6, 3]);
  await last.close();
});
