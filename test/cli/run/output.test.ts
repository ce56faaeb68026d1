/** Output of `field-sandbox run`: a closed pipe, a file, and a full disk. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { environment, useProgram } from '../../harness/program.ts';
import { script } from './script.ts';

const program = useProgram();

test('a closed output changes neither the exit code nor the JUnit file', async () => {
  const junit = path.join(program.folder, 'unread.xml');
  const args = ['run', '--log', 'pretty', '--junit', junit, '--', ...script('await jobs(1); process.exit(5)')];
  const running = program.start(args);
  running.child.stdout?.destroy();
  running.child.stderr?.destroy();
  expect((await running.ended).code).toBe(5);
  expect(readFileSync(junit, 'utf8')).toContain('the command exited with 5');
});

test('a report at /dev/stdout is appended to the file that the output goes to', () => {
  const run = 'node dist/main.js run --coverage /dev/stdout -- true >>all.md';
  execFileSync('sh', ['-c', `${run} && ${run}`], { cwd: program.folder, env: environment({}) });
  expect(readFileSync(path.join(program.folder, 'all.md'), 'utf8').match(/^# API coverage/gm)).toHaveLength(2);
});

test.skipIf(!existsSync('/dev/full'))(
  'a report that cannot be written gives exit code 1, without a stack',
  async () => {
    const main = path.join(program.folder, 'dist/main.js');
    const args = ['-c', 'exec "$0" "$@" >/dev/full', process.execPath, main, 'run', '--', 'true'];
    const child = spawn('sh', args, { env: environment({}) });
    const closed = once(child, 'close');
    const err = (await child.stderr.toArray()).join('');
    expect(await closed).toEqual([1, null]);
    expect(err).toContain('cannot write: ENOSPC');
    expect(err).not.toMatch(/^\s+at /m);
  },
);
