/** The folder of a sweep keeps what was found, also if the sweep ends early or a file cannot be written. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { SweepReport } from '../../../src/sweep-report/report.ts';
import { runCommand } from '../../harness/cli.ts';
import { createFolder } from '../../harness/folder.ts';

const request = `-H "apikey: $SANDBOX_API_KEY" --json '{"jobs":[{"id":"J-1"}]}' "$SANDBOX_URL/async/projects/p/jobs"`;
const careless = ['sh', '-c', `curl -s -o /dev/null ${request}`];

const createSweep = () => {
  const folder = createFolder();
  const out = path.join(folder, 'sweep');
  const report = path.join(out, 'sweep.json');
  const sweep = (kinds: string, options: readonly string[] = [], command = careless, to = out) =>
    runCommand(['sweep', '--operation', 'asyncImportJobs', '--kind', kinds, '--out', to, ...options, '--', ...command]);
  const cases = () => (JSON.parse(readFileSync(report, 'utf8')) as SweepReport).cases;
  return { folder, out, report, sweep, cases };
};

test('a sweep that does not get to its cases keeps those of the last one, with their files', async () => {
  const { folder, sweep, cases } = createSweep();
  await sweep('status-500/1,status-503/1', ['--jobs', '2']);
  const before = cases();
  expect(before.map((one) => one.verdict)).toEqual(['unnoticed', 'unnoticed']);
  const files = before.flatMap(({ scenario = '', output = '', recordings = [] }) => [scenario, output, ...recordings]);
  const typo = await sweep('status-5*', [], [process.execPath, 'nosuch.mjs']);
  const started = path.join(folder, 'started');
  const endless = sweep('status-5*', [], ['sh', '-c', `touch ${started}; sleep 60`]);
  await expect.poll(() => existsSync(started)).toBe(true);
  process.emit('SIGINT', 'SIGINT');
  const stopped = await endless;
  const late = await sweep('status-500/1,status-503/1', ['--budget', '1ms']);
  expect([typo.code, stopped.code, late.code]).toEqual([2, 130, 0]);
  expect(cases()).toEqual(before);
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});

test('files that cannot be written are problems at the end, after the reports', async () => {
  const { folder, out, report, sweep, cases } = createSweep();
  const json = path.join(folder, 'a.json');
  mkdirSync(path.join(out, 'asyncImportJobs-status-503-1.log'), { recursive: true });
  const one = await sweep('status-500/1,status-503/1', ['--jobs', '2', '--json', json]);
  expect([one.code, cases().map(({ output }) => output !== undefined)]).toEqual([1, [true, false]]);
  expect(one.err).toMatch(/^--out: files of asyncImportJobs\/status-503\/1 cannot be written \(EISDIR\)$/m);
  writeFileSync(json, '{}');
  mkdirSync(path.join(folder, 'other/sweep.json'), { recursive: true });
  const other = await sweep('status-500/1', ['--json', json], careless, path.join(folder, 'other'));
  expect([other.code, other.err]).toEqual([1, expect.stringMatching(/^--out: \S+sweep.json cannot be written/m)]);
  expect(other.out).toContain('failed: 1 bad case');
  expect(JSON.parse(readFileSync(json, 'utf8')).cases).toHaveLength(1);
  expect(existsSync(report)).toBe(true);
});

test('a missing folder of accepted weaknesses is a mistake before the sweep', async () => {
  const { folder, sweep } = createSweep();
  const { code, err } = await sweep('status-500/1', ['--known', path.join(folder, 'no/known.json'), '--update-known']);
  expect([code, err]).toEqual([2, `--known: folder not found: ${path.join(folder, 'no')}\n`]);
});

test('a case that is mended leaves no file and no folder', async () => {
  const { out, sweep } = createSweep();
  await sweep('status-500/1');
  expect(readdirSync(out)).toHaveLength(4);
  await sweep('status-500/1', [], ['sh', '-c', `until curl -sf -o /dev/null ${request}; do :; done`]);
  expect(readdirSync(out)).toEqual(['sweep.json']);
});

test('the JSON report may be that of the folder, and loses no other cases', async () => {
  const { report, sweep, cases } = createSweep();
  await sweep('status-500/1');
  await sweep('status-503/1', ['--json', report]);
  expect(cases().map(({ kind }) => kind)).toEqual(['status-503', 'status-500']);
});

test.each([['--quick'], ['--occurrences=1']])('a sweep with %s keeps the cases that it leaves out', async (option) => {
  const { sweep, cases } = createSweep();
  const twice = ['sh', '-c', `curl -s -o /dev/null ${request}; curl -s -o /dev/null ${request}`];
  const ids = () => cases().map((one) => one.case.slice('asyncImportJobs/'.length));
  await sweep('status-500', ['--occurrences', 'each'], twice);
  expect(ids().toSorted()).toEqual(['status-500/1', 'status-500/2', 'status-500/always']);
  await sweep('status-500', [option], twice);
  expect(ids().toSorted()).toEqual(['status-500/1', 'status-500/2', 'status-500/always']);
});
