/** `npm run mutate:fixes`: takes back what one commit has fixed, one commit at a time, and sees whether a test fails. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

/** A commit counts as a fix if it changes a test and few files of the source, the console apart: a feature changes more. */
const mostFiles = 6;
const source = ['src', ':!src/console', ':!*.gen.ts'];

/** The folder of tests at the public surface, where it has another name than the folder of the source. */
const testsOf = {
  cluster: 'simulation',
  config: 'profile',
  'control-api': 'control',
  http: 'requests',
  journal: 'control',
  keys: 'security',
  openapi: 'rules',
  operations: 'rules',
  records: 'model',
  usage: 'projects',
};

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '60' },
    skip: { type: 'string', default: '0' },
    commit: { type: 'string', multiple: true },
  },
});
const commits = values.commit ?? findFixes(Number(values.skip), Number(values.count));
const copy = mkdtempSync(path.join(tmpdir(), 'reverted-'));
git(['worktree', 'add', '--quiet', '--detach', copy, 'HEAD']);
for (const name of ['node_modules', 'dist']) symlinkSync(path.resolve(name), path.join(copy, name));
const files = JSON.parse(vitest(['list', '--filesOnly', '--json'])).map(({ file }) => path.relative(copy, file));
const fates = commits.map((commit) => {
  const [fate, by = ''] = judge(commit);
  console.log(`${fate}: ${git(['log', '-1', '--format=%h %s', commit]).trim()}${by && `\n    ${by}`}`);
  return fate;
});
git(['worktree', 'remove', '--force', copy]);
for (const fate of new Set(fates)) console.log(`${fates.filter((one) => one === fate).length} ${fate}`);

function findFixes(skip, count) {
  const fixes = [];
  for (const commit of git(['log', '--no-merges', '--format=%h', '--', ...source]).split('\n')) {
    const isFix = commit && listChanged(commit, source).length <= mostFiles && listTests(commit).length > 0;
    if (isFix && fixes.push(commit) === skip + count) break;
  }
  return fixes.slice(skip);
}

function listTests(commit) {
  return listChanged(commit, ['test/*.test.ts']);
}

function listChanged(commit, names) {
  return git(['show', '--format=', '--name-only', commit, '--', ...names])
    .split('\n')
    .filter(Boolean);
}

function judge(commit) {
  const diff = git(['show', '--format=', '--binary', commit, '--', ...source]);
  const { status } = spawnSync('git', ['apply', '--reverse', '--3way'], { cwd: copy, input: diff });
  const rooms = new Set(listChanged(commit, source).map((name) => name.split('/')[1]));
  const by = status === 0 ? findFailure(listTests(commit), [...rooms]) : undefined;
  git(['reset', '--quiet', '--hard'], copy);
  if (status !== 0) return ['does not apply'];
  return by ? ['noticed', by] : ['NOT NOTICED'];
}

function findFailure(changed, rooms) {
  const folders = rooms.map((room) => `/${testsOf[room] ?? room}`);
  const others = files.filter((name) => !changed.includes(name) && folders.some((folder) => name.includes(folder)));
  const ofReplicas = changed.filter((name) => name.startsWith('test/cluster/') && existsSync(path.join(copy, name)));
  return (
    run(changed.filter((name) => files.includes(name))) ??
    run(ofReplicas, '--config', 'config/vitest.cluster.config.ts') ??
    run(others)
  );
}

function run(names, ...args) {
  if (names.length === 0) return undefined;
  // More than any test needs on a busy machine.
  const limits = ['--testTimeout', '120000', '--hookTimeout', '120000'];
  const stdout = vitest(['run', '--bail', '1', '--reporter', 'json', ...limits, ...args, ...names]);
  const { success, testResults } = JSON.parse(stdout.slice(stdout.indexOf('{"num')));
  const file = testResults.find(({ status }) => status === 'failed');
  const test = file?.assertionResults.find(({ status }) => status === 'failed');
  const message = test ? `${test.title}: ${test.failureMessages[0]}` : file?.message;
  return success ? undefined : `${path.relative(copy, file?.name ?? '')}: ${message?.split('\n')[0]}`;
}

function vitest(args) {
  const stdio = ['ignore', 'pipe', 'ignore'];
  return spawnSync('npx', ['vitest', ...args], { cwd: copy, encoding: 'utf8', maxBuffer: 2 ** 30, stdio }).stdout;
}

function git(args, cwd = '.') {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (status !== 0) throw new Error(`git ${args[0]}: ${stderr}`);
  return stdout;
}
