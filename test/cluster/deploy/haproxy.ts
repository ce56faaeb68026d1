/** Runs the HAProxy of this machine with deploy/haproxy.cfg, whose addresses are replaced by those of a test. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { dyingWithParent } from '../harness/replica-process.ts';

const program = '/usr/sbin/haproxy';

/** Whether the tests that need HAProxy are skipped. */
export const haproxyIsMissing: boolean = spawnSync(program, ['-v']).status !== 0;

export interface Haproxy {
  /** Where clients reach the replicas. */
  readonly url: string;
  signal(name: NodeJS.Signals): void;
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
  /** Kills it, and deletes its files. */
  stop(): Promise<void>;
}

/** Starts HAProxy, and waits until it accepts connections. `servers`: name in the file → URL. */
export async function startHaproxy(servers: Readonly<Record<string, string>>, port: number): Promise<Haproxy> {
  const folder = mkdtempSync(path.join(tmpdir(), 'field-sandbox-haproxy-'));
  const file = path.join(folder, 'haproxy.cfg');
  writeFileSync(file, toHere(readFileSync('deploy/haproxy.cfg', 'utf8'), servers, port));
  const [command = '', ...args] = [...dyingWithParent(), program, '-db', '-f', file];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      out += chunk;
    });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const url = `http://127.0.0.1:${port}`;
  while (!(await isAccepting(url))) {
    if (child.exitCode !== null) throw new Error(`HAProxy ended with ${child.exitCode}: ${out}`);
    await setTimeout(50);
  }
  return {
    url,
    signal: (name) => void child.kill(name),
    ended,
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

/** Returns the output of `haproxy -c`, which is empty if nothing is wrong. */
export function checkHaproxy(servers: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'field-sandbox-haproxy-'));
  const file = path.join(folder, 'haproxy.cfg');
  writeFileSync(file, toHere(readFileSync('deploy/haproxy.cfg', 'utf8'), servers, 4600));
  const { stdout, stderr } = spawnSync(program, ['-c', '-f', file], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  return stderr + stdout.replace('Configuration file is valid\n', '');
}

function toHere(text: string, servers: Readonly<Record<string, string>>, port: number): string {
  const withServers = Object.entries(servers).reduce(
    (changed, [name, url]) =>
      changed.replaceAll(`server ${name} ${name}:4600\n`, `server ${name} ${new URL(url).host}\n`),
    text,
  );
  return withServers.replace('bind :4600\n', `bind 127.0.0.1:${port}\n`);
}

async function isAccepting(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/_sandbox/ready`)).ok;
  } catch {
    return false;
  }
}
