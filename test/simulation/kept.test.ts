/** Histories that broke a promise once. */
import { beforeAll, expect, test } from 'vitest';
import type { SandboxFiles } from '../../src/config/sandbox-files.ts';
import { runHistory } from './history.ts';
import lateClaim from './late-claim.json' with { type: 'json' };
import lostReset from './lost-reset.json' with { type: 'json' };
import type { Plan } from './plan.ts';
import { prepareSimulations } from './prepare.ts';

let files: SandboxFiles;
beforeAll(async () => {
  files = await prepareSimulations();
});

test.each([
  ['a reset whose project is lost before it is stored is not answered with 200', lostReset],
  ['work of a project is done whose claim has arrived without its answer', lateClaim],
])('%s', async (_, plan) => {
  expect((await runHistory(plan as Plan, files)).violations).toEqual([]);
});
