/** A callback that is not taken is tried again, on the project's clock: 5 s, 30 s, 2 min, 10 min later. */
import { describe, expect, test } from 'vitest';
import { useReceiver } from '../../harness/receiver.ts';
import { useSandbox } from '../../harness/sandbox.ts';
import { callbacksOf, failLater, frozenProject, onlyCallback, setEndpoint, waits } from './steps.ts';

const sandbox = useSandbox();
const receiver = useReceiver();

const day = 24 * 3600;
const httpDate = (ms: number) => new Date(ms).toUTCString();

test('a callback fails after five attempts', async () => {
  receiver.handle(() => 500);
  const project = await frozenProject(sandbox, receiver.url());
  await failLater(sandbox, project);
  expect(await sandbox.advance(project)).toMatchObject({ processed: 1, delivered: 0, pending: 0 });
  const callback = await onlyCallback(sandbox, project);
  expect(waits(callback)).toEqual([5, 30, 120, 600]);
  expect(callback.state).toBe('failed');
  expect(callback.attempts.map(({ status }) => status)).toEqual([500, 500, 500, 500, 500]);
  expect(receiver.received).toHaveLength(5);
  await sandbox.advance(project, '1d');
  expect(receiver.received).toHaveLength(5);
});

test('between two attempts, a callback is scheduled and shows when the next one is due', async () => {
  receiver.handle(() => 500);
  const project = await frozenProject(sandbox, receiver.url());
  await failLater(sandbox, project);
  expect(await sandbox.advance(project, '200ms')).toMatchObject({ processed: 1, delivered: 0, pending: 1 });
  const { state, dueAt, attempts } = await onlyCallback(sandbox, project);
  expect([state, attempts.length]).toEqual(['scheduled', 1]);
  expect(Date.parse(dueAt) - Date.parse(attempts[0]?.at ?? '')).toBe(5000);
  await sandbox.advance(project, '4999ms');
  expect(receiver.received).toHaveLength(1);
  receiver.answer(200);
  expect(await sandbox.advance(project, '1ms')).toMatchObject({ delivered: 1, pending: 0 });
  expect((await onlyCallback(sandbox, project)).state).toBe('delivered');
});

test.each([
  ['a redirect, which is not followed', { status: 302, headers: { location: '/elsewhere' } }],
  ['a permanent redirect', { status: 308, headers: { location: '/elsewhere' } }],
  ['not modified', 304],
  ['a refusal', 400],
  ['too many', 429],
])('%s is not a success', async (_, answer) => {
  receiver.answer(answer);
  const project = await frozenProject(sandbox, `${receiver.url()}/here`);
  await failLater(sandbox, project);
  await sandbox.advance(project);
  expect(waits(await onlyCallback(sandbox, project))).toEqual([5]);
  expect(receiver.received.map(({ path }) => path)).toEqual(['/here', '/here']);
});

test('an attempt reports that the connection was refused', async () => {
  const project = await frozenProject(sandbox, 'http://127.0.0.1:9/nobody');
  await failLater(sandbox, project);
  await sandbox.advance(project, '1s');
  const { attempts } = await onlyCallback(sandbox, project);
  expect(attempts).toMatchObject([{ error: 'connection refused' }]);
  expect(attempts[0]).not.toHaveProperty('status');
});

describe('retry-after', () => {
  async function waitsAfter(value: string): Promise<number[]> {
    receiver.answer({ status: 503, headers: { 'retry-after': value } });
    const project = await frozenProject(sandbox, receiver.url());
    await failLater(sandbox, project);
    await sandbox.advance(project, '2d');
    return waits(await onlyCallback(sandbox, project));
  }

  test.each([
    ['later', '77', 77],
    ['sooner', '1', 5],
    ['more than a day away', '999999', day],
    ['no number', 'soon', 5],
  ])('in seconds, %s', async (_, value, wanted) => {
    expect(await waitsAfter(value)).toEqual([wanted]);
  });

  test('as a date, by the wall clock', async () => {
    const startedMs = Date.now();
    const [waited = 0] = await waitsAfter(httpDate(startedMs + 100_000));
    expect(waited).toBeLessThanOrEqual(100);
    const passed = (Date.now() - startedMs) / 1000;
    // The header has whole seconds.
    expect(waited).toBeGreaterThanOrEqual(Math.max(5, 99 - passed));
  });

  test.each([
    ['past', -100_000, 5],
    ['more than a day away', 3 * day * 1000, day],
  ])('as a date that is %s', async (_, aheadMs, wanted) => {
    expect(await waitsAfter(httpDate(Date.now() + aheadMs))).toEqual([wanted]);
  });

  test('postpones the later attempts too', async () => {
    receiver.answer(500, { status: 500, headers: { 'retry-after': '60' } }, 500);
    const project = await frozenProject(sandbox, receiver.url());
    await failLater(sandbox, project);
    await sandbox.advance(project);
    expect(waits(await onlyCallback(sandbox, project))).toEqual([5, 60, 120]);
  });
});

test('a 410 stops the retries and disables the endpoint; later callbacks go to the inbox until it is set again', async () => {
  receiver.answer(500, 410);
  const project = await frozenProject(sandbox, receiver.url());
  await failLater(sandbox, project, 'A');
  await sandbox.advance(project);
  expect(await onlyCallback(sandbox, project)).toMatchObject({ state: 'failed', attempts: [{}, { status: 410 }] });
  const endpoint = await sandbox.control('GET', `/projects/${project}/callback-endpoint`);
  expect(endpoint.body).toEqual({ url: receiver.url(), disabled: true });

  await failLater(sandbox, project, 'B');
  await sandbox.advance(project);
  await setEndpoint(sandbox, project, { url: receiver.url() });
  await failLater(sandbox, project, 'C');
  await sandbox.advance(project);
  expect((await callbacksOf(sandbox, project)).map(({ state }) => state)).toEqual(['failed', 'inbox', 'delivered']);
  expect(receiver.received).toHaveLength(3);
});

test('after a 410, retries of other callbacks go to the inbox too', async () => {
  receiver.answer(500, 410);
  const project = await frozenProject(sandbox, receiver.url());
  await failLater(sandbox, project, 'A');
  await failLater(sandbox, project, 'B');
  await sandbox.advance(project);
  expect((await callbacksOf(sandbox, project)).map(({ state }) => state)).toEqual(['inbox', 'failed']);
});

test.each(['frozen', 'real'])(
  'callbacks are sent one at a time and in order, also while a retry is pending: on a %s clock',
  async (mode) => {
    let underway = 0;
    receiver.handle(async ({ body }) => {
      underway += 1;
      expect(underway).toBe(1);
      await new Promise<void>((turn) => setImmediate(turn));
      underway -= 1;
      return mode === 'frozen' && body.includes('FAIL-1"') && receiver.received.length === 1 ? 500 : 204;
    });
    const project = await frozenProject(sandbox, receiver.url());
    const names = Array.from({ length: 20 }, (_, index) => `${index + 1}`);
    for (const name of names) await failLater(sandbox, project, name);
    if (mode === 'real') await sandbox.control('PUT', `/projects/${project}/clock`, { mode });
    else await sandbox.advance(project, '3s');
    await receiver.waitFor(20);
    const order = receiver.received.map(({ body }) => JSON.parse(body).data.failed[0].id);
    expect(order).toEqual(names.map((name) => `FAIL-${name}`));
    if (mode === 'real') return;
    await sandbox.advance(project);
    expect(receiver.received.at(-1)?.body).toContain('FAIL-1"');
  },
);
