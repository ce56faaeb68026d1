/** Cases run several at a time; a command that waits on a failure makes room for another. */
import { expect, test } from 'vitest';
import { maxWaiting, runCases } from '../../../src/cli/sweep/run-cases.ts';
import type { TrialResult } from '../../../src/cli/trial/trial.ts';
import type { FailureCase } from '../../../src/scenarios/cases.ts';

const passed: TrialResult = {
  ...{ end: 'exited', exitCode: 0, mistake: undefined, output: '', lives: [], requests: [], early: [], quietMs: 0 },
  ...{
    recordings: [],
    ...{ scenarios: [], fired: 0 },
    durationMs: 1,
    startedAtMs: 0,
    unanswered: undefined,
    waitedOut: undefined,
  },
};

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Starts cases that a test lets wait and end by hand. */
function start(names: readonly string[], jobs: number) {
  const waits = new Map<string, (isWaiting: boolean) => void>();
  const ends = new Map<string, () => void>();
  const cases = names.map((id) => ({ id, name: id, operation: id, kind: 'latency', occurrence: 1, always: false }));
  const running = runCases({
    cases: cases as unknown as readonly FailureCase[],
    jobs,
    baseline: { outputs: [], judge: () => ({ verdict: 'recovered', what: '', detail: '' }) },
    run: ({ id }, onWait) => {
      waits.set(id, onWait);
      return new Promise<TrialResult>((resolve) => ends.set(id, () => resolve(passed)));
    },
    isOver: () => false,
    keep: async () => ({}),
    done: () => undefined,
  });
  const begun = async (): Promise<readonly string[]> => {
    await settled();
    return [...waits.keys()];
  };
  return {
    running,
    begun,
    wait: (id: string, isWaiting = true) => waits.get(id)?.(isWaiting),
    end: (id: string) => ends.get(id)?.(),
  };
}

test('one that waits makes room, and goes on beside the others', async () => {
  const { running, begun, wait, end } = start(['a', 'b', 'c', 'd'], 2);
  expect(await begun()).toEqual(['a', 'b']);
  wait('a');
  expect(await begun()).toEqual(['a', 'b', 'c']);
  wait('a', false);
  end('b');
  // Two work again: a and c.
  expect(await begun()).toEqual(['a', 'b', 'c']);
  end('a');
  expect(await begun()).toEqual(['a', 'b', 'c', 'd']);
  for (const id of ['c', 'd']) end(id);
  expect(await running).toHaveLength(4);
});

test('at most eight wait; with one job, nothing runs beside a command that waits', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `r${index}`);
  const many = start(names, 2);
  for (let index = 0; index < names.length; index += 1) many.wait((await many.begun())[index] ?? '');
  expect(await many.begun()).toHaveLength(maxWaiting + 2);
  const one = start(['a', 'b'], 1);
  expect(await one.begun()).toEqual(['a']);
  one.wait('a');
  expect(await one.begun()).toEqual(['a']);
});
