/** Verdicts of commands that are ended for their time; all others are cases of `cli/golden/sweep-verdicts.txt`. */
import { expect, test } from 'vitest';
import { type JudgedRun, judge } from '../../../src/cli/sweep/judge/judge.ts';
import { type FailureCase, toCases } from '../../../src/scenarios/cases.ts';

const run = (kind: string, end: Partial<JudgedRun['result']>, requests: number): JudgedRun => ({
  failure: { operation: 'asyncImportJobs', expects: 'recovery', kinds: [kind], reasons: [], names: new Set() },
  result: {
    end: 'exited',
    exitCode: 1,
    mistake: undefined,
    output: '',
    lives: [],
    early: [],
    quietMs: 0,
    waitedOut: undefined,
    ...end,
  },
  differences: { missing: [], extra: [], differing: [], missingChanges: [] },
  ...{ requests, usual: 2, fired: 1, outputs: [] },
});

test.each<[verdict: string, kind: string, end: JudgedRun['result']['end'], requests: number]>([
  ['hung', 'connection-hang', 'hung', 500],
  ['storm', 'status-503', 'storm', 500],
  ['retrying', 'status-503', 'retrying', 21],
  ['storm', 'status-503', 'retrying', 22],
])('%s: %s, %s after %i requests', (verdict, kind, end, requests) => {
  expect(judge(run(kind, { end }, requests)).verdict).toBe(verdict);
});

test('a client that a test runner ended while it waited is asked whether it limits its time', () => {
  const { verdict, found } = judge(run('connection-hang', { quietMs: 5100 }, 1));
  expect([verdict, found]).toEqual(['failed', 'exit code 1; no request for 5 s: does your client limit its time?']);
});

test('of several entries, the first and the last one fail in cases of their own, if the others stay as they are', () => {
  const toIds = (lastEntry: number, listsFailures: boolean) =>
    toCases(
      'syncCreateJobs',
      { byCallback: false, listsFailures, statuses: [] },
      { requests: 2, lastEntry, callbacks: 0, callbacksOfProject: 0, clockRate: 1, requestRate: 1 },
      2,
    );
  const refused = (all: readonly FailureCase[]) => all.filter(({ kind }) => kind.startsWith('refused'));
  const several = refused(toIds(3, true));
  expect(several.map(({ id }) => id)).toEqual([
    'syncCreateJobs/refused/1',
    'syncCreateJobs/refused-last/1',
    'syncCreateJobs/refused/2',
  ]);
  expect(several[1]?.yaml).toContain('when: { operation: syncCreateJobs, item: 3, request: { nth: 1 } }');
  expect(refused(toIds(1, true)).map(({ id }) => id)).not.toContain('syncCreateJobs/refused-last/1');
  expect(refused(toIds(3, false)).map(({ id }) => id)).not.toContain('syncCreateJobs/refused-last/1');
});

test.each([
  ['J-1', 'lost J-1.', 'logged'],
  ['J-1', 'lost J-12', 'unnoticed'],
  ['#a.b c', 'lost (#a.b c)', 'logged'],
  ['#a.b c', 'lost x.b c', 'unnoticed'],
  ['é', 'lost é', 'logged'],
])('of a lost %s, the line "%s" makes it %s, also among thousands of ids and lines', (id, line, verdict) => {
  const ids = Array.from({ length: 10_000 }, (_, index) => `ORDER-${index}`);
  const missing = [...ids, id].map((id) => ({ collection: 'jobs', id }) as const);
  const output = `${'nothing of ORDERS\n'.repeat(10_000)}${line}`;
  const base = run('latency', { exitCode: 0, output }, 2);
  const startedMs = performance.now();
  expect(judge({ ...base, differences: { ...base.differences, missing } } as unknown as JudgedRun).verdict).toBe(
    verdict,
  );
  expect(performance.now() - startedMs).toBeLessThan(2000);
});
