/** Sweeps of the reference clients: each weakness is found, and the robust client has no bad verdict. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { sweepCommand } from '../../src/cli/sweep/sweep.ts';
import { runDefaults } from '../../src/config/option-table.ts';
import { parseOptions } from '../../src/config/options.ts';
import { createWallClock } from '../../src/lib/time.ts';
import { readSandboxFiles } from '../../src/server.ts';
import type { SweepCase } from '../../src/sweep-report/report.ts';
import { verdicts } from '../../src/sweep-report/verdicts.ts';
import { isFull, sampleOf } from '../harness/amounts.ts';
import { weaknesses } from './clients/weaknesses.mjs';

const parsed = parseOptions(runDefaults, {});
if (!parsed.ok) throw new Error('the defaults are not valid');
const { options } = parsed;
const files = await readSandboxFiles(options);
const out = mkdtempSync(path.join(tmpdir(), 'field-sandbox-sweep-'));
afterAll(() => rmSync(out, { recursive: true }));

const folder = 'test/sweep/clients';

/** Returns the cases of a sweep of these operations and kinds. */
async function sweep(
  command: readonly string[],
  operations: readonly string[],
  kinds: readonly string[] | undefined,
): Promise<readonly SweepCase[]> {
  const result = await sweepCommand({
    options,
    files,
    command,
    // A short time limit, because hung commands are silent for five more seconds.
    sweep: { operations, kinds, occurrences: 1, jobs: 2, budgetMs: undefined, timeoutMs: 8000, out },
    lastBad: new Set(),
    wall: createWallClock(),
    signal: new AbortController().signal,
    began: () => undefined,
    done: () => undefined,
  });
  if ('mistakes' in result) throw new Error(result.mistakes.join('\n'));
  expect(result.bugs).toEqual([]);
  return result.report.cases;
}

const findBad = (cases: readonly SweepCase[]): readonly string[] =>
  cases.filter(({ verdict }) => verdicts[verdict].quality === 'bad').map((one) => `${one.case} ${one.detail}`);

/** The first case of each weakness; in full mode all. */
const findings = Object.entries(weaknesses).flatMap(([name, { cases }]) =>
  Object.entries(cases)
    .slice(0, isFull ? undefined : 1)
    .map(([id, verdict]) => [name, id, verdict] as const),
);

describe('finds the weakness of the client that', () => {
  test.concurrent.each(sampleOf(findings, 5))('%s: %s is %s', { timeout: 120_000 }, async (name, id, verdict) => {
    const [operation = '', kind = ''] = id.split('/');
    const cases = await sweep([process.execPath, `${folder}/weak.mjs`, name], [operation], [kind]);
    expect(cases.find((one) => one.case === id)).toMatchObject({ case: id, verdict });
  });
});

describe('finds nothing in a robust client', () => {
  const node = [process.execPath, `${folder}/robust.mjs`];

  test('at one failure of each effect', { timeout: 120_000 }, async () => {
    const kinds = ['status-503', 'connection-reset-processed', 'callback-copies'];
    expect(findBad(await sweep(node, ['asyncImportJobs'], kinds))).toEqual([]);
  });

  test.runIf(isFull).each([
    ['asyncImportJobs', node],
    ['syncCreateJob', node],
    ['submitLocation', node],
  ])('at any failure of %s', { timeout: 300_000 }, async (operation, command) => {
    const cases = await sweep(command, [operation], undefined);
    expect(cases.length).toBeGreaterThan(25);
    expect(findBad(cases)).toEqual([]);
  });
});
