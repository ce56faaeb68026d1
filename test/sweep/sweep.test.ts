/** Sweeps of the reference clients: each weakness is found, and the robust client has no bad verdict. */
import { describe, expect, test } from 'vitest';
import type { SweepReport } from '../../src/sweep-report/report.ts';
import { verdicts } from '../../src/sweep-report/verdicts.ts';
import { isFull, sampleOf } from '../harness/amounts.ts';
import { weaknesses } from './clients/weaknesses.mjs';
import { runSweep } from './run-sweep.ts';

const folder = 'test/sweep/clients';

const findBad = ({ cases }: SweepReport): readonly string[] =>
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
    const command = [process.execPath, `${folder}/weak.mjs`, name];
    const { cases } = await runSweep({ command, operations: [operation], kinds: [kind] });
    expect(cases.find((one) => one.case === id)).toMatchObject({ case: id, verdict });
  });
});

describe('finds nothing in a robust client', () => {
  const node = [process.execPath, `${folder}/robust.mjs`];

  test('at one failure of each effect', { timeout: 120_000 }, async () => {
    const kinds = ['status-503', 'connection-reset-processed', 'callback-copies'];
    expect(findBad(await runSweep({ command: node, operations: ['asyncImportJobs'], kinds }))).toEqual([]);
  });

  test.runIf(isFull).each([
    ['asyncImportJobs', node],
    ['syncCreateJob', node],
    ['submitLocation', node],
  ])('at any failure of %s', { timeout: 300_000 }, async (operation, command) => {
    const report = await runSweep({ command, operations: [operation] });
    expect(report.cases.length).toBeGreaterThan(25);
    expect(findBad(report)).toEqual([]);
  });
});
