/** `toCallbackAt`: a callback as it was at a time, from the attempts made until then and since. */
import { expect, test } from 'vitest';
import type { Attempt, Callback } from '../../../src/callbacks/callback.ts';
import { toCallbackAt } from '../../../src/project/fork/callback-at.ts';

const at = (second: number): string => `2026-03-02T09:00:0${second}.000Z`;

function attempt(second: number, cause: Attempt['cause'], result: { status?: number; error?: string } = {}): Attempt {
  return { at: at(second), cause, headers: {}, sent: '{}', ...result };
}

/** A callback that was due at second 1. */
function callback(state: Callback['state'], attempts: readonly Attempt[], changes: Partial<Callback> = {}): Callback {
  const data = { projectId: 'p', operation: 'asyncImportJobs', requestId: 'req_1', failed: [] };
  return {
    ...{ id: 'msg_1', change: 2, type: 'jobs.import.failed', state, requestId: 'req_1', operation: 'asyncImportJobs' },
    body: { type: 'jobs.import.failed', timestamp: at(1), data },
    ...{ dueAt: at(1), attempts: [...attempts], tries: 0, copiesLeft: 0 },
    ...changes,
  };
}

const failed = attempt(1, 'schedule', { status: 500 });
const retried = attempt(5, 'schedule', { status: 204 });
const copied = attempt(6, 'copy', { status: 204 });

/** States at second 3. */
const cases: readonly { what: string; now: Callback; then: Partial<Callback>; wasCancelled?: boolean }[] = [
  {
    what: 'was delivered',
    now: callback('delivered', [attempt(1, 'schedule', { status: 204 })]),
    then: { state: 'delivered', tries: 1 },
  },
  {
    what: 'was retried later',
    now: callback('delivered', [failed, retried]),
    then: { state: 'scheduled', dueAt: at(5), tries: 1 },
  },
  {
    what: 'is still to be retried',
    now: callback('scheduled', [failed], { dueAt: at(8) }),
    then: { state: 'scheduled', dueAt: at(8) },
  },
  { what: 'was being sent', now: callback('scheduled', []), then: { state: 'scheduled', dueAt: at(1), tries: 0 } },
  { what: 'was cancelled later', now: callback('dropped', [failed]), then: { state: 'scheduled', tries: 1 } },
  {
    what: 'was cancelled by then',
    now: callback('dropped', [failed]),
    then: { state: 'dropped', tries: 1 },
    wasCancelled: true,
  },
  {
    what: 'was copied later',
    now: callback('delivered', [failed, retried, copied], { disturbance: { delayMs: 0, copies: 3 } }),
    then: { copiesLeft: 2 },
  },
  {
    what: 'was redelivered from the inbox later',
    now: callback('delivered', [attempt(1, 'schedule'), attempt(5, 'redelivery', { status: 200 })]),
    then: { state: 'inbox' },
  },
  {
    what: 'was redelivered after its failure',
    now: callback('delivered', [failed, attempt(5, 'redelivery', { status: 200 })]),
    then: { state: 'failed' },
  },
  {
    what: 'was redelivered by then',
    now: callback('delivered', [
      failed,
      attempt(2, 'redelivery', { status: 200 }),
      attempt(7, 'redelivery', { error: 'refused' }),
    ]),
    then: { state: 'delivered' },
  },
];

test.each(cases)('a callback that $what', ({ now, then, wasCancelled = false }) => {
  const replayed = callback('inbox', []);
  const attempts = now.attempts.filter((one) => one.at <= at(3));
  expect(toCallbackAt(replayed, now, at(3), wasCancelled)).toMatchObject({ ...then, attempts });
});

test.each(['scheduled', 'dropped'] as const)('a callback that was not due, and %s in the replay', (state) => {
  const replayed = callback(state, [], { dueAt: at(4) });
  expect(toCallbackAt(replayed, callback('delivered', [retried]), at(3), false)).toEqual(replayed);
});
