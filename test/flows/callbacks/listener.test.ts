/** A project's listener is its receiver: attempts wait for its answers, which count as those of a callback URL. */
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { defaultSecret } from '../../../src/callbacks/signature.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { disturbedProject } from './disturbance-steps.ts';
import { listenerPath, startListening } from './listener-steps.ts';
import { callbacksOf, failLater, frozenProject, onlyCallback, waits } from './steps.ts';

const sandbox = useSandbox();
const receiver = useReceiver();

const endpointOf = async (project: string) =>
  (await sandbox.control('GET', `/projects/${project}/callback-endpoint`)).body;
const textOf = ({ body }: { readonly body: string }): string => Buffer.from(body, 'base64').toString();

test('gets each attempt signed, and five of them at the right times while the clock is advanced', async () => {
  const project = await frozenProject(sandbox);
  const listener = await startListening(sandbox, project);
  await failLater(sandbox, project);
  const advanced = sandbox.advance(project);
  const attempts = await listener.answerNext(500, 404, { error: 'connection refused' }, 302, 503);
  expect(await advanced).toMatchObject({ processed: 1, delivered: 0, pending: 0 });
  const callback = await onlyCallback(sandbox, project);
  expect(waits(callback)).toEqual([5, 30, 120, 600]);
  expect(callback.attempts.map(({ status, error }) => status ?? error)).toEqual([
    ...[500, 404, 'connection refused', 302, 503],
  ]);
  expect(callback.state).toBe('failed');
  expect(attempts.map(({ callbackId, number }) => [callbackId, number])).toEqual(
    [1, 2, 3, 4, 5].map((number) => [callback.id, number]),
  );
  const [first = expect.fail('no attempt')] = attempts;
  expect(first).toMatchObject({ method: 'POST', path: '/' });
  expect(new Set(attempts.map(({ id }) => id)).size).toBe(5);
  expect(new Webhook(defaultSecret).verify(textOf(first), first.headers)).toEqual(callback.body);
  expect(Date.parse(first.deadline) - Number(first.headers['webhook-timestamp']) * 1000).toBeGreaterThanOrEqual(10_000);
});

test('2xx delivers, and the attempt has the response, cut as that of a URL', async () => {
  const project = await frozenProject(sandbox);
  const listener = await startListening(sandbox, project);
  await failLater(sandbox, project);
  const advanced = sandbox.advance(project);
  const body = 'x'.repeat(5000);
  await listener.answerNext({
    status: 202,
    headers: { 'X-Own': 'yes', 'Set-Cookie': 'a=b' },
    body,
    latencyMs: 12.34567,
  });
  expect(await advanced).toMatchObject({ delivered: 1, pending: 0 });
  const { state, attempts } = await onlyCallback(sandbox, project);
  expect(state).toBe('delivered');
  expect(attempts[0]).toMatchObject({
    status: 202,
    response: {
      headers: { 'x-own': 'yes', 'set-cookie': '***' },
      body: 'x'.repeat(4096),
      bodyCut: 5000,
      durationMs: 12.346,
    },
  });
});

test('retry-after of an answer moves the next attempt', async () => {
  const project = await frozenProject(sandbox);
  const listener = await startListening(sandbox, project);
  await failLater(sandbox, project);
  const advanced = sandbox.advance(project);
  await listener.answerNext({ status: 503, headers: { 'Retry-After': '60' } }, 200);
  await advanced;
  expect(waits(await onlyCallback(sandbox, project))).toEqual([60]);
});

test('410 stores later callbacks in the inbox, until a listener connects again', async () => {
  const project = await frozenProject(sandbox);
  const listener = await startListening(sandbox, project);
  await failLater(sandbox, project, 'A');
  const advanced = sandbox.advance(project);
  await listener.answerNext(410);
  await advanced;
  expect(await endpointOf(project)).toMatchObject({ url: null, disabled: true, listener: {} });
  await failLater(sandbox, project, 'B');
  await sandbox.advance(project);
  expect((await callbacksOf(sandbox, project)).map(({ state }) => state)).toEqual(['failed', 'inbox']);
  const again = await startListening(sandbox, project, { query: '?takeover=true' });
  expect(await endpointOf(project)).toMatchObject({ url: null, disabled: false });
  await failLater(sandbox, project, 'C');
  const last = sandbox.advance(project);
  await again.answerNext(200);
  expect(await last).toMatchObject({ delivered: 1 });
});

test.each([
  ['without a URL', undefined],
  ['beside a URL', 'http://127.0.0.1:9/'],
])('410 disables it %s until PATCH enables it', async (_, url) => {
  const project = await frozenProject(sandbox);
  const endpoint = `/projects/${project}/callback-endpoint`;
  if (url) await sandbox.control('PUT', endpoint, { url });
  const listener = await startListening(sandbox, project);
  await failLater(sandbox, project, 'A');
  const advanced = sandbox.advance(project);
  await listener.answerNext(410);
  await advanced;
  expect(await endpointOf(project)).toMatchObject({ disabled: true });
  const { status, body } = await sandbox.control('PATCH', endpoint, { disabled: false });
  expect([status, body.url, body.disabled]).toEqual([200, url ?? null, false]);
  await failLater(sandbox, project, 'B');
  const last = sandbox.advance(project);
  const [{ at } = expect.fail('no attempt')] = await listener.answerNext(200);
  expect(await last).toMatchObject({ delivered: 1 });
  expect((await callbacksOf(sandbox, project)).at(-1)?.attempts[0]?.at).toBe(at);
});

test('is shown with the endpoint while it is connected', async () => {
  const project = freshProject();
  const before = Date.now();
  const listener = await startListening(sandbox, project);
  const { listener: shown, ...endpoint } = await endpointOf(project);
  expect(endpoint).toEqual({ url: null, disabled: false });
  expect(shown).toEqual({ since: listener.lastId(), address: '127.0.0.1' });
  expect(Date.parse(shown.since)).toBeGreaterThanOrEqual(before);
  listener.leave();
  await expect.poll(() => endpointOf(project)).toEqual({ url: null, disabled: false });
});

test('is not connected by HEAD', async () => {
  const project = freshProject();
  expect((await sandbox.control('HEAD', listenerPath(project))).status).toBe(200);
  expect(await endpointOf(project)).toEqual({ url: null, disabled: false });
});

test('gets the callbacks in place of a callback URL, at its path, until it leaves', async () => {
  const project = await frozenProject(sandbox, `${receiver.url()}/here?a=1`);
  const listener = await startListening(sandbox, project);
  expect(await endpointOf(project)).toMatchObject({ url: `${receiver.url()}/here?a=1`, listener: {} });
  await failLater(sandbox, project);
  const advanced = sandbox.advance(project);
  expect(await listener.answerNext(204)).toMatchObject([{ path: '/here?a=1' }]);
  await advanced;
  expect(receiver.received).toEqual([]);
});

test('a second client is refused with the time and the address of the first, or takes over', async () => {
  const project = freshProject();
  const first = await startListening(sandbox, project);
  const refused = await sandbox.control('GET', listenerPath(project));
  expect(refused.status).toBe(409);
  const address = '127.0.0.1';
  expect(refused.body).toMatchObject({ code: 'listener_taken', since: first.lastId(), address });
  expect(refused.body.message).toBe(
    `this project has a listener since ${first.lastId()}, from ${address}: end it, or take over (takeover=true, --takeover)`,
  );
  const second = await startListening(sandbox, project, { query: '?takeover=true' });
  expect(await first.gone()).toEqual({ reason: 'taken over' });
  expect((await endpointOf(project)).listener.since).toBe(second.lastId());
});

test('a client that names its last connection replaces it, and its attempt under way fails', async () => {
  const project = await frozenProject(sandbox);
  const first = await startListening(sandbox, project);
  await failLater(sandbox, project);
  const advanced = sandbox.advance(project);
  const attempt = await first.next();
  const second = await startListening(sandbox, project, { lastId: first.lastId(), query: '?since=first' });
  expect(await first.gone()).toBeUndefined();
  expect(await second.answer(attempt, 200)).toEqual([404, expect.stringContaining(`no attempt ${attempt.id} waits`)]);
  // The retry, and nothing that was sent again.
  expect(await second.answerNext(200)).toMatchObject([{ number: 2 }]);
  expect(await advanced).toMatchObject({ delivered: 1, pending: 0 });
  expect((await onlyCallback(sandbox, project)).attempts).toMatchObject([
    { cause: 'schedule', error: 'listener disconnected' },
    { cause: 'schedule', status: 200 },
  ]);
});

test('only the first answer to an attempt counts', async () => {
  const project = await frozenProject(sandbox);
  const listener = await startListening(sandbox, project);
  await failLater(sandbox, project);
  const advanced = sandbox.advance(project);
  const attempt = await listener.next();
  expect(await listener.answer(attempt, 200)).toEqual([204]);
  expect(await listener.answer(attempt, 500)).toEqual([
    409,
    `attempt ${attempt.id} has an answer already; the first one counts`,
  ]);
  await advanced;
  expect(await onlyCallback(sandbox, project)).toMatchObject({ state: 'delivered', attempts: [{ status: 200 }] });
  expect((await listener.answer({ id: 'att_none' }, 200))[0]).toBe(404);
  expect((await sandbox.control('PUT', '/projects/p-unseen/listener/attempts/att_1', { status: 200 })).status).toBe(
    404,
  );
});

test.each([
  [{}, '/status', 'expected `status` with the response of your receiver, or `error` if it has none'],
  [{ status: 99 }, '/status', "expected the status of the receiver's response, from 200 to 999"],
  [{ status: '200' }, '/status', 'expected an integer, got "200"'],
  [{ status: 200, latencyMs: -1 }, '/latencyMs', 'expected the milliseconds until the response, at least 0'],
  [{ status: 200, headers: { a: 1 } }, '/headers/a', 'expected a string, got number 1'],
  [{ status: 200, error: 'x' }, '/status', 'expected no other field beside `error`'],
  [{ error: '' }, '/error', 'expected in 1 to 200 characters why there is no response'],
  [{ statuss: 200 }, '/statuss', 'statuss'],
])('the answer %j is rejected, and the attempt still waits', async (answer, path, message) => {
  const project = await frozenProject(sandbox);
  const listener = await startListening(sandbox, project);
  await failLater(sandbox, project);
  const advanced = sandbox.advance(project);
  const attempt = await listener.next();
  const url = `${listenerPath(project)}/attempts/${attempt.id}`;
  const rejected = await sandbox.control('PUT', url, answer);
  expect([rejected.status, rejected.body.errors[0].path]).toEqual([400, path]);
  expect(rejected.body.errors[0].message).toContain(message);
  expect(await listener.answer(attempt, 200)).toEqual([204]);
  expect(await advanced).toMatchObject({ delivered: 1 });
});

test('a redelivery goes to the listener, whose answer is the attempt', async () => {
  const project = await frozenProject(sandbox);
  await failLater(sandbox, project);
  await sandbox.advance(project);
  const { id } = await onlyCallback(sandbox, project);
  const listener = await startListening(sandbox, project);
  const redelivered = sandbox.control('POST', `/projects/${project}/callbacks/${id}/redeliver`);
  expect(await listener.answerNext({ status: 201, body: 'taken' })).toMatchObject([{ callbackId: id, number: 2 }]);
  expect((await redelivered).body).toMatchObject({ cause: 'redelivery', status: 201, response: { body: 'taken' } });
  expect((await onlyCallback(sandbox, project)).state).toBe('delivered');
});

test('a reset ends it; after that, the project has no listener', async () => {
  const project = await frozenProject(sandbox);
  const listener = await startListening(sandbox, project);
  await sandbox.control('POST', `/projects/${project}/reset`);
  expect(await listener.gone()).toEqual({ reason: 'reset' });
  expect(await endpointOf(project)).toEqual({ url: null, disabled: false });
});

test('a fork has no listener: its callbacks go to the inbox', async () => {
  const project = await frozenProject(sandbox);
  const listener = await startListening(sandbox, project);
  const fork = freshProject();
  expect((await sandbox.control('POST', `/projects/${project}/fork`, { to: fork })).status).toBe(201);
  expect(await endpointOf(fork)).toEqual({ url: null, disabled: false });
  await failLater(sandbox, fork);
  await sandbox.advance(fork);
  expect((await onlyCallback(sandbox, fork)).state).toBe('inbox');
  listener.leave();
});

test('a deleted endpoint leaves the listener, and the inbox after it', async () => {
  const project = await frozenProject(sandbox, receiver.url());
  const listener = await startListening(sandbox, project);
  await sandbox.control('DELETE', `/projects/${project}/callback-endpoint`);
  await failLater(sandbox, project);
  const advanced = sandbox.advance(project);
  expect(await listener.answerNext(200)).toMatchObject([{ path: '/' }]);
  expect(await advanced).toMatchObject({ delivered: 1 });
});

describe('since', () => {
  /** A project with three callbacks in the inbox, an hour apart. */
  async function threeCallbacks() {
    const project = await frozenProject(sandbox);
    for (const name of ['A', 'B', 'C']) {
      await failLater(sandbox, project, name);
      await sandbox.advance(project, '1h');
    }
    return { project, callbacks: await callbacksOf(sandbox, project) };
  }

  const idsOf = (callbacks: readonly { readonly id: string }[]) => callbacks.map(({ id }) => id);

  test('first sends everything again, oldest first, before what is due, with the same body and a new signature', async () => {
    const { project, callbacks } = await threeCallbacks();
    await failLater(sandbox, project, 'D');
    const listener = await startListening(sandbox, project, { query: '?since=first' });
    const advanced = sandbox.advance(project);
    const attempts = await listener.answerNext(200, 500, 200, 200);
    await advanced;
    const all = await callbacksOf(sandbox, project);
    expect(attempts.map(({ callbackId }) => callbackId)).toEqual(idsOf(all));
    expect(attempts.map(textOf).slice(0, 3)).toEqual(callbacks.map(({ attempts: [first] }) => first?.sent));
    for (const { headers, body } of attempts) {
      const signed = new Webhook(defaultSecret).verify(textOf({ body }), headers);
      expect(signed).toMatchObject({ type: 'jobs.import.failed' });
    }
    expect(all.map(({ state, attempts: made }) => [state, made.at(-1)?.cause])).toEqual([
      ['delivered', 'redelivery'],
      ['inbox', 'redelivery'],
      ['delivered', 'redelivery'],
      ['delivered', 'schedule'],
    ]);
  });

  test.each([
    ['a time span of the project', () => '150m', ['B', 'C']],
    ['the id of a callback', (ids: readonly string[]) => ids[2], ['C']],
  ])('%s sends only what came since', async (_, since, names) => {
    const { project, callbacks } = await threeCallbacks();
    const listener = await startListening(sandbox, project, { query: `?since=${since(idsOf(callbacks))}` });
    const attempts = await listener.answerNext(...names.map(() => 200));
    expect(attempts.map((one) => JSON.parse(textOf(one)).data.failed[0].id)).toEqual(names.map((one) => `FAIL-${one}`));
    await expect.poll(async () => (await callbacksOf(sandbox, project)).at(-1)?.state).toBe('delivered');
  });

  test.each(['10x', 'msg_none'])('%s is rejected, and the project has no listener', async (since) => {
    const { project } = await threeCallbacks();
    const rejected = await sandbox.control('GET', listenerPath(project, `?since=${since}`));
    expect([rejected.status, rejected.body.errors[0].path]).toEqual([400, 'query:since']);
    expect(rejected.body.message).toContain(`, or first; got "${since}"`);
    expect(await endpointOf(project)).toEqual({ url: null, disabled: false });
  });
});

test('a scenario for callbacks disturbs the attempts of the listener too', async () => {
  const project = await disturbedProject(sandbox, undefined, { signature: 'missing', copies: 2 });
  const listener = await startListening(sandbox, project);
  await failLater(sandbox, project);
  const advanced = sandbox.advance(project);
  const attempts = await listener.answerNext(200, 200);
  await advanced;
  expect(attempts.map(({ number, headers }) => [number, 'webhook-signature' in headers])).toEqual([
    [1, false],
    [2, false],
  ]);
});
