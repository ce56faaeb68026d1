/** Verdicts of commands that are ended for their time; all others are cases of `cli/golden/sweep-verdicts.txt`. */
import { expect, test } from 'vitest';
import { type JudgedRun, judge } from '../../../src/cli/sweep/judge/judge.ts';
import { type FailureCase, toCases } from '../../../src/scenarios/cases.ts';

const cases = toCases(
  'asyncImportJobs',
  { byCallback: true, listsFailures: true, statuses: [503] },
  { requests: 2, callbacks: 0, callbacksOfProject: 0, clockRate: 1, requestRate: 1 },
  1,
);

test.each<[verdict: string, kind: string, end: JudgedRun['result']['end'], requests: number]>([
  ['hung', 'connection-hang/1', 'hung', 500],
  ['storm', 'status-503/always', 'storm', 500],
  ['retrying', 'status-503/always', 'retrying', 21],
  ['storm', 'status-503/always', 'retrying', 22],
])('%s: %s, %s after %i requests', (verdict, kind, end, requests) => {
  const run: JudgedRun = {
    case: cases.find(({ id }) => id === `asyncImportJobs/${kind}`) as FailureCase,
    result: { end, exitCode: 143, mistake: undefined, output: '', lives: [], early: [], quietMs: 0 },
    differences: { missing: [], extra: [], differing: [], missingChanges: [] },
    requests,
    fired: 1,
  };
  const baseline = { operations: new Map([['asyncImportJobs', 2]]), outputs: [] };
  expect(judge(run, baseline).verdict).toBe(verdict);
});

test('a client that a test runner ended while it waited is asked whether it limits its time', () => {
  const run: JudgedRun = {
    case: cases.find(({ id }) => id === 'asyncImportJobs/connection-hang/1') as FailureCase,
    result: { end: 'exited', exitCode: 1, mistake: undefined, output: '', lives: [], early: [], quietMs: 5100 },
    differences: { missing: [], extra: [], differing: [], missingChanges: [] },
    requests: 1,
    fired: 1,
  };
  const { verdict, found } = judge(run, { operations: new Map(), outputs: [] });
  expect([verdict, found]).toEqual(['failed', 'exit code 1; no request for 5 s: does your client limit its time?']);
});
