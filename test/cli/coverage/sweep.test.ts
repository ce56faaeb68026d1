/** `field-sandbox coverage --sweep`: counts a sweep without a sandbox, or together with one. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type CoverageInput, runCoverage } from '../../../src/cli/coverage/command.ts';
import { printTo } from '../../../src/cli/frame/io.ts';
import { printMistakes } from '../../../src/cli/output/text.ts';
import { ConfigError } from '../../../src/config/config-error.ts';
import { createIo } from '../../harness/cli.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { createCase, createReport, sample } from '../../sweep-report/sample.ts';

const sandbox = useSandbox();
const folder = mkdtempSync(path.join(tmpdir(), 'coverage-sweep-'));
afterAll(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string): string => {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
};
const sweep = write('sweep.json', JSON.stringify(sample));

async function run(input: CoverageInput) {
  // Without --url, a sweep is not added to the sandbox of the environment.
  const io = createIo({ SANDBOX_URL: 'http://127.0.0.1:1' });
  const code = await runCoverage(input, io).catch((error: unknown) => {
    if (!(error instanceof ConfigError)) throw error;
    return printMistakes(error.mistakes, printTo(io.stderr));
  });
  return { code, ...io.written };
}

test('with --url, the sandbox and the sweep are added', async () => {
  const project = freshProject();
  await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'REFUSE-1' }, { id: 'J-1' }] });
  await sandbox.api('POST', `/projects/${project}/locations`, {});
  const input = { url: sandbox.url(), project, operation: 'asyncImportJobs,submitLocation' };
  const { code, out } = await run({ ...input, sweep: write('one.json', JSON.stringify(oneSweep)) });
  expect(code).toBe(0);
  expect(out).toContain('\n✓ asyncImportJobs      5   2 of 26  failed-downstream');
  expect(out).toContain('\n– submitLocation       1   1 of 27  call it successfully');
});

/** A sweep with one failure that the sandbox of the test has not met. */
const oneSweep = createReport([createCase('asyncImportJobs/latency/1', 'recovered', '')]);

test('a profile has its own failures', async () => {
  const profile = write('profile.yaml', 'operations: { asyncImportJobs: { mode: sync } }\n');
  const { out, err } = await run({ sweep, operation: 'asyncImportJobs', profile });
  expect(out).not.toContain('jobs.import.failed');
  expect(err).toMatch(
    /^--sweep: 4 of 31 cases do not count, such as asyncImportJobs\/callback-copies\/1: the sweep had/,
  );
});
