/** The tools on stdio, with the official client. test/flows/transcripts/mcp.txt has those that HTTP offers too. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { useProgram } from '../../harness/program.ts';
import { useSandbox } from '../../harness/sandbox.ts';
import { connectStdio } from '../../mcp/connect.ts';
import { environment } from '../../rig/process.ts';

const program = useProgram();
const sandbox = useSandbox();
const main = (): string => path.join(program.folder, 'dist/main.js');

test('tries failures on a command as a job, and names the bad cases', async () => {
  const file = path.join(program.folder, 'client.mjs');
  writeFileSync(file, planted);
  const variables = { TMPDIR: program.folder, SANDBOX_SEED: 'two' };
  const { client, call } = await connectStdio(main(), ['--url', sandbox.url()], variables);
  expect((await client.listTools()).tools).toHaveLength(10);
  const input = { command: [process.execPath, file], operation: 'asyncImportJobs', kind: 'status-503' };
  const before = await call('try_failures', { ...input, before: 'no-such-commit' });
  expect(before).toMatchObject({ isError: true, text: expect.stringContaining('no-such-commit') });
  expect(readdirSync(program.folder).filter((name) => name.startsWith('field-sandbox-'))).toEqual([]);
  const half = await call('try_failures', { ...input, operation: undefined, before: 'HEAD' });
  expect(half).toMatchObject({ isError: true, text: expect.stringContaining('/before: expected operation and kind') });
  let { data } = await call('try_failures', input);
  while (data.status === 'running') ({ data } = await call('try_failures', { job: data.job }));
  expect(data).toMatchObject({
    status: 'done',
    cases: [
      {
        verdict: 'unnoticed',
        repeat: expect.stringMatching(
          /^npx field-sandbox sweep --operation asyncImportJobs --kind status-503\S* --seed two -- /,
        ),
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

test('ends the command of a call that the client cancels, and when the client leaves', async () => {
  const file = path.join(program.folder, 'pid');
  const script = `require('fs').writeFileSync(${JSON.stringify(file)}, String(process.pid)); setTimeout(() => 0, 60_000)`;
  const input = {
    command: [process.execPath, '-e', script],
    before: 'HEAD',
    operation: 'asyncImportJobs',
    kind: 'close',
  };
  const { client } = await connectStdio(main(), ['--url', sandbox.url()]);
  const isAlive = (pid: number) => readdirSync('/proc').includes(String(pid));
  const begin = async (signal = new AbortController().signal): Promise<number> => {
    rmSync(file, { force: true });
    client.callTool({ name: 'try_failures', arguments: input }, undefined, { signal }).catch(() => undefined);
    const readPid = () => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0);
    await expect.poll(readPid, { timeout: 20_000 }).toBeGreaterThan(0);
    return readPid();
  };
  const cancelling = new AbortController();
  const first = await begin(cancelling.signal);
  cancelling.abort();
  await expect.poll(() => isAlive(first), { timeout: 10_000 }).toBe(false);
  const second = await begin();
  await client.close();
  await expect.poll(() => isAlive(second), { timeout: 10_000 }).toBe(false);
}, 60_000);

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
  let { data, text } = await call('try_failures', { command: 'TESTS=1 node client.mjs', ...input, before: 'HEAD' });
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

test('starts a sandbox where none runs, and ends with its input, after the answers to what came before', () => {
  const ask = (id: number, method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id, method, params });
  const opening = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const input = `${ask(1, 'initialize', opening)}\n${ask(2, 'tools/call', { name: 'sandbox_status' })}\n`;
  const piped = { input, env: environment({ SANDBOX_PORT: '0' }), stdio: 'pipe', encoding: 'utf8' } as const;
  const [, answer = ''] = execFileSync(process.execPath, [main(), 'mcp'], piped).split('\n');
  expect(JSON.parse(answer).result.structuredContent).toMatchObject({ access: { admin: true }, projects: [] });
});

test('--read-only leaves the reading tools, and --project is the project of calls without one', async () => {
  const { client, call } = await connectStdio(main(), ['--url', sandbox.url(), '--project', 'mine', '--read-only']);
  expect((await call('find_events', { kind: 'requests' })).data.rows).toEqual([]);
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name).join(' ');
  expect(names).toBe('sandbox_status list_operations search_docs find_events explain');
  expect(await call('set_up_project', { project: 'x', action: 'reset', confirm: true })).toMatchObject({
    isError: true,
  });
});
