/**
 * `field-sandbox prove` on commits of a small repository: every verdict, its exit code and its files, as in
 * docs/guides/sweep.md and docs/reference/commands.md.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { builtProgram } from '../../harness/build.ts';
import { startProcess } from '../../rig/process.ts';

// A proof runs the command eight times.
vi.setConfig({ testTimeout: 120_000 });

const top = mkdtempSync(path.join(tmpdir(), 'field-sandbox-test-'));

/** Attempts of the client in each commit, and what it does with a 503. */
const send = (loop: string): string => `
const { SANDBOX_URL: url, SANDBOX_API_KEY: apikey } = process.env;
const headers = { apikey, 'content-type': 'application/json' };
const body = JSON.stringify({ jobs: [{ id: 'ORD-1' }] });
async function send() {
  const response = await fetch(url + '/async/projects/p/jobs', { method: 'POST', headers, body });
  await response.text();
  const seconds = Number(response.headers.get('retry-after') ?? 0);
  if (response.status >= 500) await new Promise((done) => setTimeout(done, seconds * 1000 + 20));
  return response.status;
}
${loop}
`;
const once = send('if (await send() >= 500) process.exit(1);');
const thrice = send('for (let left = 3; await send() >= 500; left -= 1) if (left === 0) process.exit(1);');
const nothing = `await fetch(process.env.SANDBOX_URL + '/async/projects/p/orders', { method: 'POST', headers:
  { apikey: process.env.SANDBOX_API_KEY, 'content-type': 'application/json' }, body: '{"orders":[{"id":"O-1"}]}' });`;
const flaky = `${once.replace('process.exit(1)', 'process.exit(await toggle())')}
async function toggle() {
  const { existsSync, rmSync, writeFileSync } = await import('node:fs');
  if (!existsSync(process.env.MARK)) return writeFileSync(process.env.MARK, ''), 1;
  rmSync(process.env.MARK);
  await send();
  return 0;
}`;

const commitNothing = 'git -c user.name=t -c user.email=t@example.com commit -q --allow-empty -m one';

const sendBroken = `
await fetch(url + '/sync/projects/p/jobs', { method: 'POST', headers, body:
  '{"id":"BROKEN-1","status":"PENDING","address":{"streetAddress":"1 Main St"}}' });`;

const git = (...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: top, encoding: 'utf8' });

function commit(tag: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) write(name, text);
  git('add', '-A');
  git('commit', '-q', '-m', tag);
  git('tag', tag);
}

beforeAll(async () => {
  main = path.join(await builtProgram(), 'main.js');
  mkdirSync(path.join(top, 'sweep'));
  git('init', '-q');
  commit('once', {
    'client.mjs': once,
    'client.test.mjs': "await import('./client.mjs');",
    '.gitignore': 'deps\nsweep\n',
  });
  commit('endless', { 'client.mjs': send('while ((await send()) >= 500);') });
  commit('silent', { 'client.mjs': send('await send();') });
  commit('thrice', { 'client.mjs': thrice });
});
afterAll(() => rmSync(top, { recursive: true }));

const fault = 'asyncImportJobs/status-503/1';
const client = ['--', process.execPath, 'client.mjs'];

let main = '';

const write = (name: string, text: string): void => writeFileSync(path.join(top, name), text);
const run = (args: readonly string[], variables: Readonly<Record<string, string>> = {}, cwd = top) =>
  startProcess([process.execPath, main, ...args], { variables, cwd }).ended;

async function prove(args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const file = path.join(top, 'sweep/proof.json');
  const result = await run(['prove', '--json', 'sweep/proof.json', '--out', 'sweep/out', ...args], variables);
  const json = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  rmSync(file, { force: true });
  return { ...result, json };
}

test('a retry is proven, and both runs are recorded', async () => {
  git('checkout', '-q', 'thrice');
  const { code, json, out, err } = await prove(['--before', 'once', '--case', fault, ...client]);
  expect(out).toContain('proven: it breaks the code before, and not the new code\n');
  expect(err).toMatch(/^1 case, up to 4 runs of each: about \d+ seconds\n {2}1 × up to \d+ s: status-503$/m);
  expect(code).toBe(0);
  const recording = { path: expect.stringContaining('p.json'), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) };
  expect(json).toEqual({
    verdict: 'proven',
    case: fault,
    seed: 'field-sandbox',
    before: { commit: git('rev-parse', 'once').trim(), verdict: 'failed', recording },
    after: { commit: git('rev-parse', 'thrice').trim(), dirty: false, verdict: 'recovered', recording },
  });
  const { path: file, sha256 } = json.before.recording;
  expect(
    createHash('sha256')
      .update(readFileSync(path.join(top, file)))
      .digest('hex'),
  ).toBe(sha256);
  expect(git('status', '--porcelain')).toBe('');
  expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1);
});

test.each([
  ['the old code survives it', 'thrice', thrice, 'not-reproduced'],
  ['the new code does not survive it', 'once', `${once}// changed`, 'not-fixed'],
  ['the new code does not reach it', 'once', nothing, 'avoided'],
])('%s', async (_, old, text, verdict) => {
  git('checkout', '-q', 'thrice');
  write('client.mjs', text);
  const { code, json } = await prove(['--before', old, '--case', fault, ...client]);
  git('checkout', '-q', '--', '.');
  expect({ code, verdict: json.verdict, dirty: json.after.dirty }).toEqual({
    code: 1,
    verdict,
    dirty: text !== thrice,
  });
});

test('retries without end are ended as a storm', async () => {
  git('checkout', '-q', 'thrice');
  const always = 'asyncImportJobs/status-500/always';
  const { code, json, err } = await prove(['--before', 'endless', '--case', always, ...client]);
  expect(err).toContain('recordings: sweep/out\n');
  expect({ code, verdict: json.verdict, before: json.before.verdict }).toEqual({
    code: 0,
    verdict: 'proven',
    before: 'storm',
  });
});

test('repetitions that differ prove nothing', async () => {
  git('checkout', '-q', 'thrice');
  write('client.mjs', flaky);
  const { code, json } = await prove(['--before', 'once', '--case', fault, ...client], {
    MARK: path.join(top, '.git/mark'),
  });
  git('checkout', '-q', '--', '.');
  expect({ code, verdict: json.verdict }).toEqual({ code: 1, verdict: 'flaky' });
});

test('a test that was changed to pass proves nothing', async () => {
  git('checkout', '-q', 'once');
  write(
    'client.test.mjs',
    "import { spawnSync } from 'node:child_process';\nspawnSync(process.execPath, ['client.mjs']);\nspawnSync(process.execPath, ['client.mjs']);",
  );
  const args = ['--before', 'once', '--case', fault];
  const withTests = await prove([...args, '--tests', '*.test.mjs', '--', process.execPath, 'client.test.mjs']);
  expect(git('status', '--porcelain')).toBe(' M client.test.mjs\n');
  git('checkout', '-q', '--', '.');
  expect({ code: withTests.code, verdict: withTests.json.verdict }).toEqual({ code: 1, verdict: 'tests-changed' });
  git('checkout', '-q', 'thrice');
  write('client.test.mjs', "await import('./client.mjs'); // changed");
  const { code, json } = await prove([...args, '--tests', '*.test.mjs', '--', process.execPath, 'client.test.mjs']);
  git('checkout', '-q', '--', '.');
  expect({ code, verdict: json.verdict }).toEqual({ code: 0, verdict: 'proven' });
});

test.each([
  ['by the exit code', 'once', 'respond: { status: 503 }', 'proven', 'failed', 'recovered'],
  [
    'by the records, if a job is lost without a word',
    'silent',
    'respond: { status: 503 }',
    'proven',
    'unnoticed',
    'recovered',
  ],
  [
    'by the exit code alone, if it refuses the job itself',
    'silent',
    'refuse: Closed',
    'not-reproduced',
    'recovered',
    undefined,
  ],
])('a scenario counts %s', async (_, old, then, verdict, before, after) => {
  git('checkout', '-q', 'thrice');
  write('.git/down.yaml', `name: down\nrules:\n  - { times: 1, then: { ${then} } }\n`);
  const { code, json } = await prove(['--before', old, '--scenario', '.git/down.yaml', ...client]);
  const seen = { verdict: json.verdict, before: json.before.verdict, after: json.after?.verdict ?? undefined };
  expect(seen).toEqual({ verdict, before, after });
  expect(code).toBe(verdict === 'proven' ? 0 : 1);
});

test('every bad case of a sweep is proven, in a table', async () => {
  git('checkout', '-q', 'once');
  const kinds = ['--kind', 'status-503,status-500', '--occurrences', 'first'];
  await run([
    'sweep',
    ...kinds,
    '--operation',
    'asyncImportJobs',
    '--json',
    'sweep/report.json',
    '--out',
    'sweep/a',
    ...client,
  ]);
  git('checkout', '-q', 'thrice');
  const { code, out, json } = await prove(['--before', 'once', '--sweep', 'sweep/report.json', ...client]);
  expect(json.proofs.map((one: { verdict: string }) => one.verdict)).toEqual(json.proofs.map(() => 'proven'));
  expect(json.proofs.length).toBeGreaterThan(1);
  expect(out).toMatch(/^case +before +after +verdict +meaning\n/);
  expect(out).toContain(`${json.proofs.length} of ${json.proofs.length} proven\n`);
  expect(code).toBe(0);
});

test('what Git ignores is linked, and the old tree is set up', async () => {
  git('checkout', '-q', 'thrice');
  mkdirSync(path.join(top, 'deps'));
  write('deps/index.mjs', thrice);
  write('client.mjs', "await import('./deps/index.mjs');");
  git('stash', '-q');
  const command = ['--', process.execPath, '-e', "await import('./deps/index.mjs'); await import('./made.mjs')"];
  write('made.mjs', '');
  const without = await prove(['--before', 'once', '--case', fault, ...command]);
  expect(without.err).toContain('the code before cannot be judged');
  expect(without.err).toContain('--link node_modules');
  expect(without.code).toBe(2);
  const prepared = ['--link', 'deps', '--setup', 'touch made.mjs'];
  const { code, json } = await prove(['--before', 'once', '--case', fault, ...prepared, ...command]);
  rmSync(path.join(top, 'made.mjs'));
  git('stash', 'drop', '-q');
  expect({ code, verdict: json.verdict }).toEqual({ code: 1, verdict: 'not-reproduced' });
});

test.each([
  [
    'an unknown case',
    ['--before', 'once', '--case', 'asyncImportJobs/status-50/1', ...client],
    'did you mean asyncImportJobs/status-500/1?',
  ],
  ['an unknown commit', ['--before', 'nope', '--case', fault, ...client], '--before: no commit "nope"'],
  ['no failure', ['--before', 'once', ...client], 'expected the failure: --case CASE'],
  ['no commit', ['--case', fault, ...client], '--before: expected the commit with the failure'],
  [
    'a link that is not there',
    ['--before', 'once', '--case', fault, '--link', 'none', ...client],
    '--link: none does not exist',
  ],
  [
    'a setup that fails',
    ['--before', 'once', '--case', fault, '--setup', 'echo no; exit 3', ...client],
    '--setup ended with 3; expected 0',
  ],
  [
    'a command that fails',
    ['--before', 'once', '--case', fault, '--', process.execPath, '-e', 'process.exit(4)'],
    'the code before cannot be judged',
  ],
  ['a file that is no sweep', ['--before', 'once', '--sweep', 'client.mjs', ...client], '--sweep: client.mjs'],
])('%s is wrong use', async (_, args, message) => {
  git('checkout', '-q', 'thrice');
  const { code, err, json } = await prove(args);
  expect(err).toContain(message);
  expect({ code, json }).toEqual({ code: 2, json: undefined });
});

test.each([
  ['without a repository', 'true', 'HEAD', 'is in no Git repository'],
  [
    'without a commit',
    'git init -q',
    'HEAD',
    '--before: the repository has no commit; commit the code with the failure',
  ],
  ['with one commit', `git init -q && ${commitNothing}`, 'HEAD~1', 'the repository has only one: use --before HEAD'],
  ['without older commits', `git clone -q --depth 1 'file://${top}' .`, 'HEAD~1', 'git fetch --unshallow'],
])('a folder %s is wrong use', async (_, prepare, before, message) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'field-sandbox-test-'));
  execFileSync('sh', ['-c', prepare], { cwd: folder });
  const { code, err } = await run(['prove', '--before', before, '--case', fault, '--', 'true'], {}, folder);
  rmSync(folder, { recursive: true });
  expect(err).toContain(message);
  expect(code).toBe(2);
});

test('a file that the commit lacks is named', async () => {
  git('checkout', '-q', 'once');
  write('fresh.mjs', thrice);
  const { code, err } = await prove(['--before', 'once', '--case', fault, '--', process.execPath, 'fresh.mjs']);
  rmSync(path.join(top, 'fresh.mjs'));
  expect(err).toContain(`Commit ${git('rev-parse', 'once').slice(0, 10)} lacks fresh.mjs: untracked, or added later?`);
  expect(code).toBe(2);
});

test('a bug of the sandbox is printed, and the exit code is 1', async () => {
  git('checkout', '-q', 'thrice');
  write('client.mjs', `${once}${sendBroken}`);
  git('stash', '-q');
  write('client.mjs', `${thrice}${sendBroken}`);
  const variables = { NODE_OPTIONS: `--require ${path.resolve('test/cli/broken.cjs')}` };
  const { code, json, err } = await prove(['--before', 'stash', '--case', fault, ...client], variables);
  git('checkout', '-q', '--', '.');
  git('stash', 'drop', '-q');
  expect(new Set(err.match(/^bug in the sandbox, not in your code: .*$/gm)).size).toBeGreaterThan(0);
  expect({ code, verdict: json.verdict }).toEqual({ code: 1, verdict: 'proven' });
});
