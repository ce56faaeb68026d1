/** Running cases: second runs, cases that cannot differ, and the end of the budget. */
import { expect, test } from 'vitest';
import type { Comparer } from '../../../src/cli/sweep/compare/compare.ts';
import { runCases } from '../../../src/cli/sweep/run-cases.ts';
import type { TrialResult } from '../../../src/cli/trial/trial.ts';
import type { JournalEntry } from '../../../src/journal/entry.ts';
import { type FailureCase, toCases } from '../../../src/scenarios/cases.ts';
import type { SweepCase } from '../../../src/sweep-report/report.ts';

const cases = toCases(
  'syncCreateJob',
  { byCallback: false, listsFailures: false, statuses: [] },
  { requests: 1, callbacks: 0, callbacksOfProject: 0, clockRate: 1 },
  1,
);
const select = (...kinds: readonly string[]): readonly FailureCase[] =>
  cases.filter(({ kind }) => kinds.includes(kind));

const same = { missing: [], extra: [], differing: [], missingChanges: [] };
const comparer: Comparer = { levels: { records: 'exact', changes: 'exact' }, compare: () => same };

interface Run {
  readonly exitCode?: number;
  readonly requests?: number;
  readonly end?: TrialResult['end'];
}

async function sweep(selected: readonly FailureCase[], runs: readonly Run[], max = Number.POSITIVE_INFINITY) {
  const waiting = [...runs];
  const kept: string[] = [];
  const ran: string[] = [];
  let done = 0;
  const results = await runCases({
    cases: selected,
    jobs: 1,
    baseline: { operations: new Map([['syncCreateJob', 1]]), outputs: [] },
    comparer,
    run: ({ id, name }) => {
      ran.push(id);
      const { exitCode = 0, requests = 1, end = 'exited' } = waiting.shift() ?? {};
      return Promise.resolve({
        ...{ end, exitCode, mistake: undefined, startedAtMs: 0, durationMs: 1000, output: '', lives: [], bugs: [] },
        requests: Array.from({ length: requests }, () => ({ operation: 'syncCreateJob' }) as JournalEntry),
        recordings: [],
        firings: new Map([[name, 1]]),
      });
    },
    isOver: () => done >= max,
    keep: ({ id }) => {
      kept.push(id);
      return Promise.resolve({ scenario: `${id}.yaml`, output: `${id}.log`, recordings: [] });
    },
    done: () => {
      done += 1;
    },
  });
  const verdictOf = ({ case: id, verdict, sameAs }: SweepCase) =>
    [id.replace('syncCreateJob/', ''), verdict, ...(sameAs === undefined ? [] : [sameAs])].join(' ');
  return { verdicts: results.map(verdictOf), kept, ran: ran.length };
}

test('a bad verdict needs a second run that is bad too', async () => {
  const kinds = select('latency');
  expect(await sweep(kinds, [{ exitCode: 1 }, { exitCode: 1 }])).toEqual({
    verdicts: ['latency/1 failed'],
    kept: ['syncCreateJob/latency/1'],
    ran: 2,
  });
  expect(await sweep(kinds, [{ exitCode: 1 }, {}])).toEqual({ verdicts: ['latency/1 flaky'], kept: [], ran: 2 });
  expect(await sweep(kinds, [{}])).toEqual({ verdicts: ['latency/1 recovered'], kept: [], ran: 1 });
});

test('a failure of every request is not run again if it met the only request, and has its own verdict', async () => {
  const kinds = select('status-503').toSorted((a, b) => Number(a.always) - Number(b.always));
  expect(kinds.map(({ id }) => id)).toEqual(['syncCreateJob/status-503/1', 'syncCreateJob/status-503/always']);
  expect(await sweep(kinds, [{ exitCode: 1 }, { exitCode: 1 }])).toMatchObject({
    verdicts: ['status-503/1 failed', 'status-503/always reported syncCreateJob/status-503/1'],
    ran: 2,
  });
  expect(await sweep(kinds, [{ requests: 2 }, { exitCode: 1, requests: 3 }])).toMatchObject({
    verdicts: ['status-503/1 recovered', 'status-503/always reported'],
    ran: 2,
  });
});

test('a failure of every request is run if the first run of the single one was not confirmed', async () => {
  const kinds = select('status-503').toSorted((a, b) => Number(a.always) - Number(b.always));
  expect(await sweep(kinds, [{ exitCode: 1 }, {}, { exitCode: 1 }])).toMatchObject({
    verdicts: ['status-503/1 flaky', 'status-503/always reported'],
    ran: 3,
  });
});

test('ends without the cases that were not tried', async () => {
  expect((await sweep(select('latency', 'status-502'), [{}, {}], 1)).verdicts).toHaveLength(1);
  const stopped = await sweep(select('latency', 'status-502'), [{}, { end: 'aborted', exitCode: 143 }]);
  expect(stopped.verdicts).toHaveLength(1);
});
