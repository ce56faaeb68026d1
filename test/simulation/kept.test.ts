/** Histories that broke a promise once. */
import { beforeAll, expect, test } from 'vitest';
import type { SandboxFiles } from '../../src/config/sandbox-files.ts';
import earlyRead from './early-read.json' with { type: 'json' };
import { runHistory } from './history.ts';
import lateClaim from './late-claim.json' with { type: 'json' };
import lostReset from './lost-reset.json' with { type: 'json' };
import type { Plan, PlannedRequest } from './plan.ts';
import { prepareSimulations } from './prepare.ts';

let files: SandboxFiles;
beforeAll(async () => {
  files = await prepareSimulations();
});

test.each([
  ['a reset whose project is lost before it is stored is not answered with 200', lostReset],
  ['work of a project is done whose claim has arrived without its answer', lateClaim],
  ['work that came due without an owner is done before the first read', earlyRead],
])('%s', async (_, plan) => {
  expect((await runHistory(plan as Plan, files)).violations).toEqual([]);
});

test('a replica that was fenced and does not know it answers no read', async () => {
  const at = (client: number, kind: PlannedRequest['kind'], pauseMs: number): PlannedRequest => ({
    ...{ client, kind, pauseMs, project: 0 },
  });
  // The owner is fenced at its first steps. Another replica changes the project before the owner renews its lease.
  const readers = Array.from({ length: 8 }, (_, number) => at(2 + number, 'read', 320 + 20 * number));
  const requests = [at(0, 'job', 0), at(1, 'job', 300), ...readers];
  const faults = [10, 13].map((step) => ({ step, kind: 'fence', target: 0, other: 0, ms: 1 }) as const);
  const broken: string[] = [];
  for (let seed = 1; seed <= 20; seed += 1) {
    const plan: Plan = { seed, replicas: 2, lostAnswers: 0, requests, faults };
    broken.push(...(await runHistory(plan, files)).violations);
  }
  expect(broken).toEqual([]);
});

test('work that is due in a project of a killed replica is done without a request to the project', async () => {
  const broken: string[] = [];
  // Between the response, whose work is due 200 ms later, and that time.
  for (let step = 6; step < 16; step += 1) {
    const requests = [{ client: 0, kind: 'failing', project: 0, pauseMs: 0 }] as const;
    const faults = [0, 1].map((target) => ({ step, kind: 'kill', target, other: 0, ms: 500 }) as const);
    broken.push(...(await runHistory({ seed: 7, replicas: 2, lostAnswers: 0, requests, faults }, files)).violations);
  }
  expect(broken).toEqual([]);
});
