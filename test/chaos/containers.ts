/** Servers in containers that look alike: each is process 1 of its own, and all have one host name. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll } from 'vitest';
import { type Running, startProcess } from '../rig/process.ts';

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

export interface Container extends Pick<Running, 'ready' | 'ended' | 'err'> {
  /** To the server itself. */
  signal(signal: NodeJS.Signals): void;
  /** Ends all that is in it at once. */
  kill(): void;
}

/** Starts the built program as process 1 of the host `twin`; all of them end with the file's tests. */
export function useContainers(): (args: readonly string[]) => Container {
  const all = new Set<Container>();
  afterAll(() => {
    for (const container of all) container.kill();
  });
  return (args) => {
    const options = ['--host', '127.0.0.1', '--port', '0', '--json', ...args];
    const server = [process.execPath, path.resolve('dist/main.js'), ...options];
    const script = 'hostname twin && exec "$@"';
    const running = startProcess(['unshare', ...(findFlags() ?? []), 'sh', '-c', script, 'sh', ...server]);
    const container: Container = {
      ...running,
      signal: (signal) => {
        const { pid } = running;
        const [server] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
        process.kill(Number(server), signal);
      },
      kill: () => running.signal('SIGKILL'),
    };
    all.add(container);
    return container;
  };
}
