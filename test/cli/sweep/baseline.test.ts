/** The baseline: what makes a command unusable, and copies that disturb each other. */
import { expect, test } from 'vitest';
import { type Baseline, runBaseline } from '../../../src/cli/sweep/baseline.ts';
import type { TrialResult } from '../../../src/cli/trial/trial.ts';
import type { JournalEntry } from '../../../src/journal/entry.ts';
import type { Json } from '../../../src/lib/json.ts';

interface Given extends Partial<Omit<TrialResult, 'requests'>> {
  readonly requests?: readonly string[];
  readonly jobs?: readonly Json[];
}

function resultOf({ requests = ['syncCreateJob'], jobs = [{ id: 'ORD-1' }], ...more }: Given): TrialResult {
  const records = { version: 1, jobs, orders: [], routes: [], users: [], locations: [] } as const;
  return {
    ...{ end: 'exited', exitCode: 0, mistake: undefined, startedAtMs: 0, durationMs: 1000, output: '', bugs: [] },
    requests: requests.map((operation) => ({ operation }) as JournalEntry),
    lives: [{ project: 'north', records, changes: [], callbacks: [] }],
    recordings: [],
    firings: new Map(),
    ...more,
  };
}

/** Runs a baseline with these results, in order; the last one repeats. */
function baselineOf(jobs: number, ...results: readonly Given[]) {
  const waiting = [...results];
  let last: Given = {};
  return runBaseline(() => {
    last = waiting.shift() ?? last;
    return Promise.resolve(resultOf(last));
  }, jobs);
}

const mistakeOf = async (jobs: number, ...results: readonly Given[]): Promise<string | undefined> => {
  const baseline = await baselineOf(jobs, ...results);
  return 'mistakes' in baseline ? baseline.mistakes[0] : undefined;
};

const failing = { exitCode: 1, output: 'one\ntwo\n' };

test('copies that fail side by side run one at a time, if the command passes alone', async () => {
  const baseline = (await baselineOf(2, {}, {}, failing, {})) as Baseline;
  expect(baseline).toMatchObject({
    jobs: 1,
    remark: expect.stringContaining('copies of the command disturb each other'),
  });
  expect(baseline.runs).toHaveLength(2);
  expect(await mistakeOf(2, {}, failing)).toContain('the second run of the command ended with 1');
});

test('copies that store other numbers of records run one at a time', async () => {
  const more = { jobs: [{ id: 'ORD-1' }, { id: 'ORD-2' }] };
  expect(await baselineOf(2, {}, more, {}, {})).toMatchObject({ jobs: 1 });
  expect(await baselineOf(2, {})).toMatchObject({ jobs: 2, remark: undefined });
});

test('counts the smallest number of requests of each operation, and says which vary', async () => {
  const [poll, once] = [
    ['submitLocation', 'submitLocation', 'syncCreateJob'],
    ['submitLocation', 'syncCreateJob'],
  ];
  const { operations, durationMs } = (await baselineOf(
    1,
    { requests: poll },
    { requests: once, durationMs: 1500 },
  )) as Baseline;
  expect([...operations]).toEqual([
    ['submitLocation', { requests: 1, callbacks: 0, callbacksOfProject: 0, clockRate: 1, varies: true }],
    ['syncCreateJob', { requests: 1, callbacks: 0, callbacksOfProject: 0, clockRate: 1, varies: false }],
  ]);
  expect(durationMs).toBe(1500);
});
