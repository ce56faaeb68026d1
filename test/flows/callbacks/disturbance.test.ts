/** Callbacks that a scenario delays, loses or doubles. */
import { describe, expect, test } from 'vitest';
import { writeProfile } from '../../harness/profile.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { disturbedProject, failEach, pendingOf, toNames, useRules } from './disturbance-steps.ts';
import { callbacksOf, emptySnapshot, failLater, frozenProject, onlyCallback, setEndpoint, waits } from './steps.ts';

const sandbox = useSandbox();
const receiver = useReceiver();
const perEntry = useSandbox({ profile: writeProfile({ callbacks: { perEntry: true } }) });

const idsReceived = () => receiver.received.map(({ headers }) => headers['webhook-id']);
const redeliver = (project: string, id: string) =>
  sandbox.control('POST', `/projects/${project}/callbacks/${id}/redeliver`);

describe('delayed', () => {
  test('retries keep their default intervals', async () => {
    receiver.answer(500, 500);
    const project = await disturbedProject(sandbox, receiver.url(), { delay: '10s' });
    await failLater(sandbox, project);
    await sandbox.advance(project);
    expect(waits(await onlyCallback(sandbox, project))).toEqual([5, 30]);
  });
});

describe('lost', () => {
  test('the callback is listed as dropped, is never sent, and nothing is pending', async () => {
    const project = await disturbedProject(sandbox, receiver.url(), { drop: true });
    await failLater(sandbox, project);
    expect(await sandbox.advance(project, '1d')).toMatchObject({ processed: 1, delivered: 0, pending: 0 });
    expect(receiver.received).toEqual([]);
    const { state, attempts, body } = await onlyCallback(sandbox, project);
    expect([state, attempts, body.data.failed[0]?.id]).toEqual(['dropped', [], 'FAIL-1']);
  });

  test('the callback can be redelivered', async () => {
    const project = await disturbedProject(sandbox, receiver.url(), { drop: true });
    await failLater(sandbox, project);
    await sandbox.advance(project);
    const { id } = await onlyCallback(sandbox, project);
    expect((await redeliver(project, id)).body.status).toBe(204);
    expect(await onlyCallback(sandbox, project)).toMatchObject({ state: 'delivered', attempts: [{ status: 204 }] });
    expect(idsReceived()).toEqual([id]);
  });

  test("only callbacks of the rule's time window, independent of the request's time", async () => {
    const rule = { when: { during: { after: '1s', for: '1s' } }, then: { callback: { drop: true } } };
    const project = await disturbedProject(sandbox, receiver.url(), [rule]);
    await sandbox.advance(project, '900ms');
    await failLater(sandbox, project, 'A');
    await sandbox.advance(project, '1s');
    await failLater(sandbox, project, 'B');
    await sandbox.advance(project);
    expect(toNames(receiver.received)).toBe('B');
  });

  test('a rule that also fails entries fires per request, and disturbs the callbacks that name these entries', async () => {
    const then = { fail: 'no such street', after: '2s', callback: { drop: true } };
    const project = await disturbedProject(sandbox, receiver.url(), [{ times: 1, when: { item: 2 }, then }]);
    for (const name of ['A', 'B']) {
      const jobs = [{ id: `FAIL-${name}` }, { id: `${name}-2` }];
      expect((await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs })).status).toBe(202);
    }
    expect(await sandbox.advance(project)).toMatchObject({ pending: 0 });
    const shown = (await callbacksOf(sandbox, project)).map(({ state, body }) => [state, body.data.failed[0]?.id]);
    expect(shown).toEqual([
      ['delivered', 'FAIL-A'],
      ['delivered', 'FAIL-B'],
      ['dropped', 'A-2'],
    ]);
  });
});

describe('with a condition on entries', () => {
  const importJobs = async (project: string, ...ids: string[]) => {
    const jobs = ids.map((id) => ({ id }));
    expect((await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs })).status).toBe(202);
  };
  const shown = async (project: string) =>
    (await callbacksOf(sandbox, project)).map(({ state, body }) => [state, ...body.data.failed.map(({ id }) => id)]);

  test('only callbacks that name such an entry, and only those count', async () => {
    const rule = { times: 1, when: { item: { id: '*-B' } }, then: { callback: { drop: true } } };
    const project = await disturbedProject(sandbox, receiver.url(), [rule]);
    await importJobs(project, 'FAIL-A', 'GOOD-B');
    await importJobs(project, 'FAIL-A', 'FAIL-B');
    await importJobs(project, 'FAIL-B');
    await sandbox.advance(project);
    expect(await shown(project)).toEqual([
      ['delivered', 'FAIL-A'],
      ['dropped', 'FAIL-A', 'FAIL-B'],
      ['delivered', 'FAIL-B'],
    ]);
  });

  test('of the rules that name an entry the first decides, and one that adds none does not fire', async () => {
    const rules = [1, 2, 2].map((item, index) => ({
      name: `rule ${index}`,
      when: { item },
      then: { fail: `no ${item}`, after: `${item}s`, callback: index === 1 ? { copies: 2 } : { drop: true } },
    }));
    const project = await disturbedProject(sandbox, receiver.url(), rules);
    await importJobs(project, 'A', 'B');
    await sandbox.advance(project);
    expect(await shown(project)).toEqual([
      ['dropped', 'A'],
      ['delivered', 'B'],
    ]);
    expect(toNames(receiver.received)).toBe('BB');
    const { body } = await sandbox.control('GET', `/projects/${project}/scenarios`);
    expect(body.rules.slice(0, 3).map(({ acted }: { acted: number }) => acted)).toEqual([1, 1, 0]);
  });

  test('a later rule without it disturbs the callbacks about the other entries', async () => {
    const rules = [
      { when: { item: 1 }, then: { latency: '0s', callback: { drop: true } } },
      { then: { latency: '0s', callback: { copies: 2 } } },
    ];
    const project = await disturbedProject(sandbox, receiver.url(), rules);
    await importJobs(project, 'FAIL-A', 'B');
    await importJobs(project, 'C', 'FAIL-A');
    await sandbox.advance(project);
    const states = (await callbacksOf(sandbox, project)).map(({ state, attempts }) => [state, attempts.length]);
    expect(states).toEqual([
      ['dropped', 0],
      ['delivered', 2],
    ]);
  });

  test('where each entry has a callback, that of each other entry is as it was', async () => {
    const project = freshProject();
    await perEntry.freeze(project);
    const rules = [{ when: { item: 2 }, then: { callback: { drop: true } } }];
    await useRules(perEntry, project, rules);
    const jobs = ['FAIL-A', 'FAIL-B', 'FAIL-C'].map((id) => ({ id }));
    await perEntry.api('POST', `/async/projects/${project}/jobs`, { jobs });
    await perEntry.advance(project);
    const states = (await callbacksOf(perEntry, project)).map(({ state }) => state);
    expect(states).toEqual(['inbox', 'dropped', 'inbox']);
  });
});

describe('doubled', () => {
  test('sends all copies at one time with one id and one body, each as an attempt of the callback', async () => {
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

  test('applies to the inbox too', async () => {
    const project = await disturbedProject(sandbox, undefined, { copies: 2 });
    await failLater(sandbox, project);
    expect(await sandbox.advance(project)).toMatchObject({ delivered: 2, pending: 0 });
    const { state, attempts } = await onlyCallback(sandbox, project);
    expect([state, attempts.length]).toEqual(['inbox', 2]);
    expect(attempts[0]?.sent).toBe(attempts[1]?.sent);
  });

  test('copies follow each of several callbacks', async () => {
    const project = await disturbedProject(sandbox, receiver.url(), { copies: 2, delay: '1s' });
    await failEach(sandbox, project, 'AB');
    await sandbox.advance(project, '500ms');
    expect(await pendingOf(sandbox, project)).toBe(4);
    await sandbox.advance(project);
    expect(toNames(receiver.received)).toBe('AABB');
  });

  test('a rejected copy changes nothing and is not retried', async () => {
    receiver.answer(204, 500, 503);
    const project = await disturbedProject(sandbox, receiver.url(), { copies: 3 });
    await failLater(sandbox, project);
    expect(await sandbox.advance(project)).toMatchObject({ delivered: 1, pending: 0 });
    const { state, attempts } = await onlyCallback(sandbox, project);
    expect([state, attempts.map(({ status }) => status)]).toEqual(['delivered', [204, 500, 503]]);
  });

  test('a delivered copy cancels the pending retry', async () => {
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

  test('if all fail, only the first is retried, by the default schedule and without copies', async () => {
    receiver.handle(() => 500);
    const project = await disturbedProject(sandbox, receiver.url(), { copies: 3 });
    await failLater(sandbox, project);
    expect(await sandbox.advance(project)).toMatchObject({ delivered: 0, pending: 0 });
    const callback = await onlyCallback(sandbox, project);
    expect(callback.state).toBe('failed');
    expect(waits(callback)).toEqual([0, 0, 5, 30, 120, 600]);
  });

  test('a 410 stops further copies', async () => {
    receiver.answer(410);
    const project = await disturbedProject(sandbox, receiver.url(), { copies: 3 });
    await failLater(sandbox, project);
    expect(await sandbox.advance(project)).toMatchObject({ delivered: 0, pending: 0 });
    expect(await onlyCallback(sandbox, project)).toMatchObject({ state: 'failed', attempts: [{ status: 410 }] });
    expect(receiver.received).toHaveLength(1);
  });

  test("a copy that gets a 410 stops the callback's retries and disables the endpoint", async () => {
    receiver.answer(500, 410);
    const project = await disturbedProject(sandbox, receiver.url(), { copies: 2 });
    await failLater(sandbox, project);
    expect(await sandbox.advance(project)).toMatchObject({ delivered: 0, pending: 0 });
    expect((await onlyCallback(sandbox, project)).state).toBe('failed');
    const endpoint = await sandbox.control('GET', `/projects/${project}/callback-endpoint`);
    expect(endpoint.body.disabled).toBe(true);
  });

  test('while one is being sent, it and the copies behind it are pending', async () => {
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

  test('works on a real clock', async () => {
    const project = await disturbedProject(sandbox, receiver.url(), { copies: 3 });
    await failLater(sandbox, project);
    await sandbox.control('PUT', `/projects/${project}/clock`, { mode: 'real' });
    await receiver.waitFor(3);
    await failLater(sandbox, project, '2');
    await receiver.waitFor(6);
    expect(toNames(receiver.received)).toBe('111222');
  });

  test('a redelivery before the due time does not cancel the copies', async () => {
    const project = await disturbedProject(sandbox, receiver.url(), { copies: 2, delay: '5s' });
    await failLater(sandbox, project);
    await sandbox.advance(project, '1s');
    const { id } = await onlyCallback(sandbox, project);
    await redeliver(project, id);
    expect(await pendingOf(sandbox, project)).toBe(1);
    expect(await sandbox.advance(project)).toMatchObject({ delivered: 1, pending: 0 });
    expect(idsReceived()).toEqual([id, id]);
  });

  test('a restore during a copy records that attempt, and a delivered callback stays delivered', async () => {
    const project = await disturbedProject(sandbox, receiver.url(), { copies: 3 });
    receiver.handle(async () => {
      if (receiver.received.length === 1) return 204;
      await sandbox.control('PUT', `/projects/${project}/snapshot`, emptySnapshot);
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

  test('a copy in the inbox cancels the pending retry too', async () => {
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

  test('a restore during the first attempt cancels the copies behind it, whatever its result', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((go) => {
      release = go;
    });
    receiver.handle(() => held.then(() => 204));
    const project = await disturbedProject(sandbox, receiver.url(), { copies: 3 });
    await failLater(sandbox, project);
    await sandbox.control('PUT', `/projects/${project}/clock`, { mode: 'real' });
    await receiver.waitFor(1);
    const restored = await sandbox.control('PUT', `/projects/${project}/snapshot`, emptySnapshot);
    expect(restored.body.cancelled).toEqual({ instructions: 0, callbacks: 3 });
    await sandbox.freeze(project);
    release();
    expect(await sandbox.advance(project, '1d')).toMatchObject({ delivered: 0, pending: 0 });
    expect((await onlyCallback(sandbox, project)).attempts).toHaveLength(1);
    expect(receiver.received).toHaveLength(1);
  });
});

test('a later change of rules does not affect the callback of an accepted request', async () => {
  const project = await frozenProject(sandbox);
  await setEndpoint(sandbox, project, { url: receiver.url() });
  await useRules(sandbox, project, [{ then: { callback: { copies: 2 } } }]);
  await failLater(sandbox, project, 'A');
  await useRules(sandbox, project, [{ when: { operation: 'syncCreateJob' }, then: { callback: { drop: true } } }]);
  await failLater(sandbox, project, 'B');
  await sandbox.advance(project);
  expect(toNames(receiver.received)).toBe('AAB');
});
