/** Redelivery sends a callback again at once, whatever the clock and its state, and answers with the attempt. */
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { defaultSecret } from '../../../src/callbacks/signature.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { useSandbox } from '../../harness/sandbox.ts';
import { failLater, frozenProject, onlyCallback, setEndpoint } from './steps.ts';

const sandbox = useSandbox();
const receiver = useReceiver();

const redeliver = (project: string, id: string) =>
  sandbox.control('POST', `/projects/${project}/callbacks/${id}/redeliver`);
const clockOf = async (project: string) => (await sandbox.control('GET', `/projects/${project}/clock`)).body;

/** A project with one callback that has come so far: the inbox, failed, or waiting for its second attempt. */
async function projectWith(state: 'inbox' | 'failed' | 'scheduled' | 'delivered') {
  if (state === 'failed') receiver.handle(() => 500);
  if (state === 'scheduled') receiver.answer(500);
  const project = await frozenProject(sandbox, state === 'inbox' ? undefined : receiver.url());
  await failLater(sandbox, project);
  await sandbox.advance(project, state === 'scheduled' ? '1s' : undefined);
  const { id, state: reached } = await onlyCallback(sandbox, project);
  expect(reached).toBe(state);
  return { project, id };
}

test('from the inbox, with the same id', async () => {
  const { project, id } = await projectWith('inbox');
  await setEndpoint(sandbox, project, { url: receiver.url() });
  const before = await clockOf(project);
  const answer = await redeliver(project, id);
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({ at: before.now, status: 204, headers: { 'webhook-id': id } });
  const [{ body, headers } = expect.fail('nothing came')] = receiver.received;
  expect(body).toBe(answer.body.sent);
  expect(new Webhook(defaultSecret).verify(body, headers as Record<string, string>)).toBeTruthy();
  expect(await onlyCallback(sandbox, project)).toMatchObject({ state: 'delivered', attempts: [{}, answer.body] });
  expect(await clockOf(project)).toEqual(before);
});

test('from failed: success makes it delivered; a failure leaves it failed without a retry', async () => {
  const { project, id } = await projectWith('failed');
  expect((await redeliver(project, id)).body.status).toBe(500);
  expect(await onlyCallback(sandbox, project)).toMatchObject({ state: 'failed' });
  expect(await clockOf(project)).toMatchObject({ pending: 0 });
  receiver.answer(200);
  expect((await redeliver(project, id)).body.status).toBe(200);
  const { state, attempts } = await onlyCallback(sandbox, project);
  const causes = attempts.map(({ cause }) => cause);
  expect([state, causes]).toEqual(['delivered', [...Array(5).fill('schedule'), 'redelivery', 'redelivery']]);
});

test('while scheduled: success leaves nothing pending', async () => {
  const { project, id } = await projectWith('scheduled');
  const { now } = await clockOf(project);
  expect((await redeliver(project, id)).body.status).toBe(204);
  expect(await clockOf(project)).toEqual({ mode: 'frozen', now, pending: 0 });
  expect(await sandbox.advance(project)).toEqual({ now, processed: 0, delivered: 0, pending: 0 });
  expect(receiver.received).toHaveLength(2);
});

test('while scheduled: after a failure, the sandbox still makes the scheduled attempt', async () => {
  const { project, id } = await projectWith('scheduled');
  receiver.answer(503);
  const { dueAt } = await onlyCallback(sandbox, project);
  await redeliver(project, id);
  expect(await clockOf(project)).toMatchObject({ pending: 1 });
  expect(await sandbox.advance(project)).toMatchObject({ now: dueAt, delivered: 1 });
  expect((await onlyCallback(sandbox, project)).attempts.map(({ status }) => status)).toEqual([500, 503, 204]);
});

test('after delivery: it stays delivered, whatever the result', async () => {
  const { project, id } = await projectWith('delivered');
  receiver.answer(500);
  expect((await redeliver(project, id)).body.status).toBe(500);
  expect(await onlyCallback(sandbox, project)).toMatchObject({ state: 'delivered', attempts: [{}, { status: 500 }] });
});

test('a success during a failing attempt keeps it delivered', async () => {
  let release = (): void => undefined;
  const held = new Promise<void>((go) => {
    release = go;
  });
  receiver.handle(async () => {
    if (receiver.received.length > 1) return 204;
    await held;
    return 500;
  });
  const project = await frozenProject(sandbox, receiver.url());
  await failLater(sandbox, project);
  const advanced = sandbox.advance(project);
  await receiver.waitFor(1);
  const { id } = await onlyCallback(sandbox, project);
  expect((await redeliver(project, id)).body.status).toBe(204);
  release();
  expect(await advanced).toMatchObject({ delivered: 0, pending: 0 });
  expect(await onlyCallback(sandbox, project)).toMatchObject({ state: 'delivered', attempts: [{}, {}] });
});

test('is sent to a disabled endpoint too; a 410 disables the endpoint', async () => {
  const { project, id } = await projectWith('inbox');
  await setEndpoint(sandbox, project, { url: receiver.url(), disabled: true });
  expect((await redeliver(project, id)).body.status).toBe(204);
  await setEndpoint(sandbox, project, { url: receiver.url() });
  receiver.answer(410);
  expect((await redeliver(project, id)).body.status).toBe(410);
  const endpoint = await sandbox.control('GET', `/projects/${project}/callback-endpoint`);
  expect(endpoint.body.disabled).toBe(true);
});

test('without an endpoint is a 409 with a remedy; for an unknown callback, a 404', async () => {
  const { project, id } = await projectWith('inbox');
  const refused = await redeliver(project, id);
  expect(refused.status).toBe(409);
  expect(refused.body.message).toContain('set one, or connect one with listen');
  expect((await onlyCallback(sandbox, project)).attempts).toHaveLength(1);
  const unknown = await redeliver(project, 'msg_none');
  expect([unknown.status, unknown.body.message]).toEqual([404, 'this project has no callback msg_none']);
  expect((await redeliver('p-unseen', id)).status).toBe(404);
});
