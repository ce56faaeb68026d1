/** One process of the built program, which ends with the test's process even if that is killed. */
import { spawnSync } from 'node:child_process';
import { type Running, startProcess as start } from '../../rig/process.ts';

/** Starts the program with a free or given port, and with `--json`, whose first line names the URL. */
export function startProcess(
  program: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>>,
): Running {
  return start([...dyingWithParent(), process.execPath, program, ...args], { variables });
}

/** Linux ends the process, which has the same id, with its parent. On other systems it survives a killed test. */
export function dyingWithParent(): readonly string[] {
  const command = ['setpriv', '--pdeathsig', 'KILL'];
  return spawnSync('setpriv', [...command.slice(1), 'true']).status === 0 ? command : [];
}
