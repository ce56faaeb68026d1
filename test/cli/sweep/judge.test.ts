/** Verdicts: what holds for a run under a failure, in their order, and the sentence about it. */
import { describe, expect, test } from 'vitest';
import type { Differences } from '../../../src/cli/sweep/compare/compare.ts';
import type { Item } from '../../../src/cli/sweep/compare/contents.ts';
import { type JudgedRun, judge } from '../../../src/cli/sweep/judge/judge.ts';
import type { Life } from '../../../src/cli/trial/lives.ts';
import { type FailureCase, toCases } from '../../../src/scenarios/cases.ts';

const cases = toCases(
  'asyncImportJobs',
  { byCallback: true, listsFailures: true, statuses: [400, 408, 429, 500, 503] },
  { requests: 2, callbacks: 2, callbacksOfProject: 2, clockRate: 1 },
  2,
);
const caseOf = (id: string): FailureCase => cases.find((one) => one.id === `asyncImportJobs/${id}`) as FailureCase;

const same: Differences = { missing: [], extra: [], differing: [], missingChanges: [] };
const job = (id: string): Item => ({ collection: 'jobs', id, value: {} });
const location: Item = { collection: 'locations', id: 'VAN-1', value: {} };

interface Given {
  readonly end?: JudgedRun['result']['end'];
  readonly exitCode?: number;
  readonly output?: string;
  readonly lives?: readonly Life[];
  readonly differences?: Partial<Differences>;
  readonly requests?: number;
  readonly fired?: number;
}

function judgeRun(id: string, { differences, requests = 3, fired = 1, ...result }: Given) {
  const run: JudgedRun = {
    case: caseOf(id),
    result: { end: 'exited', exitCode: 0, mistake: undefined, output: '', lives: [], ...result },
    differences: { ...same, ...differences },
    requests,
    fired,
  };
  return judge(run, { operations: new Map([['asyncImportJobs', 2]]), outputs: ['imported 3 jobs in 12 ms\n'] });
}

const missing = { missing: [job('ORD-1'), job('ORD-2')] };
const extra = { extra: [job('ORD-1-AGAIN')] };

test.each<[verdict: string, id: string, given: Given]>([
  ['recovered', 'status-503/1', {}],
  ['recovered', 'status-400/1', {}],
  ['reported', 'status-400/1', { exitCode: 1 }],
  ['reported', 'status-503/always', { exitCode: 1 }],
  ['reported', 'refused/1', { exitCode: 1, differences: missing }],
  ['failed', 'status-503/1', { exitCode: 1 }],
  ['failed', 'status-408/1', { exitCode: 1 }],
  ['failed', 'status-429/1', { exitCode: 2, differences: missing }],
  ['unnoticed', 'status-503/1', { differences: missing }],
  [
    'unnoticed',
    'status-503/1',
    { differences: { differing: [{ collection: 'jobs', id: 'ORD-1', fields: ['status'] }] } },
  ],
  ['unnoticed', 'status-503/1', { differences: { missingChanges: [job('ORD-1')] } }],
  ['duplicated', 'status-504-processed/1', { differences: extra }],
  ['duplicated', 'status-504-processed/1', { differences: { ...missing, ...extra } }],
  ['tolerated', 'status-503/1', { differences: { missingChanges: [location] } }],
  ['logged', 'status-503/1', { differences: missing, output: 'warning: import answered 503\n' }],
  ['logged', 'status-503/1', { differences: missing, output: 'could not import ORD-2\n' }],
  ['logged', 'refused/1', { differences: missing, output: 'The service area of this address is closed\n' }],
  ['unnoticed', 'status-503/1', { differences: missing, output: 'imported 1 jobs in 503 ms\n' }],
  ['unnoticed', 'status-503/1', { differences: missing, output: 'done with ORD-20\n' }],
  ['hung', 'connection-hang/1', { end: 'hung', exitCode: 143, requests: 500 }],
  ['storm', 'status-503/always', { end: 'storm', exitCode: 143, requests: 500 }],
  ['storm', 'status-503/always', { exitCode: 0, requests: 23, differences: extra }],
  ['recovered', 'status-503/always', { exitCode: 0, requests: 21 }],
  ['retrying', 'status-503/always', { end: 'retrying', exitCode: 143, requests: 21 }],
  ['storm', 'status-503/always', { end: 'retrying', exitCode: 143, requests: 22 }],
  ['not-reached', 'status-503/2', { fired: 0 }],
  ['not-reached', 'status-503/2', { fired: 0, exitCode: 1, differences: missing }],
])('%s: %s, %j', (verdict, id, given) => {
  expect(judgeRun(id, given).verdict).toBe(verdict);
});

describe('forged callbacks', () => {
  const lifeWith = (status: number, cause: 'schedule' | 'redelivery'): Life => ({
    project: 'north',
    records: { version: 1, jobs: [], orders: [], routes: [], users: [], locations: [] },
    changes: [],
    callbacks: [
      {
        id: 'msg_1',
        change: 1,
        type: 'jobs.import.failed',
        state: 'delivered',
        requestId: 'req_1',
        operation: 'asyncImportJobs',
        body: {
          type: 'jobs.import.failed',
          timestamp: '',
          data: { projectId: '', operation: '', requestId: '', failed: [] },
        },
        dueAt: '',
        attempts: [{ at: '', cause, status, headers: {}, sent: '' }],
        tries: 1,
        copiesLeft: 0,
        disturbance: { delayMs: 0, signature: 'invalid' },
        clockRate: 1,
      },
    ],
  });
  const id = 'callback-signature-invalid/1';

  test.each<[verdict: string, given: Given]>([
    ['accepted-forgery', { lives: [lifeWith(204, 'schedule')] }],
    ['accepted-forgery', { lives: [lifeWith(204, 'schedule')], exitCode: 1 }],
    ['recovered', { lives: [lifeWith(401, 'schedule')] }],
    ['recovered', { lives: [lifeWith(204, 'redelivery')] }],
    ['duplicated', { lives: [lifeWith(204, 'schedule')], differences: extra }],
  ])('%s: %j', (verdict, given) => {
    expect(judgeRun(id, given).verdict).toBe(verdict);
  });
});

test.each<[id: string, given: Given, detail: string]>([
  [
    'status-503/1',
    { differences: missing },
    'asyncImportJobs answered 503 once: the command passed, but 2 jobs are missing: ORD-1, ORD-2',
  ],
  [
    'status-504-processed/2',
    { differences: { extra: [job('')] } },
    'asyncImportJobs answered 504 the 2nd time, after it took effect: the command passed, but 1 job is too many',
  ],
  [
    'connection-reset/always',
    { exitCode: 1 },
    'asyncImportJobs met connection-reset every time (the connection is reset without a response; the request has no effect): the command ended with 1',
  ],
  [
    'status-503/1',
    { differences: { missingChanges: [{ ...job('ORD-3'), value: { status: 'DISPATCH' } }] } },
    'asyncImportJobs answered 503 once: the command passed, but 1 change of jobs is missing: ORD-3 (status)',
  ],
  [
    'callback-copies/1',
    { exitCode: 1 },
    'asyncImportJobs met callback-copies once (a callback is sent three times): the command ended with 1, but it could have recovered',
  ],
])('the sentence about %s', (id, given, detail) => {
  expect(judgeRun(id, given).detail).toBe(detail);
});
