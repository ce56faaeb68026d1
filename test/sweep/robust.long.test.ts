/** Sweeps of the robust reference clients, in three languages: no failure has a bad verdict. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { SweepReport } from '../../src/sweep-report/report.ts';
import { verdicts } from '../../src/sweep-report/verdicts.ts';
import { runSweep } from './run-sweep.ts';

const folder = 'test/sweep/clients';
const node = [process.execPath, `${folder}/robust.mjs`];

const findBad = ({ cases }: SweepReport): readonly string[] =>
  cases.filter(({ verdict }) => verdicts[verdict].quality === 'bad').map((one) => `${one.case} ${one.detail}`);

async function expectNothingBad(command: readonly string[], operation: string): Promise<void> {
  const report = await runSweep(command, operation);
  expect(report.cases.length).toBeGreaterThan(25);
  expect(findBad(report)).toEqual([]);
}

describe('at any failure of an operation', { timeout: 300_000 }, () => {
  const classes = mkdtempSync(path.join(tmpdir(), 'field-sandbox-java-'));
  afterAll(() => rmSync(classes, { recursive: true }));

  test('in Node: asyncImportJobs, with callbacks', () => expectNothingBad(node, 'asyncImportJobs'));

  test('in Python: syncCreateJob', async ({ skip }) => {
    const command = ['python3', `${folder}/python/suite.py`, 'robust'];
    if (spawnSync('python3', ['--version']).status !== 0) skip('NO PYTHON: its robust client was NOT swept');
    await expectNothingBad(command, 'syncCreateJob');
  });

  test('in Java: submitLocation', async ({ skip }) => {
    const compiled = spawnSync('javac', ['-d', classes, `${folder}/java/Suite.java`]);
    if (compiled.error) skip('NO JAVA: its robust client was NOT swept');
    expect(String(compiled.stderr)).toBe('');
    const command = ['java', '-XX:TieredStopAtLevel=1', '-cp', classes, 'Suite', 'robust'];
    await expectNothingBad(command, 'submitLocation');
  });
});
