/** `replay --profile` and `--scenario`: what the story of a recording becomes under another profile or scenario. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { ReplayRequest } from '../../../src/cli/replay/command.ts';
import { runCommand } from '../../harness/cli.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });
const folder = mkdtempSync(path.join(tmpdir(), 'varied-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(name: string, content: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
}

function replay(file: string, { profile, scenarios = [] }: Omit<ReplayRequest, 'files'>) {
  const options = scenarios.flatMap((scenario) => ['--scenario', scenario]);
  return runCommand(['replay', file, ...options, ...(profile === undefined ? [] : ['--profile', profile])]);
}

/** Imports two jobs, of which one fails downstream. Returns the file of the recording. */
async function record(project: string, more: () => Promise<unknown> = async () => undefined): Promise<string> {
  await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'J-1' }, { id: 'FAIL-1' }] });
  await sandbox.advance(project);
  await more();
  await sandbox.advance(project);
  return fileOf(`${project}.json`, (await sandbox.control('GET', `/projects/${project}/recording`)).text);
}

const scenario = (rule: object): readonly string[] => [JSON.stringify({ name: 'other', rules: [rule] })];

test('a scenario: lists what differs in requests, records and callbacks', async () => {
  const project = freshProject();
  const again = () => sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'J-2' }] });
  const file = await record(project, again);
  const rules = { when: { request: { nth: 1 } }, then: { respond: { status: 503 } } };
  const { code, out } = await replay(file, { scenarios: scenario(rules) });
  expect(code).toBe(1);
  expect(out).toMatch(
    new RegExp(
      `^different: 1 of 2 requests, 1 of 2 records, 1 of 1 callback
requests
  POST /async/projects/${project}/jobs \\(change 1\\)
    /response/status: 202 → 503
(    /response/body/.*\n)+    and 1 more value
records
  only in the recording: jobs J-1
callbacks
  only in the recording: jobs.import.failed of asyncImportJobs: FAIL-1
$`,
    ),
  );
});

describe('callbacks are compared by their content, state and deliveries', () => {
  test.each([
    ['drop', { drop: true }, '/state: "inbox" → "dropped"'],
    ['copies', { copies: 2 }, '/sent/1: none → {"data":'],
    ['a broken body', { body: 'malformed' }, '/sent/0: {"data":'],
  ])('%s', async (_name, callback, line) => {
    const file = await record(freshProject());
    const { code, out } = await replay(file, { scenarios: scenario({ then: { callback } }) });
    expect(code).toBe(1);
    expect(out).toContain('callbacks\n  jobs.import.failed of asyncImportJobs: FAIL-1\n    ');
    expect(out).toContain(`    ${line}`);
  });

  test('a delay only changes times', async () => {
    const file = await record(freshProject());
    const { out } = await replay(file, { scenarios: scenario({ then: { callback: { delay: '2h' } } }) });
    expect(out).toBe('same: 1 request, 1 record, 1 callback\n');
  });
});

test('scenarios replace those for all projects, and not those of the project', async () => {
  const project = freshProject();
  const refusing = (name: string, id: string, reason: string) => ({
    name,
    rules: [{ when: { item: { id } }, then: { refuse: reason } }],
  });
  const file = await record(project, async () => {
    await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [refusing('own', 'A', 'by its own')] });
    await sandbox.control('PUT', '/server-scenarios', { scenarios: [refusing('all', 'B', 'before')] });
    await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'A' }, { id: 'B' }] });
  });
  await sandbox.control('PUT', '/server-scenarios', { scenarios: [] });
  const { out } = await replay(file, { scenarios: [JSON.stringify(refusing('all', 'B', 'now'))] });
  expect(out).toContain('different: 1 of 2 requests, 0 of 1 record, 0 of 1 callback\n');
  expect(out).toContain('    /response/body/failed/1/reason: "before" → "now"\n');
});

test('several scenarios apply together, the first one first', async () => {
  const file = await record(freshProject());
  const [one = ''] = scenario({ then: { respond: { status: 503 } } });
  const { out } = await replay(file, { scenarios: [one, 'lost-callbacks'] });
  expect(out).toContain('/response/status: 202 → 503');
});

describe('a profile', () => {
  const withProfile = async (text: string, file: string) => replay(file, { profile: fileOf('profile.yaml', text) });

  test('that rejects what the recorded one accepted', async () => {
    const file = await record(freshProject());
    const { code, out } = await withProfile('required: { jobs: { create: [id, address] } }', file);
    expect(code).toBe(1);
    expect(out).toContain('/response/body/failed/0: none → {"id":"J-1","reason":"address: required, but missing"}\n');
    expect(out).toContain('records\n  only in the recording: jobs J-1\n');
  });

  test('with another body of callbacks', async () => {
    const file = await record(freshProject());
    const { out } = await withProfile('bodies: { callback: { event: "{type}" } }', file);
    expect(out).toContain('different: 0 of 1 request, 0 of 1 record, 1 of 1 callback\n');
    expect(out).toMatch(/\/sent\/0\/event: none → "jobs.import.failed"\n/);
  });

  test('that has the operation elsewhere: the request is a 404', async () => {
    const file = await record(freshProject());
    const { out } = await withProfile('basePath: /v2', file);
    expect(out).toContain('    /response/status: 202 → 404\n');
  });

  test('that expects the project elsewhere: the request is a 400', async () => {
    const project = freshProject();
    await sandbox.api('POST', `/async/projects/${project}/jobs?projectId=other`, { jobs: [{ id: 'J-1' }] });
    const { text } = await sandbox.control('GET', `/projects/${project}/recording`);
    const profile = `operations: { asyncImportJobs: { path: /async/projects/${project}/jobs, identifiers: { projectId: query } } }`;
    const { out } = await withProfile(profile, fileOf('elsewhere.json', text));
    expect(out).toContain('    /response/status: 202 → 400\n');
  });
});
