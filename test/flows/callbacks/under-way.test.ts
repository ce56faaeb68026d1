/** What happens while a receiver has a callback and has not answered: resets, restores, redeliveries, requests. */
import { describe, expect, test } from 'vitest';
import { useReceiver } from '../../harness/receiver.ts';
import { useSandbox } from '../../harness/sandbox.ts';
import { disturbedProject, pendingOf, toNames } from './disturbance-steps.ts';
import { callbacksOf, emptySnapshot, failLater, frozenProject, onlyCallback, setEndpoint } from './steps.ts';

const sandbox = useSandbox();
const receiver = useReceiver();

const reset = async (project: string) => (await sandbox.control('POST', `/projects/${project}/reset`)).body.cancelled;
const restore = async (project: string) =>
  (await sandbox.control('PUT', `/projects/${project}/snapshot`, emptySnapshot)).body.cancelled;
const advanceRaw = (project: string) =>
  sandbox.control('POST', `/projects/${project}/clock/advance`, { until: 'idle' });
const redeliver = (project: string, id: string) =>
  sandbox.control('POST', `/projects/${project}/callbacks/${id}/redeliver`);
const statusesOf = async (project: string) =>
  (await callbacksOf(sandbox, project)).map(({ state, attempts }) => [state, ...attempts.map(({ status }) => status)]);

/** Fails jobs on a real clock. Resolves when the receiver has the first of their callbacks, and the others wait. */
async function failOnRealClock(project: string, ...names: readonly string[]): Promise<void> {
  for (const name of names) await failLater(sandbox, project, name);
  await sandbox.control('PUT', `/projects/${project}/clock`, { mode: 'real' });
  await receiver.waitFor(1);
  await sandbox.control('GET', `/projects/${project}/callbacks?await=10s&min=${names.length}`);
}

/** Has the receiver answer the first callback when the returned function is called, and later ones with 204. */
function holdFirst(status: number): () => void {
  let release = (): void => undefined;
  const held = new Promise<number>((resolve) => {
    release = () => resolve(status);
  });
  receiver.handle(() => (receiver.received.length > 1 ? 204 : held));
  return release;
}

describe('a reset', () => {
  test('cancels the callback that is being sent and those that wait behind it', async () => {
    receiver.answer('hang');
    const project = await frozenProject(sandbox, receiver.url());
    await failOnRealClock(project, 'A', 'B', 'C');
    expect(await reset(project)).toEqual({ instructions: 0, callbacks: 3 });
    await setEndpoint(sandbox, project, { url: `${receiver.url()}/new` });
    await sandbox.freeze(project);
    await failLater(sandbox, project, 'D');
    await sandbox.advance(project);
    expect(receiver.received.map(({ path }) => path)).toEqual(['/', '/new']);
    expect(await statusesOf(project)).toEqual([['delivered', 204]]);
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
});

describe('a restore', () => {
  test('cancels callbacks that wait behind the one being sent; records that attempt, without a retry', async () => {
    const release = holdFirst(500);
    const project = await frozenProject(sandbox, receiver.url());
    await failOnRealClock(project, 'A', 'B');
    expect(await restore(project)).toEqual({ instructions: 0, callbacks: 2 });
    await sandbox.freeze(project);
    release();
    expect(await sandbox.advance(project, '1d')).toMatchObject({ delivered: 0, pending: 0 });
    expect(await statusesOf(project)).toEqual([['dropped', 500], ['dropped']]);
    expect(receiver.received).toHaveLength(1);
  });

  test('during the first attempt cancels the copies behind it, whatever its result', async () => {
    const release = holdFirst(204);
    const project = await disturbedProject(sandbox, receiver.url(), { copies: 3 });
    await failOnRealClock(project, 'A');
    expect(await restore(project)).toEqual({ instructions: 0, callbacks: 3 });
    await sandbox.freeze(project);
    release();
    expect(await sandbox.advance(project, '1d')).toMatchObject({ delivered: 0, pending: 0 });
    expect((await onlyCallback(sandbox, project)).attempts).toHaveLength(1);
    expect(receiver.received).toHaveLength(1);
  });

  test('during a copy records that attempt, and a delivered callback stays delivered', async () => {
    const project = await disturbedProject(sandbox, receiver.url(), { copies: 3 });
    receiver.handle(async () => {
      if (receiver.received.length === 1) return 204;
      await restore(project);
      return 500;
    });
    await failLater(sandbox, project);
    expect(await sandbox.advance(project)).toMatchObject({ delivered: 1, pending: 0 });
    expect(await statusesOf(project)).toEqual([['delivered', 204, 500]]);
    await failLater(sandbox, project, '2');
    await sandbox.advance(project, '100ms');
    expect(await pendingOf(sandbox, project)).toBe(1);
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

test('a redelivery that succeeds during a failing attempt keeps the callback delivered', async () => {
  const release = holdFirst(500);
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

test('while a copy is being sent, it and the copies behind it are pending', async () => {
  const seen: number[] = [];
  const project = await disturbedProject(sandbox, receiver.url(), { copies: 3 });
  receiver.handle(async () => {
    seen.push(await pendingOf(sandbox, project));
    return 204;
  });
  await failLater(sandbox, project);
  await sandbox.advance(project);
  expect([...seen, await pendingOf(sandbox, project)]).toEqual([3, 2, 1, 0]);
});

test('a copy that goes to the inbox cancels the pending retry', async () => {
  const project = await disturbedProject(sandbox, receiver.url(), { copies: 2 });
  receiver.handle(async () => {
    await sandbox.control('DELETE', `/projects/${project}/callback-endpoint`);
    return 500;
  });
  await failLater(sandbox, project);
  expect(await sandbox.advance(project)).toMatchObject({ delivered: 1, pending: 0 });
  expect(await statusesOf(project)).toEqual([['inbox', 500, undefined]]);
});

describe('on a real clock', () => {
  test.each([
    ['copies follow their callback', { copies: 3 }, '111222'],
    ['a reversed group is sent last first', { order: 'reverse', copies: 3 }, '222111'],
  ])('%s', async (_, disturbance, names) => {
    const project = await disturbedProject(sandbox, receiver.url(), disturbance);
    await failOnRealClock(project, '1', '2');
    await receiver.waitFor(6);
    expect(toNames(receiver.received)).toBe(names);
  });
});

test.each(['frozen', 'real'])('callbacks are sent one at a time and in order: on a %s clock', async (mode) => {
  let underway = 0;
  receiver.handle(async () => {
    underway += 1;
    expect(underway).toBe(1);
    await new Promise<void>((turn) => setImmediate(turn));
    underway -= 1;
    return 204;
  });
  const project = await frozenProject(sandbox, receiver.url());
  const names = [...'ABCDEFGHIJKLMNOPQRST'];
  for (const name of names) await failLater(sandbox, project, name);
  if (mode === 'real') await sandbox.control('PUT', `/projects/${project}/clock`, { mode });
  else await sandbox.advance(project);
  await receiver.waitFor(20);
  expect(toNames(receiver.received)).toBe(names.join(''));
});

test('a date in retry-after is one of the wall clock, also on a frozen clock', async () => {
  const startedMs = Date.now();
  receiver.answer({ status: 503, headers: { 'retry-after': new Date(startedMs + 100_000).toUTCString() } });
  const project = await frozenProject(sandbox, receiver.url());
  await failLater(sandbox, project);
  await sandbox.advance(project);
  const [first, second] = (await onlyCallback(sandbox, project)).attempts.map(({ at }) => Date.parse(at));
  const waited = (Number(second) - Number(first)) / 1000;
  expect(waited).toBeLessThanOrEqual(100);
  // The header has whole seconds.
  expect(waited).toBeGreaterThanOrEqual(Math.max(5, 99 - (Date.now() - startedMs) / 1000));
});
