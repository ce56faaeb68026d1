/**
 * Random histories of replicas over a simulated database, network and clock: the same few in `npm test`, others for as long
 * as `npm run simulate` is given.
 */
import { beforeAll, expect, inject, test } from 'vitest';
import type { SandboxFiles } from '../../src/config/sandbox-files.ts';
import { runHistory } from './history.ts';
import { prepareSimulations } from './prepare.ts';
import { search } from './search.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Set by `npm run simulate`. */
    simulation: { readonly seed: number; readonly minutes: number } | undefined;
  }
}

const given = inject('simulation');
const seed = given?.seed ?? 1;
const limits = given ? { ms: given.minutes * 60_000 } : { histories: 40 };

let files: SandboxFiles;
beforeAll(async () => {
  files = await prepareSimulations();
});

test('no history breaks a promise', { timeout: ((given?.minutes ?? 0) + 3) * 60_000 }, async () => {
  const { report, histories, steps } = await search(files, { seed, ...limits });
  console.log(`simulated ${histories} histories of ${steps} steps from seed ${seed}`);
  if (report !== undefined) expect.fail(`${report}\n\nAgain: npm run simulate -- --seed ${seed}`);
});

test('the same plan gives the same history', async () => {
  const request = { client: 0, kind: 'job', project: 0, pauseMs: 5 } as const;
  const fault = { step: 40, kind: 'kill', target: 0, other: 0, ms: 500 } as const;
  const plan = { seed, replicas: 3, lostAnswers: 0.01, requests: Array(10).fill(request), faults: [fault] };
  const { history } = await runHistory(plan, files);
  expect((await runHistory(plan, files)).history).toEqual(history);
  expect(history.some((line) => line.includes('KILLED'))).toBe(true);
});
