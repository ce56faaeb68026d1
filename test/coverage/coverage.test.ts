/** Coverage counts of requests and callbacks. */
import { expect, test } from 'vitest';
import { type Attempt, type Callback, createCallback } from '../../src/callbacks/callback.ts';
import { type AnsweredRequest, createCoverage } from '../../src/coverage/coverage.ts';
import { failureKinds, isCallbackKind } from '../../src/scenarios/failure-kinds.ts';
import { toFailures } from '../harness/failures.ts';

const tells = { byCallback: true, listsFailures: true, statuses: [400, 429] };
const create = () => createCoverage(() => failureKinds(tells).filter((kind) => !isCallbackKind(kind)));

const answer = (more: Partial<AnsweredRequest> = {}): AnsweredRequest => ({
  id: 'req_1',
  project: 'p',
  operation: 'asyncImportJobs',
  status: 202,
  fault: undefined,
  ...more,
});

const callback = (more: Partial<Callback> = {}): Callback => ({ ...createCallback(toFailures()), ...more });

const attempt = (status: number): Attempt => ({ at: '', cause: 'schedule', status, headers: {}, sent: '' });

test.each<[string, Partial<AnsweredRequest>, readonly string[]]>([
  ['a success', {}, []],
  ['an error', { status: 400 }, ['status-400']],
  ['a rate limit', { status: 429, observedFailure: { limit: true } }, ['limit']],
  ['a 429 that a rule responds with', { status: 429, observedFailure: { respond: { status: 429 } } }, ['status-429']],
  [
    'a late response with failures',
    { observedFailure: { latency: 5, refuse: true, fail: true } },
    ['refused', 'failed-downstream', 'latency'],
  ],
  [
    'a late broken connection',
    { status: 0, fault: 'hang', observedFailure: { connection: 'hang', processed: true, latency: 5 } },
    ['latency', 'connection-hang-processed'],
  ],
  ['an undeclared status', { status: 418 }, []],
])('counts the failures of %s', (_, entry, kinds) => {
  const coverage = create();
  coverage.request(answer(entry));
  expect([...(coverage.read('p').operations.get('asyncImportJobs')?.met.keys() ?? [])]).toEqual(kinds);
});

test('counts only the statuses of the catalogue', () => {
  const coverage = create();
  for (let status = 400; status < 600; status += 1) coverage.request(answer({ status }));
  const marks = coverage.read().operations.get('asyncImportJobs');
  expect([...(marks?.met.keys() ?? [])]).toEqual([
    'status-400',
    'status-429',
    'status-502',
    'status-503',
    'status-504',
  ]);
  expect(marks).toMatchObject({ calls: 200, succeeded: 0 });
});

test('reading an unknown project creates no counts; a deleted project has none', () => {
  const coverage = create();
  coverage.read('other').operations.set('x', { calls: 1, succeeded: 1, met: new Map() });
  expect(coverage.read('other').operations.size).toBe(0);
  coverage.request(answer());
  coverage.forget('p');
  expect(coverage.read('p').operations.size).toBe(0);
  expect(coverage.read().operations.get('asyncImportJobs')?.calls).toBe(1);
});

test('counts a callback once, at any number of changes', () => {
  const coverage = create();
  const one = callback();
  coverage.callback('p', one);
  coverage.callback('p', one);
  one.attempts.push(attempt(204));
  one.tries = 1;
  one.state = 'delivered';
  coverage.callback('p', one);
  coverage.callback('p', one);
  const { operations, callbacks } = coverage.read('p');
  expect(operations.get('asyncImportJobs')?.met.get('failed-downstream')?.count).toBe(1);
  expect([...(callbacks.get('jobs.import.failed') ?? [])].map(([kind, { count }]) => [kind, count])).toEqual([
    ['delivered', 1],
  ]);
});

test('does not count a cancelled callback as dropped, nor a copy without the original', () => {
  const coverage = create();
  coverage.callback('p', callback({ state: 'dropped' }));
  const doubled = callback({ copiesLeft: 1, disturbance: { delayMs: 0, copies: 2 } });
  coverage.callback('p', doubled);
  doubled.copiesLeft = 0;
  doubled.attempts.push(attempt(204));
  coverage.callback('p', doubled);
  expect(coverage.read('p').callbacks.get('jobs.import.failed')).toBeUndefined();
  doubled.tries = 1;
  doubled.attempts.push(attempt(204));
  coverage.callback('p', doubled);
  expect([...(coverage.read('p').callbacks.get('jobs.import.failed')?.keys() ?? [])]).toEqual(['callback-copies']);
});
