import { expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { listenerPath, startListening } from './listener-steps.ts';
import { failLater, frozenProject, onlyCallback } from './steps.ts';

const sandbox = useSandbox();

const endpointOf = async (project: string) =>
  (await sandbox.control('GET', `/projects/${project}/callback-endpoint`)).body;

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
  const signedAt = Number(attempt.headers['webhook-timestamp']) * 1000;
  expect(Date.parse(attempt.deadline) - signedAt).toBeGreaterThanOrEqual(10_000);
  expect(await listener.answer(attempt, { status: 200, latencyMs: 12.34567 })).toEqual([204]);
  expect(await listener.answer(attempt, 500)).toEqual([
    409,
    `attempt ${attempt.id} has an answer already; the first one counts`,
  ]);
  await advanced;
  const callback = {
    id: attempt.callbackId,
    attempts: [{ at: attempt.at, status: 200, response: { durationMs: 12.346 } }],
  };
  expect(await onlyCallback(sandbox, project)).toMatchObject(callback);
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

test('a reset ends it; after that, the project has no listener', async () => {
  const project = await frozenProject(sandbox);
  const listener = await startListening(sandbox, project);
  await sandbox.control('POST', `/projects/${project}/reset`);
  expect(await listener.gone()).toEqual({ reason: 'reset' });
  expect(await endpointOf(project)).toEqual({ url: null, disabled: false });
});
