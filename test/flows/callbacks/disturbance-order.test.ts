/** Callbacks that a scenario gathers, to send them in another order. */
import { describe, expect, test } from 'vitest';
import { useReceiver } from '../../harness/receiver.ts';
import { useSandbox } from '../../harness/sandbox.ts';
import { disturbedProject, failEach, pendingOf, toNames } from './disturbance-steps.ts';
import { callbacksOf, emptySnapshot, failLater, type ShownCallback, waits } from './steps.ts';

const sandbox = useSandbox();
const receiver = useReceiver();

/** In which order five callbacks of one instant arrive. */
async function shuffled(seed: string): Promise<string> {
  const before = receiver.received.length;
  const rule = { then: { callback: { order: 'shuffle' } } };
  const project = await disturbedProject(sandbox, receiver.url(), [rule], seed);
  await failEach(sandbox, project, 'ABCDE');
  expect(await sandbox.advance(project)).toMatchObject({ processed: 5, delivered: 5, pending: 0 });
  return toNames(receiver.received.slice(before));
}

describe('reversed', () => {
  test('callbacks of one time are sent at that time, last first', async () => {
    const project = await disturbedProject(sandbox, receiver.url(), { order: 'reverse' });
    await failEach(sandbox, project, 'ABC');
    expect(await sandbox.advance(project, '200ms')).toMatchObject({ processed: 3, delivered: 3, pending: 0 });
    expect(toNames(receiver.received)).toBe('CBA');
    for (const { dueAt, attempts, body } of await callbacksOf(sandbox, project)) {
      expect([dueAt, attempts[0]?.at]).toEqual([body.timestamp, body.timestamp]);
    }
  });

  test('callbacks of two times form two groups', async () => {
    const project = await disturbedProject(sandbox, receiver.url(), { order: 'reverse' });
    await failEach(sandbox, project, 'AB');
    await sandbox.advance(project, '50ms');
    await failEach(sandbox, project, 'CD');
    await sandbox.advance(project);
    expect(toNames(receiver.received)).toBe('BADC');
  });

  test('a callback at the time when the group ends belongs to the group', async () => {
    const project = await disturbedProject(sandbox, receiver.url(), { order: 'reverse', delay: '1s' });
    await failEach(sandbox, project, 'A');
    await sandbox.advance(project, '1s');
    await failEach(sandbox, project, 'B');
    expect(await sandbox.advance(project, '200ms')).toMatchObject({ processed: 1, delivered: 2, pending: 0 });
    expect(toNames(receiver.received)).toBe('BA');
  });

  test('a later failure by another rule joins the group', async () => {
    const rules = [
      { when: { item: 1 }, then: { fail: 'later', after: '1s' } },
      { then: { callback: { order: 'reverse', delay: '3s' } } },
    ];
    const project = await disturbedProject(sandbox, receiver.url(), rules);
    const jobs = [{ id: 'A' }, { id: 'FAIL-B' }];
    await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs });
    await sandbox.advance(project);
    expect(toNames(receiver.received)).toBe('AB');
    expect((await callbacksOf(sandbox, project)).map(({ body }) => body.data.failed[0]?.id)).toEqual(['FAIL-B', 'A']);
  });

  test('copies follow their callback', async () => {
    const project = await disturbedProject(sandbox, receiver.url(), { order: 'reverse', copies: 2, delay: '1s' });
    await failEach(sandbox, project, 'ABC');
    expect(await sandbox.advance(project, '200ms')).toMatchObject({ delivered: 0, pending: 6 });
    expect(await sandbox.advance(project)).toMatchObject({ delivered: 6, pending: 0 });
    expect(toNames(receiver.received)).toBe('CCBBAA');
  });

  test('two rules form separate groups', async () => {
    const rules = [
      { when: { request: { every: 2 } }, then: { callback: { order: 'reverse', delay: '1s' } } },
      { then: { callback: { order: 'reverse' } } },
    ];
    const project = await disturbedProject(sandbox, receiver.url(), rules);
    await failEach(sandbox, project, 'ABCD');
    await sandbox.advance(project);
    expect(toNames(receiver.received)).toBe('CADB');
  });

  test('a retry does not join a group again', async () => {
    receiver.answer(500);
    const project = await disturbedProject(sandbox, receiver.url(), { order: 'reverse', delay: '1s' });
    await failEach(sandbox, project, 'AB');
    await sandbox.advance(project, '5500ms');
    await failEach(sandbox, project, 'C');
    await sandbox.advance(project);
    expect(toNames(receiver.received)).toBe('BABC');
    const [, retried] = await callbacksOf(sandbox, project);
    expect(waits(retried as ShownCallback)).toEqual([5]);
  });

  test('works on a real clock', async () => {
    const project = await disturbedProject(sandbox, receiver.url(), { order: 'reverse' });
    await failEach(sandbox, project, 'ABCD');
    await sandbox.control('PUT', `/projects/${project}/clock`, { mode: 'real' });
    await receiver.waitFor(4);
    expect(toNames(receiver.received)).toBe('DCBA');
  });
});

describe('shuffled', () => {
  test('another seed gives another order', async () => {
    const orders = new Set<string>();
    for (const seed of ['1', '2', '3', '4', '5', '6']) orders.add(await shuffled(seed));
    expect(orders).not.toContain('ABCDE');
    expect(orders.size).toBeGreaterThan(2);
  });
});

describe('while a group is open', () => {
  const opened = async (): Promise<string> => {
    const project = await disturbedProject(sandbox, receiver.url(), { order: 'shuffle', delay: '10s', copies: 2 });
    await failEach(sandbox, project, 'ABC');
    await sandbox.advance(project, '1s');
    await failEach(sandbox, project, 'D');
    expect(await pendingOf(sandbox, project)).toBe(7);
    return project;
  };

  test('a reset cancels all its callbacks', async () => {
    const project = await opened();
    const { body } = await sandbox.control('POST', `/projects/${project}/reset`);
    expect(body.cancelled).toEqual({ instructions: 1, callbacks: 6 });
    await sandbox.freeze(project);
    expect(await sandbox.advance(project, '1d')).toMatchObject({ processed: 0, delivered: 0, pending: 0 });
    expect(receiver.received).toEqual([]);
  });

  test('a restore cancels it, and the next callback opens a new group', async () => {
    const project = await opened();
    const { body } = await sandbox.control('PUT', `/projects/${project}/snapshot`, emptySnapshot);
    expect(body.cancelled).toEqual({ instructions: 1, callbacks: 6 });
    expect((await callbacksOf(sandbox, project)).map(({ state }) => state)).toEqual(['dropped', 'dropped', 'dropped']);
    await failLater(sandbox, project, 'E');
    expect(await sandbox.advance(project, '10199ms')).toMatchObject({ delivered: 0, pending: 2 });
    expect(await sandbox.advance(project, '1ms')).toMatchObject({ delivered: 2, pending: 0 });
    expect(toNames(receiver.received)).toBe('EE');
  });

  test('a redelivered callback leaves it; its copies stay', async () => {
    const project = await disturbedProject(sandbox, receiver.url(), { order: 'reverse', delay: '10s' });
    await failEach(sandbox, project, 'ABC');
    await sandbox.advance(project, '1s');
    const [, second] = await callbacksOf(sandbox, project);
    await sandbox.control('POST', `/projects/${project}/callbacks/${second?.id}/redeliver`);
    expect(await sandbox.advance(project)).toMatchObject({ delivered: 2, pending: 0 });
    expect(toNames(receiver.received)).toBe('BCA');
  });
});
