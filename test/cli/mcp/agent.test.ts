/** A scripted agent on stdio, with the official client: it finds and explains planted problems by the tools alone. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { useProgram } from '../../harness/program.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { connectStdio } from '../../mcp/connect.ts';

const program = useProgram();
const sandbox = useSandbox();
const receiver = useReceiver();
const main = (): string => path.join(program.folder, 'dist/main.js');

interface Step {
  readonly why: string;
  readonly tool?: string;
  readonly input?: { readonly id?: string };
}

test('finds a lost job: accepted by 202, and failed later', async () => {
  const project = freshProject();
  await sandbox.freeze(project);
  await sandbox.control('PUT', `/projects/${project}/scenarios`, {
    scenarios: [
      {
        name: 'planted',
        rules: [{ when: { operation: 'asyncImportJobs', item: 2 }, then: { fail: 'No such street' } }],
      },
    ],
  });
  await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'J-1' }, { id: 'J-2' }, { id: 'J-3' }] });

  const { call } = await connectStdio(main(), ['--url', sandbox.url(), '--project', project]);
  const status = await call('sandbox_status', { project });
  expect(status.data.due).toMatchObject([{ kind: 'instruction', operation: 'asyncImportJobs' }]);
  const waiting = await call('explain', { id: 'J-2' });
  expect(waiting.data).toMatchObject({
    kind: 'missing',
    timeline: [{ kind: 'pending' }, { kind: 'request', status: 202 }],
  });
  const step: Step = waiting.data.nextSteps.find(({ tool }: Step) => tool === 'move_clock');
  expect((await call('move_clock', step.input)).data.pending).toBe(0);
  const { data } = await call('explain', { id: 'J-2' });
  expect(data.kind).toBe('missing');
  expect(data.timeline).toContainEqual(expect.objectContaining({ kind: 'failed', reason: 'No such street' }));
  expect(data.requests[0]).toMatchObject({
    reported: [{ id: 'J-2', reason: 'No such street' }],
    rules: [{ scenario: 'planted' }],
  });
  expect(data.nextSteps.map(({ why }: Step) => why)).toContainEqual(
    expect.stringMatching(/only a callback reports that/),
  );
  expect((await call('explain', { id: 'J-3' })).data).toMatchObject({ kind: 'record', nextSteps: [] });
});

test('finds a job that was sent to a wrong path, and one with a mistyped id', async () => {
  const project = freshProject();
  await sandbox.api('POST', `/async/project/${project}/jobs`, { jobs: [{ id: 'JOB-77' }] });
  await sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, { jobs: [{ id: 'JOB-88' }] });
  const { call } = await connectStdio(main(), ['--url', sandbox.url(), '--read-only']);
  const { data } = await call('explain', { project, id: 'JOB-77' });
  expect(data.requests).toMatchObject([
    { status: 404, operation: null, message: expect.stringContaining('the nearest is') },
  ]);
  const { data: mistyped } = await call('explain', { project, id: 'JOB-89' });
  expect(mistyped.nextSteps).toContainEqual(
    expect.objectContaining({ input: { similar: [expect.objectContaining({ id: 'JOB-88' })] } }),
  );
});

test('finds a receiver that rejects the signature', async () => {
  const project = freshProject();
  receiver.handle(() => ({ status: 401, headers: {}, body: Buffer.from('bad signature') }));
  await sandbox.control('PUT', `/projects/${project}/callback-endpoint`, { url: receiver.url() });
  const { call } = await connectStdio(main(), ['--url', sandbox.url(), '--project', project]);
  const triggered = await call('trigger_callback', {
    type: 'jobs.import.failed',
    failed: [{ id: 'J-1', reason: 'No' }],
  });
  expect(triggered.isError).toBe(false);
  const found = await call('find_events', { kind: 'callbacks', outcome: 'scheduled', await: '5s' });
  expect(found.data.items[0].attempts[0].status).toBe(401);
  const { data } = await call('explain', { id: found.data.items[0].id });
  expect(data.callbacks[0].attempts[0]).toMatchObject({ status: 401, response: { body: 'bad signature' } });
  expect(data.nextSteps[0]).toMatchObject({ command: 'field-sandbox verify-receiver URL' });
});

test('finds a client that ignores failed', async () => {
  const project = freshProject();
  const jobs = [{ id: 'J-1' }, { id: 'J-2', status: 'DELIVERD' }];
  await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs });
  const { call } = await connectStdio(main(), ['--url', sandbox.url(), '--project', project]);
  const found = await call('find_events', { kind: 'requests', outcome: 'rejected' });
  expect(found.data.items).toMatchObject([{ status: 202, entries: { refused: 1 } }]);
  const { data } = await call('explain', { id: found.data.items[0].id });
  expect(data.requests[0].failed).toMatchObject([{ id: 'J-2' }]);
  expect(data.nextSteps.map(({ why }: Step) => why)).toContainEqual(
    expect.stringMatching(/the client must read that list/),
  );
});

test('tries failures on a command as a job, and names the bad cases', async () => {
  const file = path.join(program.folder, 'client.mjs');
  writeFileSync(file, planted);
  const { client, call } = await connectStdio(main(), ['--url', sandbox.url()]);
  expect((await client.listTools()).tools).toHaveLength(10);
  const input = { command: [process.execPath, file], operation: 'asyncImportJobs', kind: 'status-503' };
  const before = await call('try_failures', { ...input, before: 'no-such-commit' });
  expect(before).toMatchObject({ isError: true, text: expect.stringContaining('no-such-commit') });
  let { data } = await call('try_failures', input);
  while (data.status === 'running') ({ data } = await call('try_failures', { job: data.job }));
  expect(data).toMatchObject({
    status: 'done',
    cases: [
      {
        verdict: 'unnoticed',
        repeat: expect.stringMatching(/^npx field-sandbox sweep --operation asyncImportJobs --kind status-503/),
      },
      {},
    ],
  });
  // Only the cases of its own run: those of the sweep before may be mended.
  let { data: second } = await call('try_failures', { ...input, kind: 'status-500' });
  while (second.status === 'running') ({ data: second } = await call('try_failures', { job: second.job }));
  expect(new Set(second.cases.map((one: { case: string }) => one.case.split('/')[1]))).toEqual(new Set(['status-500']));
  expect(await call('try_failures', { job: 'job-9' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('/job: there is no job "job-9"'),
  });
}, 120_000);

test('proves a fix with the packages that Git ignores', async () => {
  const folder = mkdtempSync(path.join(program.folder, 'proven-'));
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: folder });
  mkdirSync(path.join(folder, 'node_modules/retrying'), { recursive: true });
  writeFileSync(path.join(folder, 'node_modules/retrying/index.mjs'), 'export const attempts = 2;');
  const write = (attempts: string) =>
    writeFileSync(
      path.join(folder, 'client.mjs'),
      `import { attempts } from './node_modules/retrying/index.mjs';\nfor (let n = 0; n < ${attempts}; n++) {\n${planted}}`,
    );
  writeFileSync(path.join(folder, '.gitignore'), 'node_modules\n');
  write('attempts - 1');
  git('init', '-q');
  git('add', '-A');
  git('commit', '-q', '-m', 'one');
  write('attempts');
  const { call } = await connectStdio(main(), ['--url', sandbox.url()], {}, folder);
  const input = { operation: 'asyncImportJobs', kind: 'status-500' };
  let { data, text } = await call('try_failures', { command: 'node client.mjs', ...input, before: 'HEAD' });
  while (data?.status === 'running') ({ data, text } = await call('try_failures', { job: data.job }));
  expect(text).toBe('proven.');
  expect(data.proof.proofs).toMatchObject([{ verdict: 'proven', before: { verdict: 'unnoticed' } }]);
}, 120_000);

/** A client that does not look at the status of its response. */
const planted = `
const url = process.env.SANDBOX_URL;
const init = { method: 'POST', headers: { apikey: 'sandbox-key', 'content-type': 'application/json' }, body: '{"jobs":[{"id":"J-1"}]}' };
await fetch(url + '/async/projects/tried/jobs', init);
`;

test('starts a sandbox where none runs, and ends with its client', async () => {
  const { call } = await connectStdio(main(), [], { SANDBOX_PORT: '0' });
  const { data } = await call('sandbox_status');
  expect(data).toMatchObject({ access: { admin: true }, projects: [] });
  expect((await fetch(`${data.url}/_sandbox/health`)).status).toBe(200);
});

test('--read-only leaves the reading tools', async () => {
  const { client, call } = await connectStdio(main(), ['--url', sandbox.url(), '--read-only']);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    'sandbox_status',
    'list_operations',
    'search_docs',
    'find_events',
    'explain',
  ]);
  expect(await call('set_up_project', { project: 'x', action: 'reset', confirm: true })).toMatchObject({
    isError: true,
  });
});
