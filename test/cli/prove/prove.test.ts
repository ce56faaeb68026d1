/** `field-sandbox prove` reads a repository alone, and names its recordings. golden/prove-commits.txt has the rest. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { runCli } from '../../../src/cli/frame/run-cli.ts';
import { Trees } from '../../../src/cli/prove/trees.ts';
import { createWallClock } from '../../../src/lib/time.ts';
import { builtProgram } from '../../harness/build.ts';
import { createIo } from '../../harness/cli.ts';
import { createFolder } from '../../harness/folder.ts';
import { environment, startProcess } from '../../rig/process.ts';

function createRepository() {
  const [cwd, env] = [createFolder(), environment({ PROJECT: process.cwd() })];
  const shell = (command: string) => execFileSync('sh', ['-e', '-c', command], { cwd, encoding: 'utf8', env });
  shell('. "$PROJECT/test/cli/prove/repository.sh"');
  return { cwd, shell };
}

test('says in one line how far it is', async () => {
  const io = createIo({}, true);
  Object.assign(io.stderr, { columns: 80 });
  const { cwd } = createRepository();
  const spy = vi.spyOn(process, 'cwd').mockReturnValue(cwd);
  const args = ['--before', 'once', '--case', 'asyncImportJobs/status-503/1', '--', 'sleep', '1'];
  const code = await runCli(['prove', ...args], io);
  spy.mockRestore();
  expect(io.written.err).toMatch(/\r\S+field-sandbox: preparing, \d/);
  expect(io.written.err).toMatch(/\r\S+field-sandbox: run 1, without a failure, \d/);
  expect(code).toBe(2);
});

test('changes nothing but the files of its options', { timeout: 120_000 }, async () => {
  const { cwd, shell } = createRepository();
  appendFileSync(path.join(cwd, 'client.test.mjs'), '// changed\n');
  const main = path.join(await builtProgram(), 'main.js');
  const options = ['--before', 'once', '--case', 'asyncImportJobs/status-503/1', '--tests', '*.test.mjs'];
  const files = ['--json', 'sweep/proof.json', '--out', 'sweep/out'];
  const args = ['prove', ...options, ...files, '--', process.execPath, 'client.test.mjs'];
  expect((await startProcess([process.execPath, main, ...args], { cwd }).ended).code).toBe(0);
  expect(shell('git status --porcelain')).toBe(' M client.test.mjs\n');
  expect(shell('git worktree list').trim().split('\n')).toHaveLength(1);
  const { recording } = JSON.parse(readFileSync(path.join(cwd, 'sweep/proof.json'), 'utf8')).before;
  const bytes = readFileSync(path.join(cwd, recording.path));
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(recording.sha256);
});

test('links a path also if it is given whole', async () => {
  const { cwd } = createRepository();
  const deps = path.join(cwd, 'deps');
  mkdirSync(deps);
  const request = { cwd, before: 'once', tests: undefined, links: [deps], setup: undefined, env: environment({}) };
  const trees = await Trees.open({ ...request, wall: createWallClock(), signal: new AbortController().signal });
  const folder = await trees.before();
  expect(lstatSync(path.join(folder, 'deps')).isSymbolicLink()).toBe(true);
  await trees.close();
});

test('a signal ends the setup, and removes the trees', { timeout: 30_000 }, async () => {
  const { cwd, shell } = createRepository();
  const main = path.join(await builtProgram(), 'main.js');
  const options = ['--before', 'once', '--case', 'asyncImportJobs/status-503/1'];
  const folder = path.join(cwd, 'sweep');
  const setup = ['--setup', `git rev-parse --git-dir >${folder}/used; touch ${folder}/begun; sleep 60`];
  const args = ['prove', ...options, ...setup, '--', process.execPath, 'client.test.mjs'];
  // As in a hook of Git.
  const variables = { GIT_DIR: path.join(cwd, '.git'), GIT_INDEX_FILE: path.join(cwd, '.git/index') };
  const { signal, ended } = startProcess([process.execPath, main, ...args], { cwd, variables });
  await expect.poll(() => existsSync(path.join(cwd, 'sweep/begun')), { timeout: 20_000 }).toBe(true);
  signal('SIGINT');
  expect((await ended).code).toBe(130);
  expect(readFileSync(path.join(folder, 'used'), 'utf8')).toMatch(/worktrees.before$/m);
  expect(shell('git status --porcelain')).toBe('');
  expect(shell('git worktree list').trim().split('\n')).toHaveLength(1);
});

test.each([
  ['SIGINT', 130, /^field-sandbox prove: .*\n$/],
  [undefined, 2, /^field-sandbox prove: .*\nGit cannot check out \w{10}: .+\n$/],
] as const)('Git fails after the signal %s: exit %i', { timeout: 30_000 }, async (name, expected, text) => {
  const { cwd, shell } = createRepository();
  const main = path.join(await builtProgram(), 'main.js');
  // Checks nothing out, and fails when it may.
  const filter = 'cd sweep && touch begun && until [ -e fail ]; do sleep 0.1; done && exit 1';
  shell(`git config filter.slow.smudge 'cd ${cwd} && ${filter}'; git config filter.slow.clean cat`);
  shell('git config filter.slow.required true; echo "*.mjs filter=slow" >.git/info/attributes');
  const args = ['prove', '--before', 'once', '--case', 'asyncImportJobs/status-503/1', '--', 'true'];
  const { signal, ended } = startProcess([process.execPath, main, ...args], { cwd });
  await expect.poll(() => existsSync(path.join(cwd, 'sweep/begun')), { timeout: 20_000 }).toBe(true);
  if (name) signal(name);
  shell('touch sweep/fail');
  const { code, err } = await ended;
  expect(err).toMatch(text);
  expect(code).toBe(expected);
});

test('an unknown case leaves no folder behind', { timeout: 30_000 }, async () => {
  const [{ cwd }, temporary] = [createRepository(), createFolder()];
  const main = path.join(await builtProgram(), 'main.js');
  const args = ['--before', 'once', '--case', 'asyncImportJobs/status-5/1', '--', process.execPath, 'client.test.mjs'];
  const variables = { TMPDIR: temporary };
  expect((await startProcess([process.execPath, main, 'prove', ...args], { cwd, variables }).ended).code).toBe(2);
  expect(readdirSync(temporary)).toEqual([]);
});

test('a signal between two trials leaves no recordings whose place is not printed', { timeout: 30_000 }, async () => {
  const [{ cwd }, temporary] = [createRepository(), createFolder()];
  const main = path.join(await builtProgram(), 'main.js');
  const marks = createFolder();
  // The first trial of the case ends, and the second one does not.
  const wait = `if [ -e ${marks}/first ]; then touch ${marks}/second; sleep 60; fi; touch ${marks}/first`;
  const client = `${process.execPath} client.test.mjs; code=$?; if [ -n "$SANDBOX_CASE" ]; then ${wait}; fi; exit $code`;
  const args = ['--before', 'once', '--case', 'asyncImportJobs/status-503/1', '--', 'sh', '-c', client];
  const variables = { TMPDIR: temporary };
  const { signal, ended } = startProcess([process.execPath, main, 'prove', ...args], { cwd, variables });
  await expect.poll(() => existsSync(path.join(marks, 'second')), { timeout: 20_000 }).toBe(true);
  signal('SIGINT');
  expect((await ended).code).toBe(130);
  expect(readdirSync(temporary)).toEqual([]);
});
