/** `field-sandbox coverage --sweep`: counts a sweep without a sandbox, or together with one. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type CoverageInput, runCoverage } from '../../../src/cli/coverage/command.ts';
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
  const said = { out: '', err: '' };
  const keep = (stream: 'out' | 'err') => (text: string) => {
    said[stream] += text;
  };
  // Without --url, a sweep is not added to the sandbox of the environment.
  const environment = { SANDBOX_URL: 'http://127.0.0.1:1' };
  const code = await runCoverage(input, { print: keep('out'), printError: keep('err'), width: 100 }, environment);
  return { code, ...said };
}

test('a sweep is counted without a sandbox', async () => {
  const { code, out, err } = await run({ sweep, operation: 'asyncImportJobs,syncImportOrders' });
  expect([code, err]).toEqual([0, '']);
  expect(out).toBe(`coverage 34.8 %: 23 of 66
  operations                    2 of 2    100 %
  failures                    17 of 52   32.6 %
  callback conditions          4 of 12   33.3 %

  operation         calls  failures  next step
✓ asyncImportJobs       4  10 of 26  status-401: the header x-sandbox-scenario: expired-key
✓ syncImportOrders      4   7 of 26  failed-downstream: an entry with the id FAIL-GEOCODE-1

  callback            conditions  next step
✓ jobs.import.failed     4 of 12  delivered: set a callback endpoint that responds with 2xx, and le…

! the receiver accepted 1 of 1 jobs.import.failed with an invalid signature
`);
});

test('the minimum and the Markdown file include the sweep', async () => {
  const markdown = path.join(folder, 'coverage.md');
  const input = { sweep, operation: 'asyncImportJobs', markdown };
  expect((await run({ ...input, min: '30' })).code).toBe(0);
  expect(readFileSync(markdown, 'utf8')).toContain('| ✅ | asyncImportJobs | 4 | 4 | 10 of 26 |');
  const { code, err } = await run({ ...input, min: '90' });
  expect([code, err]).toEqual([1, expect.stringMatching(/^coverage: expected at least 90 %, got \d/)]);
});

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
    /^--sweep: 4 of 30 cases do not count, such as asyncImportJobs\/callback-copies\/1: the sweep had/,
  );
});

describe('mistakes are reported', () => {
  test.each<[string, CoverageInput, RegExp]>([
    ['a missing file', { sweep: 'none.json' }, /^--sweep: none\.json: file not found\n$/],
    ['an empty name', { sweep: '' }, /^--sweep: expected the JSON file of a sweep, got an empty value\n$/],
    [
      'another file',
      { sweep: write('other.json', '{"cases":[]}') },
      /^--sweep: .*other\.json: the report: missing key baseline: expected a mapping with .*\n--sweep: .*summary/,
    ],
    ['a text', { sweep: write('text.json', 'hello') }, /^--sweep: .*text\.json: expected the JSON that .* not JSON\n$/],
    ['a project', { sweep, project: 'demo' }, /^--project: a sweep has no projects; remove it, or add --url\n$/],
    ['an operation', { sweep, operation: 'asyncImportJob' }, /^--operation: expected .*, did you mean asyncImportJobs/],
    ['a profile', { sweep, profile: 'none.yaml' }, /^none\.yaml: file not found\n$/],
    ['a profile with a URL', { profile: 'p.yaml', url: 'http://127.0.0.1:1' }, /^--profile: the sandbox at --url has/],
    ['no sandbox', { sweep, url: 'http://127.0.0.1:1' }, /^no sandbox at http:\/\/127\.0\.0\.1:1: /],
  ])('%s', async (_, input, message) => {
    const { code, out, err } = await run(input);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(message);
  });
});
