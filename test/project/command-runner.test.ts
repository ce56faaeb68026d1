/** The way of a deferred command: the callback that it raises, its attempts, copies and redeliveries. */
import { describe, expect, test } from 'vitest';
import { createCallback } from '../../src/callbacks/callback.ts';
import { createCallbackFormat } from '../../src/callbacks/format.ts';
import type { DeliveryResult } from '../../src/callbacks/send.ts';
import { defaultSecret } from '../../src/callbacks/signature.ts';
import { createResponseRedaction } from '../../src/http/redact-response.ts';
import { shippedProfile } from '../../src/openapi/profile/profile.ts';
import { createActionContext } from '../../src/project/action-context.ts';
import { createChangeRecorder, openUsage } from '../../src/project/change-recorder.ts';
import { createCommandRunner } from '../../src/project/command-runner.ts';
import type { DeferredCommand } from '../../src/project/commands/deferred-command.ts';
import { createProjectState, type DueWork } from '../../src/project/state.ts';
import type { CallbackRule } from '../../src/scenarios/effects/effect.ts';
import { toFailures } from '../harness/failures.ts';
import { createTestWall } from '../harness/wall.ts';

/** Creates a runner with one callback, and a receiver that responds when the test calls `answer`. */
function createSubject({ disabled = false, copies = 1, secret = defaultSecret } = {}) {
  const callback = createCallback(toFailures({ disturbance: { delayMs: 0, copies } }));
  const answers: ((outcome: DeliveryResult) => void)[] = [];
  const added: (readonly [number, DueWork])[] = [];
  const wall = createTestWall();
  const endpoint = { url: 'http://receiver.test/', secret, disabled };
  const state = createProjectState({ wall, clock: { mode: 'frozen', nowMs: 5000 }, endpoint: undefined });
  state.endpoint = endpoint;
  state.callbacks.set(callback.id, callback);
  const usage = openUsage(undefined, state, undefined, false);
  const getState = () => state;
  const options = { seed: 'test', rules: shippedProfile, strict: false } as const;
  const runner = createCommandRunner({
    ...options,
    projectId: 'p',
    state: getState,
    wall,
    changes: createChangeRecorder({
      state: getState,
      usage,
      tracker: undefined,
      callbackChanged: () => undefined,
      perEntry: false,
    }),
    events: { warn: () => undefined, serverCounts: () => new Map() },
    schedule: {
      now: () => 5000,
      add: (dueAt, what) => added.push([dueAt, what]),
      rearm: () => undefined,
    },
    actionContext: createActionContext('p', options, getState),
    sender: { send: () => new Promise((answer) => answers.push(answer)) },
    retriesMs: [1000],
    concurrency: 1,
    redactResponse: createResponseRedaction(() => false),
    format: createCallbackFormat(shippedProfile.callbacks),
  });
  /** Responds to one of the requests without a response, by its position. */
  const answer = async (outcome: DeliveryResult, place = 0): Promise<void> => {
    await expect.poll(() => answers.length).toBeGreaterThan(place);
    answers.splice(place, 1)[0]?.(outcome);
  };
  const isDelivered = async (what: DueWork): Promise<boolean> => (await runner.run(what, 5000)).delivered === 1;
  return {
    runner,
    state,
    callback,
    endpoint,
    added,
    answer,
    /** Number of requests without a response. */
    countSent: () => answers.length,
    planned: () => added.map(([dueAt]) => dueAt),
    attempt: (callbackId = callback.id) => isDelivered({ kind: 'attempt', callbackId }),
    copy: (callbackId = callback.id) => isDelivered({ kind: 'attempt', callbackId, isCopy: true }),
  };
}

describe('a command that is due', () => {
  function runFailing({ runner }: ReturnType<typeof createSubject>, names: readonly string[], rule?: CallbackRule) {
    for (const id of names) {
      const instruction: DeferredCommand = {
        requestId: `req_${id}`,
        operation: 'asyncImportJobs',
        task: { entries: [] },
        failures: [{ order: 1, id, reason: 'no' }],
        callbackRules: rule ? [rule] : [],
      };
      expect(runner.run({ kind: 'instruction', instruction }, 1000)).toEqual({ processed: 1, delivered: 0 });
    }
  }

  const toRule = (disturbance: Partial<CallbackRule['disturbance']>): CallbackRule => ({
    ...{ key: 'rule', hashed: [], countsCallbacks: false, turn: { since: 0 } },
    disturbance: { delayMs: 0, ...disturbance },
  });

  /** Returns the entry that a callback reports. */
  const entryOf = ({ state }: ReturnType<typeof createSubject>, what: DueWork): string => {
    const callback = what.kind === 'attempt' ? state.callbacks.get(what.callbackId) : undefined;
    const suffix = what.kind === 'attempt' && what.isCopy ? ' copy' : '';
    return callback ? `${callback.body.data.failed[0]?.id}${suffix}` : what.kind;
  };

  test('raises a callback that is due immediately, later, or with copies; a dropped one is never due', () => {
    const subject = createSubject();
    runFailing(subject, ['A']);
    runFailing(subject, ['B'], toRule({ delayMs: 500, copies: 3 }));
    runFailing(subject, ['C'], toRule({ drop: true }));
    const due = subject.added.map(([dueAt, what]) => [dueAt, entryOf(subject, what)]);
    expect(due).toEqual([
      [1000, 'A'],
      [1500, 'B'],
      [1500, 'B copy'],
      [1500, 'B copy'],
    ]);
  });

  test('raises a callback that waits for its group, which is released in the order of the rule', () => {
    const subject = createSubject();
    runFailing(subject, ['A', 'B', 'C'], toRule({ delayMs: 500, order: 'reverse' }));
    expect(subject.added).toEqual([[1500, { kind: 'release', group: 'rule' }]]);
    void subject.runner.run({ kind: 'release', group: 'rule' }, 1600);
    expect(subject.added.slice(1).map(([dueAt, what]) => [dueAt, entryOf(subject, what)])).toEqual([
      [1600, 'C'],
      [1600, 'B'],
      [1600, 'A'],
    ]);
  });

  test('raises no callback without a failure', () => {
    const subject = createSubject();
    const entry = { item: 1, id: 'A', value: { id: 'A' } };
    const instruction: DeferredCommand = {
      requestId: 'req_1',
      operation: 'asyncImportJobs',
      task: { entries: [entry] },
      failures: [],
      callbackRules: [],
    };
    void subject.runner.run({ kind: 'instruction', instruction }, 1000);
    expect([...subject.state.records.jobs.keys()]).toEqual(['A']);
    expect(subject.added).toEqual([]);
  });
});

test('is settled only when no attempt is in progress', async () => {
  const { runner, callback, answer, attempt } = createSubject();
  await runner.settled();
  const attempting = attempt();
  let isSettled = false;
  const settled = runner.settled().then(() => {
    isSettled = true;
  });
  await Promise.resolve();
  expect(isSettled).toBe(false);
  await answer({ status: 204 });
  expect(await attempting).toBe(true);
  await settled;
  expect(callback.state).toBe('delivered');
});

test('a failed attempt is scheduled again, after its own start', async () => {
  const { callback, planned, answer, attempt } = createSubject();
  const attempting = attempt();
  await answer({ status: 503 });
  expect(await attempting).toBe(false);
  expect(planned()).toEqual([6000]);
  const again = attempt();
  await answer({ error: 'connection refused' });
  expect(await again).toBe(false);
  expect(callback).toMatchObject({ state: 'failed', attempts: [{ status: 503 }, { error: 'connection refused' }] });
  expect(await attempt()).toBe(false);
  expect(callback.attempts).toHaveLength(2);
});

test('after a 410, no copy is sent or stored in the inbox', async () => {
  const { callback, endpoint, answer, attempt, copy } = createSubject({ copies: 3 });
  const attempting = attempt();
  await answer({ status: 410 });
  expect(await attempting).toBe(false);
  expect(endpoint.disabled).toBe(true);
  expect(await copy()).toBe(false);
  expect(callback).toMatchObject({ state: 'failed', tries: 1, copiesLeft: 1 });
  expect(callback.attempts).toHaveLength(1);
});

test('without an enabled endpoint, due callbacks and copies are stored in the inbox', async () => {
  const { callback, attempt, copy } = createSubject({ disabled: true, copies: 2 });
  expect(await attempt()).toBe(true);
  expect(await copy()).toBe(true);
  expect(await copy()).toBe(false);
  expect(callback).toMatchObject({
    state: 'inbox',
    copiesLeft: 0,
    attempts: [{ cause: 'schedule' }, { cause: 'copy' }],
  });
});

test('sends no unknown callback, and records nothing after its disposal', async () => {
  const { runner, callback, answer, attempt, copy } = createSubject({ copies: 2 });
  expect(await attempt('msg_other')).toBe(false);
  expect(await copy('msg_other')).toBe(false);
  const attempting = attempt();
  const redelivery = runner.redeliver(callback);
  await answer({ status: 204 });
  runner.dispose();
  await answer({ status: 204 });
  expect(await attempting).toBe(false);
  expect(await redelivery).toMatchObject({ cause: 'redelivery', status: 204 });
  expect(await attempt()).toBe(false);
  expect(await copy()).toBe(false);
  expect(callback).toMatchObject({ state: 'scheduled', attempts: [], copiesLeft: 1 });
});

test.each([
  ['was delivered by hand is not tried again', { status: 204 }, { status: 503 }, 'delivered'],
  ['was ended by hand is not tried again', { status: 410 }, { status: 503 }, 'failed'],
  ['was ended by hand is delivered all the same', { status: 410 }, { status: 204 }, 'delivered'],
])('a callback that, during an attempt, %s', async (_, byHand, bySchedule, state) => {
  const { runner, callback, planned, answer, attempt, countSent } = createSubject();
  const attempting = attempt();
  await expect.poll(countSent).toBe(1);
  const redelivery = runner.redeliver(callback);
  await answer(byHand, 1);
  await redelivery;
  await answer(bySchedule);
  expect(await attempting).toBe(bySchedule.status === 204);
  expect(callback).toMatchObject({ state, tries: 1, attempts: [{ cause: 'redelivery' }, { cause: 'schedule' }] });
  expect(planned()).toEqual([]);
});

describe('an exception during an attempt fails that attempt', () => {
  test('it is scheduled again, and the next callbacks are sent', async () => {
    const { callback, endpoint, planned, answer, attempt } = createSubject({ secret: '' });
    expect(await attempt()).toBe(false);
    expect(callback).toMatchObject({ state: 'scheduled', tries: 1, attempts: [{ error: expect.any(String) }] });
    expect(planned()).toEqual([6000]);
    endpoint.secret = defaultSecret;
    const again = attempt();
    await answer({ status: 204 });
    expect(await again).toBe(true);
    expect(callback.state).toBe('delivered');
  });

  test('a failed copy is used up, and a failed redelivery reports the reason', async () => {
    const { runner, callback, copy } = createSubject({ secret: '', copies: 2 });
    expect(await copy()).toBe(false);
    expect(await runner.redeliver(callback)).toMatchObject({ cause: 'redelivery', error: expect.any(String) });
    expect(callback).toMatchObject({ state: 'scheduled', copiesLeft: 0, tries: 0 });
    await runner.settled();
  });

  test('stores no callback in the inbox without its signature', async () => {
    const { callback, planned, attempt, copy } = createSubject({ secret: '', disabled: true, copies: 2 });
    expect(await attempt()).toBe(false);
    expect(await copy()).toBe(false);
    expect(callback.state).toBe('scheduled');
    expect(planned()).toEqual([6000]);
  });
});

test('a delivered callback is not retried if the body of the response nests too deeply to be searched', async () => {
  const { attempt, answer, callback, planned } = createSubject();
  const body = `{"token":1,"deep":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
  const response = { headers: { 'x-a': 'b' }, body, size: body.length, isWhole: true, durationMs: 1 };
  const delivering = attempt();
  await answer({ status: 200, response });
  expect(await delivering).toBe(true);
  expect([callback.state, planned()]).toEqual(['delivered', []]);
  const stored = { headers: { 'x-a': 'b' }, body: '(omitted: the body is nested too deeply)', durationMs: 1 };
  expect(callback.attempts).toMatchObject([{ status: 200, response: stored }]);
});
