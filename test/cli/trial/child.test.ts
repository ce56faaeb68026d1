/** Commands of trials run in process groups of their own, and end with the program whatever they do about signals. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { builtProgram } from '../../harness/build.ts';
import { createFolder } from '../../harness/folder.ts';
import { startProcess } from '../../rig/process.ts';

test('a second signal ends the program at once, and its commands with it', async () => {
  const main = path.join(await builtProgram(), 'main.js');
  const cwd = createFolder();
  const command = ['sh', '-c', 'trap "" TERM INT; echo $$ >pid.new; mv pid.new pid; sleep 60'];
  const { signal, isRunning, ended } = startProcess([process.execPath, main, 'sweep', '--', ...command], { cwd });
  await expect.poll(() => existsSync(path.join(cwd, 'pid')), { timeout: 20_000 }).toBe(true);
  const pid = Number(readFileSync(path.join(cwd, 'pid'), 'utf8'));
  const signalAgain = (): boolean => {
    signal('SIGINT');
    return isRunning();
  };
  await expect.poll(signalAgain, { interval: 20 }).toBe(false);
  expect((await ended).code).toBe(130);
  await expect.poll(() => isAlive(pid), { timeout: 5000 }).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
