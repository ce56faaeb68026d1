/** Histories that broke a promise once. */
import { beforeAll, expect, test } from 'vitest';
import type { SandboxFiles } from '../../src/config/sandbox-files.ts';
import { runHistory } from './history.ts';
import lostReset from './lost-reset.json' with { type: 'json' };
import type { Plan } from './plan.ts';
import { prepareSimulations } from './prepare.ts';

let files: SandboxFiles;
beforeAll(async () => {
  files = await prepareSimulations();
});

test('a reset whose project is lost before it is stored is not answered with 200', async () => {
  const { violations } = await runHistory(lostReset as Plan, files);
  expect(violations).toEqual([]);
});
