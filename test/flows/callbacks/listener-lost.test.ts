/** A listener that is lost has five seconds to come back; after that it is a receiver that is down. */
import { describe, expect, test } from 'vitest';
import { shippedProfile } from '../../../src/openapi/profile/profile.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { useSandbox } from '../../harness/sandbox.ts';
import { createTestWall } from '../../harness/wall.ts';
import { startListening } from './listener-steps.ts';
import { failLater, frozenProject, onlyCallback, waits } from './steps.ts';

const wall = createTestWall(Date.parse('2026-03-02T09:30:00Z'));
const sandbox = useSandbox({}, shippedProfile, wall);
const receiver = useReceiver();

const listenerOf = async (project: string) =>
  (await sandbox.control('GET', `/projects/${project}/callback-endpoint`)).body.listener;

/** A project whose listener has just left. */
async function abandonedProject(url?: string): Promise<string> {
  const project = await frozenProject(sandbox, url);
  (await startListening(sandbox, project)).leave();
  await expect.poll(() => listenerOf(project)).toBeUndefined();
  await failLater(sandbox, project);
  return project;
}

test('the attempt under way fails, and is retried', async () => {
  const project = await frozenProject(sandbox);
  const listener = await startListening(sandbox, project);
  await failLater(sandbox, project);
  const advanced = sandbox.advance(project, '1s');
  await listener.next();
  listener.leave();
  expect(await advanced).toMatchObject({ delivered: 0, pending: 1 });
  expect(await onlyCallback(sandbox, project)).toMatchObject({
    state: 'scheduled',
    attempts: [{ error: 'listener disconnected' }],
  });
});

test('an attempt that gets no answer times out after the time of the profile', async () => {
  const project = await frozenProject(sandbox);
  const listener = await startListening(sandbox, project);
  await failLater(sandbox, project);
  const advanced = sandbox.advance(project, '1s');
  const attempt = await listener.next();
  expect(Date.parse(attempt.deadline) - wall.now()).toBe(10_000);
  wall.pass(9999);
  expect((await onlyCallback(sandbox, project)).attempts).toEqual([]);
  wall.pass(1);
  await advanced;
  expect((await onlyCallback(sandbox, project)).attempts).toMatchObject([{ error: 'timed out after 10 s' }]);
  expect((await listener.answer(attempt, 200))[0]).toBe(404);
});

test('an attempt that is due within five seconds waits for it', async () => {
  const project = await abandonedProject();
  const advanced = sandbox.advance(project);
  wall.pass(4999);
  const listener = await startListening(sandbox, project);
  await listener.answerNext(200);
  expect(await advanced).toMatchObject({ delivered: 1, pending: 0 });
  expect((await onlyCallback(sandbox, project)).attempts).toMatchObject([{ status: 200 }]);
});

test('a URL or the inbox that is set meanwhile is used at once', async () => {
  const project = await abandonedProject();
  const endpoint = `/projects/${project}/callback-endpoint`;
  await sandbox.control('PUT', endpoint, { url: receiver.url() });
  expect(await sandbox.advance(project)).toMatchObject({ delivered: 1 });
  expect(receiver.received).toHaveLength(1);
  const other = await abandonedProject();
  await sandbox.control('DELETE', `/projects/${other}/callback-endpoint`);
  await sandbox.advance(other);
  expect((await onlyCallback(sandbox, other)).state).toBe('inbox');
});

test('after five seconds, attempts fail at once and are retried until none is left', async () => {
  const project = await abandonedProject();
  wall.pass(5000);
  await sandbox.advance(project);
  const callback = await onlyCallback(sandbox, project);
  expect([callback.state, waits(callback)]).toEqual(['failed', [5, 30, 120, 600]]);
  expect(new Set(callback.attempts.map(({ error }) => error))).toEqual(new Set(['listener disconnected']));
  const listener = await startListening(sandbox, project, { query: '?since=first' });
  await listener.answerNext(200);
  await expect.poll(async () => (await onlyCallback(sandbox, project)).state).toBe('delivered');
});

test('a listener that comes back gets the retry', async () => {
  const project = await abandonedProject();
  wall.pass(5000);
  await sandbox.advance(project, '1s');
  const listener = await startListening(sandbox, project);
  const advanced = sandbox.advance(project);
  expect(await listener.answerNext(200)).toMatchObject([{ number: 2 }]);
  expect(await advanced).toMatchObject({ delivered: 1 });
});

describe('with a callback URL', () => {
  test('callbacks wait for the listener for five seconds', async () => {
    const project = await abandonedProject(receiver.url());
    const advanced = sandbox.advance(project);
    const listener = await startListening(sandbox, project);
    await listener.answerNext(200);
    expect(await advanced).toMatchObject({ delivered: 1 });
    expect(receiver.received).toEqual([]);
  });

  test('after that they go to the URL', async () => {
    const project = await abandonedProject(receiver.url());
    wall.pass(5000);
    expect(await sandbox.advance(project)).toMatchObject({ delivered: 1 });
    expect(receiver.received).toHaveLength(1);
  });
});

test('without a callback URL, a deleted endpoint stores later callbacks in the inbox', async () => {
  const project = await abandonedProject();
  wall.pass(5000);
  await sandbox.control('DELETE', `/projects/${project}/callback-endpoint`);
  await sandbox.advance(project);
  expect((await onlyCallback(sandbox, project)).state).toBe('inbox');
});
