/** Servers in containers that look alike: each is process 1 of its own, and all have one host name. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll } from 'vitest';
import type { ProcessResult } from '../harness/program.ts';
import { environment } from '../harness/program.ts';

const isolating = ['--pid', '--uts', '--fork', '--mount-proc', '--kill-child'];
/** Who is not root may have these in a namespace of users. */
const asUser = ['--user', '--map-root-user', ...isolating];

const mayIsolate = (flags: readonly string[]): boolean => spawnSync('unshare', [...flags, 'true']).status === 0;

/** What `unshare` has to be called with here; undefined where it may not do that. */
function findFlags(): readonly string[] | undefined {
  return [isolating, asUser].find(mayIsolate);
}

/** Why there can be none here; undefined where there can. */
export function findNoContainers(): string | undefined {
  return findFlags() ? undefined : 'no namespaces can be made here (that takes Linux, and that users may)';
}

export interface Container {
  /** Where the server is; rejects where it ends before it is ready. */
  readonly ready: Promise<string>;
  readonly ended: Promise<ProcessResult>;
  /** What it has written to stderr so far. */
  err(): string;
  /** To the server itself. */
  signal(signal: NodeJS.Signals): void;
  /** Ends all that is in it at once. */
  kill(): void;
}

/** Starts the built program as process 1 of the host `twin`; all of them end with the file's tests. */
export function useContainers(): (args: readonly string[]) => Container {
  const children = new Set<ChildProcess>();
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL');
  });
  return (args) => {
    const server = [
      process.execPath,
      path.resolve('dist/main.js'),
      '--host',
      '127.0.0.1',
      '--port',
      '0',
      '--json',
      ...args,
    ];
    const script = 'hostname twin && exec "$@"';
    const child = spawn('unshare', [...(findFlags() ?? []), 'sh', '-c', script, 'sh', ...server], {
      env: environment({}),
    });
    children.add(child);
    let [out, err] = ['', ''];
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, out, err }));
    const ready = new Promise<string>((done, failed) => {
      child.stdout.on('data', (chunk) => {
        out += chunk;
        const line = out.split('\n').find((text) => text.includes('"event":"ready"'));
        if (line !== undefined) done((JSON.parse(line) as { url: string }).url);
      });
      void ended.then((how) => failed(new Error(`ended after ${JSON.stringify(how)}`)));
    });
    // Some are not to become ready.
    ready.catch(() => undefined);
    return {
      ready,
      ended,
      err: () => err,
      signal: (signal) => {
        const [pid] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ');
        process.kill(Number(pid), signal);
      },
      kill: () => void child.kill('SIGKILL'),
    };
  };
}
