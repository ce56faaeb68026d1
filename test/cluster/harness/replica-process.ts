/** One process of the built program, which ends with the test's process even if that is killed. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { environment, type ProcessResult } from '../../harness/program.ts';

export interface ReplicaProcess {
  readonly pid: number;
  /** URL of the sandbox; rejects with the output if the process ends before it is ready. */
  readonly ready: Promise<string>;
  readonly ended: Promise<ProcessResult>;
  isRunning(): boolean;
  /** Standard error so far. */
  err(): string;
  signal(name: NodeJS.Signals): void;
}

/** Starts the program with a free or given port, and with `--json`, whose first line names the URL. */
export function startProcess(
  program: string,
  args: readonly string[],
  options: Readonly<Record<string, string>>,
): ReplicaProcess {
  const [command = '', ...rest] = [...dyingWithParent(), process.execPath, program, ...args];
  const child = spawn(command, rest, { env: environment(options), stdio: ['ignore', 'pipe', 'pipe'] });
  const written = { out: '', err: '' };
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...written }));
  const ready = new Promise<string>((done, failed) => {
    createInterface(child.stdout).on('line', (line) => {
      written.out += `${line}\n`;
      if (line.includes('"event":"ready"')) done((JSON.parse(line) as { url: string }).url);
    });
    void ended.then((result) => failed(new Error(`ended before it was ready: ${JSON.stringify(result)}`)));
  });
  child.stderr.on('data', (chunk) => {
    written.err += chunk;
  });
  return {
    pid: child.pid ?? 0,
    ready,
    ended,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    err: () => written.err,
    signal: (name) => void child.kill(name),
  };
}

/** Linux ends the process, which has the same id, with its parent. On other systems it survives a killed test. */
export function dyingWithParent(): readonly string[] {
  const command = ['setpriv', '--pdeathsig', 'KILL'];
  return spawnSync('setpriv', [...command.slice(1), 'true']).status === 0 ? command : [];
}
