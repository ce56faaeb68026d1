/** Callbacks that a scenario delays, loses or doubles. */
import { describe, expect, test } from 'vitest';
import { useReceiver } from '../../harness/receiver.ts';
import { useSandbox } from '../../harness/sandbox.ts';
import { disturbedProject, failEach, pendingOf, toNames, useRules } from './disturbance-steps.ts';
import { callbacksOf, failLater, frozenProject, onlyCallback, setEndpoint, waits } from './steps.ts';

const sandbox = useSandbox();
const receiver = useReceiver();

const idsReceived = () => receiver.received.map(({ headers }) => headers['webhook-id']);
const redeliver = (project: string, id: string) =>
  sandbox.control('POST', `/projects/${project}/callbacks/${id}/redeliver`);

describe('delayed', () => {
  test('it is sent so much later, and tells of the instant of the failure', async () => {
    const project = await disturbedProject(sandbox, receiver.url(), { delay: '10s' });
    await failLater(sandbox, project);
    expect(await sandbox.advance(project, '10199ms')).toMatchObject({ processed: 1, delivered: 0, pending: 1 });
    expect(await sandbox.advance(project, '1ms')).toMatchObject({ delivered: 1, pending: 0 });
    const { body, attempts } = await onlyCallback(sandbox, project);
    expect(Date.parse(attempts[0]?.at ?? '') - Date.parse(body.timestamp)).toBe(10_000);
  });

  test('its retries come at their usual intervals', async () => {
    receiver.answer(500, 500);
    const project = await disturbedProject(sandbox, receiver.url(), { delay: '10s' });
    await failLater(sandbox, project);
    await sandbox.advance(project);
    expect(waits(await onlyCallback(sandbox, project))).toEqual([5, 30]);
  });
});

describe('lost', () => {
  test('it is listed as dropped, never sent, and nothing is pending', async () => {
    const project = await disturbedProject(sandbox, receiver.url(), { drop: true });
    await failLater(sandbox, project);
    expect(await sandbox.advance(project, '1d')).toMatchObject({ processed: 1, delivered: 0, pending: 0 });
    expect(receiver.received).toEqual([]);
    const { state, attempts, body } = await onlyCallback(sandbox, project);
    expect([state, attempts, body.data.failed[0]?.id]).toEqual(['dropped', [], 'FAIL-1']);
  });

  test('it can be sent by hand', async () => {
    const project = await disturbedProject(sandbox, receiver.url(), { drop: true });
    await failLater(sandbox, project);
    await sandbox.advance(project);
    const { id } = await onlyCallback(sandbox, project);
    expect((await redeliver(project, id)).body.status).toBe(204);
    expect(await onlyCallback(sandbox, project)).toMatchObject({ state: 'delivered', attempts: [{ status: 204 }] });
    expect(idsReceived()).toEqual([id]);
  });

  test('the first only, where its rule acts once: imports without failures do not use it up', async () => {
    const project = await disturbedProject(sandbox, receiver.url(), [{ times: 1, then: { callback: { drop: true } } }]);
    await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'fine' }] });
    await failEach(sandbox, project, 'ABC');
    await sandbox.advance(project);
    expect(toNames(receiver.received)).toBe('BC');
    expect((await callbacksOf(sandbox, project)).map(({ state }) => state)).toEqual([
      'dropped',
      'delivered',
      'delivered',
    ]);
  });

  test('the second only, where its rule says so', async () => {
    const rule = { when: { request: { nth: 2 } }, then: { callback: { drop: true } } };
    const project = await disturbedProject(sandbox, receiver.url(), [rule]);
    await failEach(sandbox, project, 'ABC');
    await sandbox.advance(project);
    expect(toNames(receiver.received)).toBe('AC');
  });

  test('by chance, and always the same ones', async () => {
    const lost = async (): Promise<string> => {
      const before = receiver.received.length;
      const rule = { chance: 0.5, then: { callback: { drop: true } } };
      const project = await disturbedProject(sandbox, receiver.url(), [rule]);
      await failEach(sandbox, project, 'ABCDEFGHIJ');
      await sandbox.advance(project);
      return toNames(receiver.received.slice(before));
    };
    const first = await lost();
    expect(first.length).toBeGreaterThan(0);
    expect(first.length).toBeLessThan(10);
    expect(await lost()).toBe(first);
  });

  test('only while the span lasts in which it is raised, whenever its request came', async () => {
    const rule = { when: { during: { after: '1s', for: '1s' } }, then: { callback: { drop: true } } };
    const project = await disturbedProject(sandbox, receiver.url(), [rule]);
    await sandbox.advance(project, '900ms');
    await failLater(sandbox, project, 'A');
    await sandbox.advance(project, '1s');
    await failLater(sandbox, project, 'B');
    await sandbox.advance(project);
    expect(toNames(receiver.received)).toBe('B');
  });

  test('a rule that also fails entries is claimed by requests: each of its instants is disturbed', async () => {
    const then = { fail: 'no such street', after: '2s', callback: { drop: true } };
    const project = await disturbedProject(sandbox, receiver.url(), [{ times: 1, when: { item: 2 }, then }]);
    for (const name of ['A', 'B']) {
      const jobs = [{ id: `FAIL-${name}` }, { id: `${name}-2` }];
      expect((await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs })).status).toBe(202);
    }
    expect(await sandbox.advance(project)).toMatchObject({ pending: 0 });
    const shown = (await callbacksOf(sandbox, project)).map(({ state, body }) => [state, body.data.failed[0]?.id]);
    expect(shown).toEqual([
      ['dropped', 'FAIL-A'],
      ['delivered', 'FAIL-B'],
      ['dropped', 'A-2'],
    ]);
  });
});

describe('doubled', () => {
  test('it comes so often at one instant, with one id and one body; each is an attempt of the one callback', async () => {
    const project = await disturbedProject(sandbox, receiver.url(), { copies: 3 });
    await failLater(sandbox, project);
    expect(await sandbox.advance(project, '199ms')).toMatchObject({ delivered: 0, pending: 1 });
    expect(await sandbox.advance(project, '1ms')).toMatchObject({ processed: 1, delivered: 3, pending: 0 });
    const { id, state, attempts } = await onlyCallback(sandbox, project);
    expect(idsReceived()).toEqual([id, id, id]);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(state).toBe('delivered');
    expect(attempts.map(({ status }) => status)).toEqual([204, 204, 204]);
    expect(attempts.map(({ cause }) => cause)).toEqual(['schedule', 'copy', 'copy']);
    expect(new Set(attempts.map(({ at }) => at)).size).toBe(1);
  });

  test('in the inbox too', async () => {
    const project = await disturbedProject(sandbox, undefined, { copies: 2 });
    await failLater(sandbox, project);
    expect(await sandbox.advance(project)).toMatchObject({ delivered: 2, pending: 0 });
    const { state, attempts } = await onlyCallback(sandbox, project);
    expect([state, attempts.length]).toEqual(['inbox', 2]);
    expect(attempts[0]?.sent).toBe(attempts[1]?.sent);
  });

  test('several, each followed by its copies', async () => {
    const project = await disturbedProject(sandbox, receiver.url(), { copies: 2, delay: '1s' });
    await failEach(sandbox, project, 'AB');
    await sandbox.advance(project, '500ms');
    expect(await pendingOf(sandbox, project)).toBe(4);
    await sandbox.advance(project);
    expect(toNames(receiver.received)).toBe('AABB');
  });

  test('a copy that is refused changes nothing and is not tried again', async () => {
    receiver.answer(204, 500, 503);
    const project = await disturbedProject(sandbox, receiver.url(), { copies: 3 });
    await failLater(sandbox, project);
    expect(await sandbox.advance(project)).toMatchObject({ delivered: 1, pending: 0 });
    const { state, attempts } = await onlyCallback(sandbox, project);
    expect([state, attempts.map(({ status }) => status)]).toEqual(['delivered', [204, 500, 503]]);
  });

  test('a copy that is taken ends the wait for a retry', async () => {
    receiver.answer(500, 204);
    const project = await disturbedProject(sandbox, receiver.url(), { copies: 2 });
    await failLater(sandbox, project);
    expect(await sandbox.advance(project, '1d')).toMatchObject({ delivered: 1, pending: 0 });
    expect(await onlyCallback(sandbox, project)).toMatchObject({
      state: 'delivered',
      attempts: [{ status: 500 }, { status: 204 }],
    });
    expect(receiver.received).toHaveLength(2);
  });

  test('where none is taken, only the first is tried again, as often as ever; retries are not doubled', async () => {
    receiver.handle(() => 500);
    const project = await disturbedProject(sandbox, receiver.url(), { copies: 3 });
    await failLater(sandbox, project);
    expect(await sandbox.advance(project)).toMatchObject({ delivered: 0, pending: 0 });
    const callback = await onlyCallback(sandbox, project);
    expect(callback.state).toBe('failed');
    expect(waits(callback)).toEqual([0, 0, 5, 30, 120, 600]);
  });

  test('after a 410 no copy is sent', async () => {
    receiver.answer(410);
    const project = await disturbedProject(sandbox, receiver.url(), { copies: 3 });
    await failLater(sandbox, project);
    expect(await sandbox.advance(project)).toMatchObject({ delivered: 0, pending: 0 });
    expect(await onlyCallback(sandbox, project)).toMatchObject({ state: 'failed', attempts: [{ status: 410 }] });
    expect(receiver.received).toHaveLength(1);
  });

  test('a copy that gets a 410 ends the retries of its callback, and disables the endpoint', async () => {
    receiver.answer(500, 410);
    const project = await disturbedProject(sandbox, receiver.url(), { copies: 2 });
    await failLater(sandbox, project);
    expect(await sandbox.advance(project)).toMatchObject({ delivered: 0, pending: 0 });
    expect((await onlyCallback(sandbox, project)).state).toBe('failed');
    const endpoint = await sandbox.control('GET', `/projects/${project}/callback-endpoint`);
    expect(endpoint.body.disabled).toBe(true);
  });

  test('while one is sent, it and those behind it are pending', async () => {
    const seen: number[] = [];
    const project = await disturbedProject(sandbox, receiver.url(), { copies: 3 });
    receiver.handle(async () => {
      seen.push(await pendingOf(sandbox, project));
      return 204;
    });
    await failLater(sandbox, project);
    await sandbox.advance(project);
    expect(seen).toEqual([3, 2, 1]);
    expect(await pendingOf(sandbox, project)).toBe(0);
  });

  test('on a real clock too', async () => {
    const project = await disturbedProject(sandbox, receiver.url(), { copies: 3 });
    await failLater(sandbox, project);
    await sandbox.control('PUT', `/projects/${project}/clock`, { mode: 'real' });
    await receiver.came(3);
    await failLater(sandbox, project, '2');
    await receiver.came(6);
    expect(toNames(receiver.received)).toBe('111222');
  });

  test('of one that is sent by hand before its time, the copies come all the same', async () => {
    const project = await disturbedProject(sandbox, receiver.url(), { copies: 2, delay: '5s' });
    await failLater(sandbox, project);
    await sandbox.advance(project, '1s');
    const { id } = await onlyCallback(sandbox, project);
    await redeliver(project, id);
    expect(await pendingOf(sandbox, project)).toBe(1);
    expect(await sandbox.advance(project)).toMatchObject({ delivered: 1, pending: 0 });
    expect(idsReceived()).toEqual([id, id]);
  });

  test('a reset and a restore cancel the copies still to come, and count them', async () => {
    const project = await disturbedProject(sandbox, receiver.url(), { copies: 4, delay: '5s' });
    await failLater(sandbox, project);
    await sandbox.advance(project, '1s');
    const empty = { version: 1, jobs: [], orders: [], routes: [], users: [], locations: [] };
    const restored = await sandbox.control('PUT', `/projects/${project}/snapshot`, empty);
    expect(restored.body.cancelled).toEqual({ instructions: 0, callbacks: 4 });
    expect(await sandbox.advance(project, '1d')).toMatchObject({ delivered: 0, pending: 0 });
    await failLater(sandbox, project);
    await sandbox.advance(project, '1s');
    const reset = await sandbox.control('POST', `/projects/${project}/reset`);
    expect(reset.body.cancelled).toEqual({ instructions: 0, callbacks: 4 });
    expect(receiver.received).toEqual([]);
  });

  test('a restore while a copy is sent: that one is told as it ends, and what was taken stays delivered', async () => {
    const project = await disturbedProject(sandbox, receiver.url(), { copies: 3 });
    const empty = { version: 1, jobs: [], orders: [], routes: [], users: [], locations: [] };
    receiver.handle(async () => {
      if (receiver.received.length === 1) return 204;
      await sandbox.control('PUT', `/projects/${project}/snapshot`, empty);
      return 500;
    });
    await failLater(sandbox, project);
    expect(await sandbox.advance(project)).toMatchObject({ delivered: 1, pending: 0 });
    const attempts = [{ status: 204 }, { status: 500 }];
    expect(await onlyCallback(sandbox, project)).toMatchObject({ state: 'delivered', attempts });
    await failLater(sandbox, project, '2');
    await sandbox.advance(project, '100ms');
    expect(await pendingOf(sandbox, project)).toBe(1);
  });

  test('a copy that goes to the inbox ends the wait for a retry as well', async () => {
    const project = await disturbedProject(sandbox, receiver.url(), { copies: 2 });
    receiver.handle(async () => {
      await sandbox.control('DELETE', `/projects/${project}/callback-endpoint`);
      return 500;
    });
    await failLater(sandbox, project);
    expect(await sandbox.advance(project)).toMatchObject({ delivered: 1, pending: 0 });
    const { state, attempts } = await onlyCallback(sandbox, project);
    expect([state, attempts.length, attempts[0]?.status, attempts[1]?.status]).toEqual(['inbox', 2, 500, undefined]);
  });

  test('a restore while the first is sent: what waits behind it is not sent, however that ends', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((go) => {
      release = go;
    });
    receiver.handle(() => held.then(() => 204));
    const project = await disturbedProject(sandbox, receiver.url(), { copies: 3 });
    await failLater(sandbox, project);
    await sandbox.control('PUT', `/projects/${project}/clock`, { mode: 'real' });
    await receiver.came(1);
    const empty = { version: 1, jobs: [], orders: [], routes: [], users: [], locations: [] };
    const restored = await sandbox.control('PUT', `/projects/${project}/snapshot`, empty);
    expect(restored.body.cancelled).toEqual({ instructions: 0, callbacks: 3 });
    await sandbox.freeze(project);
    release();
    expect(await sandbox.advance(project, '1d')).toMatchObject({ delivered: 0, pending: 0 });
    expect((await onlyCallback(sandbox, project)).attempts).toHaveLength(1);
    expect(receiver.received).toHaveLength(1);
  });
});

test('of two rules the first that fits decides all that happens to a callback', async () => {
  const rules = [
    { when: { operation: '*Jobs' }, then: { callback: { delay: '1s' } } },
    { then: { callback: { copies: 2 } } },
  ];
  const project = await disturbedProject(sandbox, receiver.url(), rules);
  await failLater(sandbox, project);
  expect(await sandbox.advance(project)).toMatchObject({ delivered: 1 });
});

test('what was decided for an accepted request stays, also where the rules change before its callback', async () => {
  const project = await frozenProject(sandbox);
  await setEndpoint(sandbox, project, { url: receiver.url() });
  await useRules(sandbox, project, [{ then: { callback: { copies: 2 } } }]);
  await failLater(sandbox, project, 'A');
  await useRules(sandbox, project, [{ when: { operation: 'syncCreateJob' }, then: { callback: { drop: true } } }]);
  await failLater(sandbox, project, 'B');
  await sandbox.advance(project);
  expect(toNames(receiver.received)).toBe('AAB');
});
