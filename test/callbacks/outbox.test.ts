/** The outbox by itself: what is still to be sent when the receiver has ended its endpoint, and waiting for what is sent. */
import { describe, expect, test } from 'vitest';
import { createCallback } from '../../src/callbacks/callback.ts';
import { createOutbox } from '../../src/callbacks/outbox.ts';
import type { DeliveryResult } from '../../src/callbacks/send.ts';
import { defaultSecret } from '../../src/callbacks/signature.ts';
import { toFailures } from '../harness/failures.ts';
import { createTestWall } from '../harness/wall.ts';

/** An outbox with one callback, and a receiver that answers when the test lets it. */
function createSubject({ disabled = false, copies = 1, secret = defaultSecret } = {}) {
  const callback = createCallback(toFailures({ disturbance: { delayMs: 0, copies } }));
  const answers: ((outcome: DeliveryResult) => void)[] = [];
  const planned: number[] = [];
  const endpoint = { url: 'http://receiver.test/', secret, disabled };
  const outbox = createOutbox({
    callbacks: () => new Map([[callback.id, callback]]),
    endpoint: () => endpoint,
    sender: { send: () => new Promise((answer) => answers.push(answer)) },
    wall: createTestWall(),
    retriesMs: [1000],
    concurrency: 1,
    now: () => 5000,
    plan: (_id, dueAt) => planned.push(dueAt),
    cancelPlanned: () => undefined,
    changed: () => undefined,
  });
  /** Answers what was sent at this place among what is not answered yet. */
  const answer = async (outcome: DeliveryResult, place = 0): Promise<void> => {
    await expect.poll(() => answers.length).toBeGreaterThan(place);
    answers.splice(place, 1)[0]?.(outcome);
  };
  return { outbox, callback, endpoint, planned, answer };
}

test('it is settled when nothing is being sent, and not before', async () => {
  const { outbox, callback, answer } = createSubject();
  await outbox.settled();
  const attempt = outbox.attempt(callback.id);
  let isSettled = false;
  const settled = outbox.settled().then(() => {
    isSettled = true;
  });
  await Promise.resolve();
  expect(isSettled).toBe(false);
  await answer({ status: 204 });
  expect(await attempt).toBe(true);
  await settled;
  expect(callback.state).toBe('delivered');
});

test('what was not taken is planned again, after its own start', async () => {
  const { outbox, callback, planned, answer } = createSubject();
  const attempt = outbox.attempt(callback.id);
  await answer({ status: 503 });
  expect(await attempt).toBe(false);
  expect(planned).toEqual([6000]);
  const again = outbox.attempt(callback.id);
  await answer({ error: 'connection refused' });
  expect(await again).toBe(false);
  expect(callback).toMatchObject({ state: 'failed', attempts: [{ status: 503 }, { error: 'connection refused' }] });
  expect(await outbox.attempt(callback.id)).toBe(false);
  expect(callback.attempts).toHaveLength(2);
});

test('after a receiver has ended its endpoint no copy is sent, nor stored in the inbox', async () => {
  const { outbox, callback, endpoint, answer } = createSubject({ copies: 3 });
  const attempt = outbox.attempt(callback.id);
  await answer({ status: 410 });
  expect(await attempt).toBe(false);
  expect(endpoint.disabled).toBe(true);
  expect(await outbox.copy(callback.id)).toBe(false);
  expect(callback).toMatchObject({ state: 'failed', tries: 1, copiesLeft: 1 });
  expect(callback.attempts).toHaveLength(1);
});

test('without an endpoint that takes any, what is due is stored in the inbox, as are its copies', async () => {
  const { outbox, callback } = createSubject({ disabled: true, copies: 2 });
  expect(await outbox.attempt(callback.id)).toBe(true);
  expect(await outbox.copy(callback.id)).toBe(true);
  expect(await outbox.copy(callback.id)).toBe(false);
  expect(callback).toMatchObject({
    state: 'inbox',
    copiesLeft: 0,
    attempts: [{ cause: 'schedule' }, { cause: 'copy' }],
  });
});

test('what is not known is not sent, and nothing is noted once it is disposed of', async () => {
  const { outbox, callback, answer } = createSubject({ copies: 2 });
  expect(await outbox.attempt('msg_other')).toBe(false);
  expect(await outbox.copy('msg_other')).toBe(false);
  const attempt = outbox.attempt(callback.id);
  const redelivery = outbox.redeliver(callback);
  await answer({ status: 204 });
  outbox.dispose();
  await answer({ status: 204 });
  expect(await attempt).toBe(false);
  expect(await redelivery).toMatchObject({ cause: 'redelivery', status: 204 });
  expect(await outbox.attempt(callback.id)).toBe(false);
  expect(await outbox.copy(callback.id)).toBe(false);
  expect(callback).toMatchObject({ state: 'scheduled', attempts: [], copiesLeft: 1 });
});

test.each([
  ['was delivered by hand is not tried again', { status: 204 }, { status: 503 }, 'delivered'],
  ['was ended by hand is not tried again', { status: 410 }, { status: 503 }, 'failed'],
  ['was ended by hand is delivered all the same', { status: 410 }, { status: 204 }, 'delivered'],
])('a callback that, while an attempt was under way, %s', async (_, byHand, bySchedule, state) => {
  const { outbox, callback, planned, answer } = createSubject();
  const attempt = outbox.attempt(callback.id);
  const redelivery = outbox.redeliver(callback);
  await answer(byHand, 1);
  await redelivery;
  await answer(bySchedule);
  expect(await attempt).toBe(bySchedule.status === 204);
  expect(callback).toMatchObject({ state, tries: 1, attempts: [{ cause: 'redelivery' }, { cause: 'schedule' }] });
  expect(planned).toEqual([]);
});

describe('what throws while an attempt is made fails that attempt', () => {
  test('it is planned again, and the next callbacks are sent', async () => {
    const { outbox, callback, endpoint, planned, answer } = createSubject({ secret: '' });
    expect(await outbox.attempt(callback.id)).toBe(false);
    expect(callback).toMatchObject({ state: 'scheduled', tries: 1, attempts: [{ error: expect.any(String) }] });
    expect(planned).toEqual([6000]);
    endpoint.secret = defaultSecret;
    const again = outbox.attempt(callback.id);
    await answer({ status: 204 });
    expect(await again).toBe(true);
    expect(callback.state).toBe('delivered');
  });

  test('a copy uses up itself alone, and a redelivery says why it failed', async () => {
    const { outbox, callback } = createSubject({ secret: '', copies: 2 });
    expect(await outbox.copy(callback.id)).toBe(false);
    expect(await outbox.redeliver(callback)).toMatchObject({ cause: 'redelivery', error: expect.any(String) });
    expect(callback).toMatchObject({ state: 'scheduled', copiesLeft: 0, tries: 0 });
    await outbox.settled();
  });

  test('nothing is stored in the inbox without its signature', async () => {
    const { outbox, callback, planned } = createSubject({ secret: '', disabled: true, copies: 2 });
    expect(await outbox.attempt(callback.id)).toBe(false);
    expect(await outbox.copy(callback.id)).toBe(false);
    expect(callback.state).toBe('scheduled');
    expect(planned).toEqual([6000]);
  });
});
