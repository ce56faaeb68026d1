/** Callbacks over the wire: where they go, that they verify, and what of them is shown. */
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { defaultSecret } from '../../../src/callbacks/signature.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { callbacksOf, failLater, frozenProject, onlyCallback, setEndpoint } from './steps.ts';

const sandbox = useSandbox();
const receiver = useReceiver();
const ownSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

const headersOf = (index: number) => receiver.received[index]?.headers as Record<string, string>;

test('the sandbox posts a callback to the configured URL, with the body that the control API shows', async () => {
  const project = await frozenProject(sandbox, `${receiver.url()}/hooks/1?from=sandbox`);
  const requestId = await failLater(sandbox, project);
  expect(await sandbox.advance(project)).toMatchObject({ processed: 1, delivered: 1, pending: 0 });

  expect(receiver.received).toHaveLength(1);
  expect(receiver.received[0]).toMatchObject({ method: 'POST', path: '/hooks/1?from=sandbox' });
  expect(headersOf(0)['content-type']).toBe('application/json');
  const callback = await onlyCallback(sandbox, project);
  expect(callback).toMatchObject({ state: 'delivered', requestId, attempts: [{ status: 204 }] });
  expect(receiver.received[0]?.body).toBe(callback.attempts[0]?.sent);
  expect(JSON.parse(receiver.received[0]?.body ?? '')).toEqual(callback.body);
  expect(callback.attempts[0]?.headers['webhook-id']).toBe(callback.id);
  const request = await sandbox.control('GET', `/projects/${project}/requests/${requestId}`);
  expect(request.body.callbacks).toEqual([callback.id]);
});

describe('signatures', () => {
  test.each([
    ['the published secret where none is given', undefined, defaultSecret],
    ['its own secret', ownSecret, ownSecret],
  ])("are valid for the receiver's library at every attempt, with %s", async (_, given, secret) => {
    receiver.answer(500, 503);
    const project = await frozenProject(sandbox, receiver.url(), given);
    await failLater(sandbox, project);
    await sandbox.advance(project);
    expect(receiver.received).toHaveLength(3);
    for (const { body, headers } of receiver.received) {
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(JSON.parse(body));
      const forged = body.replace('FAIL-1', 'FAIL-2');
      expect(() => new Webhook(secret).verify(forged, headers as Record<string, string>)).toThrow();
    }
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids)).toEqual(new Set([(await onlyCallback(sandbox, project)).id]));
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
  });

  test("the header has the wall time, and the body has the project's time", async () => {
    const project = freshProject();
    await sandbox.control('PUT', `/projects/${project}/clock`, { mode: 'frozen', now: '2040-01-01T00:00:00Z' });
    await setEndpoint(sandbox, project, { url: receiver.url() });
    await failLater(sandbox, project);
    await sandbox.advance(project);
    const body = receiver.received[0]?.body ?? '';
    expect(new Webhook(defaultSecret).verify(body, headersOf(0))).toMatchObject({
      timestamp: '2040-01-01T00:00:00.200Z',
    });
    expect((await onlyCallback(sandbox, project)).attempts[0]?.at).toBe('2040-01-01T00:00:00.200Z');
  });

  test('are valid in the inbox too', async () => {
    const project = await frozenProject(sandbox);
    await failLater(sandbox, project);
    await sandbox.advance(project);
    const { state, attempts } = await onlyCallback(sandbox, project);
    expect(state).toBe('inbox');
    expect(attempts).toHaveLength(1);
    expect(attempts[0]).not.toHaveProperty('status');
    expect(attempts[0]).not.toHaveProperty('error');
    const { sent = '', headers = {} } = attempts[0] ?? {};
    expect(new Webhook(defaultSecret).verify(sent, headers)).toEqual(JSON.parse(sent));
  });
});

describe('the secret', () => {
  test('is never returned', async () => {
    const project = await frozenProject(sandbox);
    const answers = [
      await setEndpoint(sandbox, project, { url: receiver.url(), secret: ownSecret }),
      await sandbox.control('GET', `/projects/${project}/callback-endpoint`),
      await sandbox.control('GET', `/projects/${project}`),
      await sandbox.control('GET', '/projects'),
    ];
    await failLater(sandbox, project);
    await sandbox.advance(project);
    answers.push(await sandbox.control('GET', `/projects/${project}/callbacks`));
    answers.push(await sandbox.control('GET', `/projects/${project}/requests`));
    for (const { text } of answers) expect(text).not.toContain(ownSecret.slice(6));
    expect(answers[0]?.body).toEqual({ url: receiver.url(), disabled: false });
  });

  test.each([
    ['too short', `whsec_${Buffer.alloc(23, 7).toString('base64')}`],
    ['without its beginning', Buffer.alloc(32, 7).toString('base64')],
    ['empty', ''],
  ])('rejects %s without repeating it, and changes nothing', async (_, secret) => {
    const project = await frozenProject(sandbox, receiver.url());
    const answer = await setEndpoint(sandbox, project, { url: 'http://127.0.0.1:9/other', secret });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([{ path: '/secret', message: expect.stringMatching(/whsec_|24 to 64/) }]);
    if (secret !== '') expect(answer.text).not.toContain(secret.slice(6, 30));
    const { body } = await sandbox.control('GET', `/projects/${project}/callback-endpoint`);
    expect(body).toEqual({ url: receiver.url(), disabled: false });
  });
});

describe('the endpoint', () => {
  test('a partial change keeps all other fields, including the secret', async () => {
    const project = await frozenProject(sandbox, 'http://127.0.0.1:9/other', ownSecret);
    const patch = (body: object) => sandbox.control('PATCH', `/projects/${project}/callback-endpoint`, body);
    expect((await patch({ disabled: true })).body).toEqual({ url: 'http://127.0.0.1:9/other', disabled: true });
    expect((await patch({ url: receiver.url() })).body).toEqual({ url: receiver.url(), disabled: true });
    expect((await patch({ disabled: false })).body).toEqual({ url: receiver.url(), disabled: false });
    await failLater(sandbox, project);
    await sandbox.advance(project);
    const [{ body, headers } = expect.fail('nothing came')] = receiver.received;
    expect(new Webhook(ownSecret).verify(body, headers as Record<string, string>)).toBeTruthy();
    expect((await patch({})).status).toBe(400);
    expect((await patch({ secret: 'short' })).body.errors[0].path).toBe('/secret');
  });

  test('can be changed only if it exists or the change has a URL', async () => {
    const project = await frozenProject(sandbox);
    const patch = (body: object) => sandbox.control('PATCH', `/projects/${project}/callback-endpoint`, body);
    const { status, body } = await patch({ disabled: true });
    expect([status, body.message]).toEqual([
      409,
      'this project has neither a callback URL nor a listener yet: set `url`',
    ]);
    expect((await patch({ url: receiver.url() })).body).toEqual({ url: receiver.url(), disabled: false });
    expect((await patch({ url: 'http://169.254.169.254/' })).status).toBe(400);
  });

  test('after it is deleted, callbacks go to the inbox', async () => {
    const project = await frozenProject(sandbox, receiver.url());
    await failLater(sandbox, project);
    expect((await sandbox.control('DELETE', `/projects/${project}/callback-endpoint`)).status).toBe(204);
    await sandbox.advance(project);
    expect(receiver.received).toEqual([]);
    expect((await onlyCallback(sandbox, project)).state).toBe('inbox');
  });

  test('gets no callbacks while it is disabled, and the next one after it is set again', async () => {
    const project = await frozenProject(sandbox);
    const answer = await setEndpoint(sandbox, project, { url: receiver.url(), disabled: true });
    expect(answer.body).toEqual({ url: receiver.url(), disabled: true });
    await failLater(sandbox, project, 'A');
    await sandbox.advance(project);
    await setEndpoint(sandbox, project, { url: receiver.url() });
    await failLater(sandbox, project, 'B');
    await sandbox.advance(project);
    expect((await callbacksOf(sandbox, project)).map(({ state }) => state)).toEqual(['inbox', 'delivered']);
    expect(receiver.received).toHaveLength(1);
  });

  test('belongs to one project only', async () => {
    const project = await frozenProject(sandbox, `${receiver.url()}/one`);
    const other = await frozenProject(sandbox, `${receiver.url()}/other`);
    for (const each of [project, other]) await failLater(sandbox, each);
    await sandbox.advance(other);
    await sandbox.advance(project);
    const told = receiver.received.map(({ path, body }) => [path, JSON.parse(body).data.projectId]);
    expect(told).toEqual([
      ['/other', other],
      ['/one', project],
    ]);
  });
});

test('an attempt has the headers, the body and the latency of the response', async () => {
  const project = await frozenProject(sandbox, receiver.url());
  receiver.answer({
    status: 422,
    headers: { 'content-type': 'text/plain', 'set-cookie': 'id=1' },
    body: Buffer.from('unknown job'),
  });
  await failLater(sandbox, project);
  await sandbox.advance(project, '1s');
  const [attempt] = (await onlyCallback(sandbox, project)).attempts;
  expect(attempt).toMatchObject({ status: 422, response: { body: 'unknown job' } });
  expect(attempt?.response?.headers).toMatchObject({ 'content-type': 'text/plain', 'set-cookie': '***' });
  expect(attempt?.response?.durationMs).toBeGreaterThan(0);
});

test('a response that nests too deeply to be searched for secrets is omitted, and the callback is not sent again', async () => {
  const body = Buffer.from(`{"token":1,"deep":${'['.repeat(30_000)}${']'.repeat(30_000)}}`);
  receiver.answer({ status: 200, headers: {}, body });
  const project = await frozenProject(sandbox, receiver.url());
  await failLater(sandbox, project);
  expect(await sandbox.advance(project)).toMatchObject({ delivered: 1, pending: 0 });
  const attempt = { status: 200, response: { body: '(omitted: the body is nested too deeply)' } };
  expect(await onlyCallback(sandbox, project)).toMatchObject({ state: 'delivered', attempts: [attempt] });
});

test('an attempt without a response has none, and one that was stored in the inbox', async () => {
  const unreached = await frozenProject(sandbox, 'http://127.0.0.1:9/');
  await failLater(sandbox, unreached);
  await sandbox.advance(unreached, '1s');
  const inbox = await frozenProject(sandbox);
  await failLater(sandbox, inbox);
  await sandbox.advance(inbox);
  for (const project of [unreached, inbox]) {
    expect((await onlyCallback(sandbox, project)).attempts[0]).not.toHaveProperty('response');
  }
});
