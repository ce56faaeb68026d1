/** JUnit suites of a sweep: bad cases fail, neutral and known ones are skipped with their reason. */
import { expect, test } from 'vitest';
import { toXml } from '../../../../src/cli/output/junit.ts';
import { sweepSuiteName, toSweepSuites } from '../../../../src/cli/sweep/report/junit.ts';
import { createCase, createReport, sample } from '../../../sweep-report/sample.ts';

test('each operation is a suite, in which each case has its result', () => {
  const suites = toSweepSuites(sample, { command: 'npm test' });
  expect(suites.map(({ name, cases }) => [name, cases.length])).toEqual([
    ['asyncImportJobs', 17],
    ['syncImportOrders', 8],
    ['submitLocation', 5],
  ]);
  const find = (id: string) => suites.flatMap(({ cases }) => cases).find(({ name }) => name === id);
  expect(find('asyncImportJobs/refused/1')).toEqual({ name: 'asyncImportJobs/refused/1', seconds: 1.24 });
  expect(find('asyncImportJobs/connection-hang/1')).toEqual({
    name: 'asyncImportJobs/connection-hang/1',
    seconds: 1.24,
    failure: `hung: asyncImportJobs met connection-hang once: the command was ended after 10 s, and sent nothing for 5 s
field-sandbox run --scenario sweep/asyncImportJobs-connection-hang-1.yaml -- npm test`,
  });
  expect(find('syncImportOrders/connection-close/2')?.skipped).toBe(
    'not-reached: syncImportOrders met connection-close at request 2: the rule never fired',
  );
  expect(find('asyncImportJobs/status-502/1')).toMatchObject({
    seconds: 0,
    failure: expect.stringContaining('(not run: it cannot differ from asyncImportJobs/status-503/1)'),
  });
});

test('a known weakness is skipped, also by the case that was run instead', () => {
  const known = new Set(['asyncImportJobs/status-503/1']);
  const [jobs] = toSweepSuites(sample, { known });
  const skipped = jobs?.cases.filter((one) => one.skipped?.startsWith('known weakness; unnoticed: '));
  expect(skipped?.map(({ name }) => name)).toEqual(['asyncImportJobs/status-503/1', 'asyncImportJobs/status-502/1']);
});

test('the XML has the numbers of cases', () => {
  const report = createReport([
    createCase('getDriver/latency/1', 'recovered', 'passed'),
    createCase('getDriver/status-503/1', 'failed', 'exited with 1'),
    createCase('getDriver/status-503/2', 'not-reached', 'the rule never fired'),
  ]);
  const xml = toXml(sweepSuiteName, toSweepSuites(report), { seed: 'ci' }, (text) => text);
  expect(xml).toContain('<testsuites name="field-sandbox sweep" tests="3" failures="1"');
  expect(xml).toContain('<testsuite name="getDriver" tests="3" failures="1" errors="0" time="3.720" skipped="1">');
});
