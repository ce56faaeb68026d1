/** After a reset or restore nothing of before arrives, wherever it was on its way; what was cancelled is answered. */
import { describe, expect, test } from 'vitest';
import { useReceiver } from '../../harness/receiver.ts';
import { useSandbox } from '../../harness/sandbox.ts';
import { callbacksOf, emptySnapshot, failLater, frozenProject, onlyCallback, setEndpoint } from './steps.ts';

const sandbox = useSandbox();
const receiver = useReceiver();

const reset = async (project: string) => (await sandbox.control('POST', `/projects/${project}/reset`)).body.cancelled;
const real = (project: string) => sandbox.control('PUT', `/projects/${project}/clock`, { mode: 'real' });
const advanceRaw = (project: string) =>
  sandbox.control('POST', `/projects/${project}/clock/advance`, { until: 'idle' });
const restore = async (project: string) =>
  (await sandbox.control('PUT', `/projects/${project}/snapshot`, emptySnapshot)).body.cancelled;

/** A frozen project with an instruction to come, and a callback that waits for its second attempt. */
async function pendingProject(): Promise<string> {
  receiver.answer(500);
  const project = await frozenProject(sandbox, receiver.url());
  await failLater(sandbox, project, 'A');
  await sandbox.advance(project, '1s');
  await failLater(sandbox, project, 'B');
  return project;
}

/** A real project with one callback held by the receiver, and two that wait behind it. */
async function busyProject(): Promise<string> {
  receiver.answer('hang');
  const project = await frozenProject(sandbox, receiver.url());
  for (const name of ['A', 'B', 'C']) await failLater(sandbox, project, name);
  await real(project);
  await receiver.waitFor(1);
  await sandbox.control('GET', `/projects/${project}/callbacks?await=10s&min=3`);
  return project;
}

describe('a reset', () => {
  test('cancels deferred commands and retries, and reports their number', async () => {
    const project = await pendingProject();
    expect(await reset(project)).toEqual({ instructions: 1, callbacks: 1 });
    expect(await reset(project)).toEqual({ instructions: 0, callbacks: 0 });
    await sandbox.freeze(project);
    expect(await sandbox.advance(project, '1d')).toMatchObject({ processed: 0, delivered: 0 });
    expect(receiver.received).toHaveLength(1);
    expect(await callbacksOf(sandbox, project)).toEqual([]);
  });

  test('restores the initial endpoint, clock, scenarios, records and journal', async () => {
    const project = await frozenProject(sandbox, receiver.url());
    await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: ['outage'] });
    await sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, { jobs: [{ id: 'A' }] });
    await reset(project);
    const { body } = await sandbox.control('GET', `/projects/${project}`);
    expect(body).toMatchObject({
      counts: { jobs: 0, requests: 0, callbacks: 0, pending: 0 },
      clock: { mode: 'real' },
      scenarios: [],
      callbackEndpoint: { url: null, disabled: false },
    });
  });

  test('cancels the callback that is being sent and those that wait behind it', async () => {
    const project = await busyProject();
    expect(await reset(project)).toEqual({ instructions: 0, callbacks: 3 });
    await setEndpoint(sandbox, project, { url: `${receiver.url()}/new` });
    await sandbox.freeze(project);
    await failLater(sandbox, project, 'D');
    await sandbox.advance(project);
    expect(receiver.received.map(({ path }) => path)).toEqual(['/', '/new']);
    const { state, attempts, body } = await onlyCallback(sandbox, project);
    expect([state, attempts.length, body.data.failed[0]?.id]).toEqual(['delivered', 1, 'FAIL-D']);
  });

  test('during an advance that sends a callback: the advance gets a response, and the new state is empty', async () => {
    receiver.answer('hang');
    const project = await frozenProject(sandbox, receiver.url());
    await failLater(sandbox, project);
    const advanced = advanceRaw(project);
    await receiver.waitFor(1);
    expect(await reset(project)).toEqual({ instructions: 0, callbacks: 1 });
    const answer = await advanced;
    expect([answer.status, answer.body.message]).toEqual([409, expect.stringContaining('reset')]);
    expect(await callbacksOf(sandbox, project)).toEqual([]);
  });

  test('works when the receiver requests it from its callback handler', async () => {
    const project = await frozenProject(sandbox, receiver.url());
    receiver.handle(async () => {
      await reset(project);
      return 204;
    });
    await failLater(sandbox, project, 'A');
    await failLater(sandbox, project, 'B');
    expect((await advanceRaw(project)).status).toBe(409);
    await sandbox.freeze(project);
    await sandbox.advance(project, '1h');
    expect(receiver.received).toHaveLength(1);
  });

  test('of all projects returns the total', async () => {
    const projects = [await pendingProject(), await pendingProject()];
    const { body } = await sandbox.control('POST', '/reset');
    expect(body.cancelled).toEqual({ instructions: 2, callbacks: 2 });
    expect(body.projects).toBeGreaterThanOrEqual(2);
    expect((await sandbox.control('GET', '/projects')).body).toEqual({ items: [] });
    for (const project of projects) expect(await callbacksOf(sandbox, project)).toEqual([]);
  });
});

describe('a restore', () => {
  test('cancels deferred commands and retries; callbacks stay listed', async () => {
    const project = await pendingProject();
    expect(await restore(project)).toEqual({ instructions: 1, callbacks: 1 });
    expect(await sandbox.advance(project, '1d')).toMatchObject({ processed: 0, delivered: 0, pending: 0 });
    expect(receiver.received).toHaveLength(1);
    expect(await onlyCallback(sandbox, project)).toMatchObject({ state: 'dropped', attempts: [{ status: 500 }] });
  });

  test('cancels callbacks that wait behind the one being sent; records that attempt, without a retry', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((go) => {
      release = go;
    });
    receiver.handle(() => held.then(() => 500));
    const project = await frozenProject(sandbox, receiver.url());
    for (const name of ['A', 'B']) await failLater(sandbox, project, name);
    await real(project);
    await receiver.waitFor(1);
    await sandbox.control('GET', `/projects/${project}/callbacks?await=10s&min=2`);
    expect(await restore(project)).toEqual({ instructions: 0, callbacks: 2 });
    await sandbox.freeze(project);
    release();
    expect(await sandbox.advance(project, '1d')).toMatchObject({ delivered: 0, pending: 0 });
    const callbacks = await callbacksOf(sandbox, project);
    expect(callbacks.map(({ state, attempts }) => [state, attempts.length])).toEqual([
      ['dropped', 1],
      ['dropped', 0],
    ]);
    expect(receiver.received).toHaveLength(1);
  });
});

test('one advance also applies a command that the receiver starts from its callback handler', async () => {
  const project = await frozenProject(sandbox, receiver.url());
  receiver.handle(async () => {
    const next = receiver.received.length;
    if (next <= 3) await failLater(sandbox, project, `${next}`);
    await sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, { jobs: [{ id: `J-${next}` }] });
    return 204;
  });
  await failLater(sandbox, project, '0');
  const { now } = (await sandbox.control('GET', `/projects/${project}/clock`)).body;
  const done = await sandbox.advance(project, '600ms');
  expect(done).toMatchObject({ processed: 3, delivered: 3, pending: 1 });
  expect(Date.parse(done.now) - Date.parse(now)).toBe(600);
  expect(await sandbox.items(project, 'jobs')).toHaveLength(3);
  expect(await sandbox.advance(project)).toMatchObject({ processed: 1, delivered: 1, pending: 0 });
});
