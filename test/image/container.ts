/** Containers of the image for the tests of a file: started by crun, asked from within their network, ended after each test. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, inject } from 'vitest';
import { type ProcessResult, startProcess } from '../rig/process.ts';
import { createBuildah } from './buildah.ts';
import { type Start, toBundle } from './bundle.ts';
import { run } from './command.ts';

export interface Answer {
  readonly status: number;
  readonly body: string;
}

export interface Container {
  /** Resolves with the standard output when it contains the text. */
  waitForOutput(text: string): Promise<string>;
  /** Asks it from its own network, where nobody else is. `url` is a path, or whole. */
  ask(url: string, init?: RequestInit): Promise<Answer>;
  /** Runs a command in it, as its user. */
  exec(command: readonly string[]): Promise<ProcessResult>;
  /** What the kernel says of its first process. */
  status(): string;
  signal(name: 'TERM' | 'INT' | 'KILL'): Promise<void>;
  readonly ended: Promise<ProcessResult>;
}

/** Not 127.0.0.1, which would be answered, too, where it listens on that alone. */
const address = 'http://127.0.0.2:4600';

const asking = `const [url, init] = JSON.parse(process.argv[1]);
const answer = await fetch(url, init);
console.log(JSON.stringify({ status: answer.status, body: await answer.text() }));`;

export function useContainers(): (start?: Start) => Promise<Container> {
  const { folder, driver, config } = inject('built');
  const buildah = createBuildah(folder, driver);
  const crun = ['--root', path.join(folder, 'crun'), '--cgroup-manager=disabled'];
  const running = new Map<string, Container>();
  afterEach(async () => {
    for (const container of running.values()) {
      await container.signal('KILL');
      await container.ended;
    }
    running.clear();
  });

  return async (start = {}) => {
    const { container: id, root } = await buildah.unpack('localhost/field-sandbox');
    const bundle = path.join(folder, 'bundles', id);
    mkdirSync(bundle, { recursive: true });
    writeFileSync(path.join(bundle, 'config.json'), JSON.stringify(toBundle(root, config, start)));
    const pidFile = path.join(bundle, 'pid');
    const { waitFor, ended } = startProcess(['crun', ...crun, 'run', '--bundle', bundle, '--pid-file', pidFile, id]);
    const pid = (): string => readFileSync(pidFile, 'utf8');
    const container: Container = {
      waitForOutput: (text) => waitFor(({ out }) => (out.includes(text) ? out : undefined)),
      ended: ended.finally(() => running.delete(id)),
      ask: async (url, init = {}) => {
        const asked = JSON.stringify([new URL(url, address), init]);
        const node = [process.execPath, '--input-type=module', '--eval', asking, asked];
        return JSON.parse(await run('nsenter', ['--target', pid(), '--net', ...node]));
      },
      exec: (command) => startProcess(['crun', ...crun, 'exec', id, ...command]).ended,
      status: () => readFileSync(`/proc/${pid()}/status`, 'utf8'),
      signal: async (name) => void (await run('crun', [...crun, 'kill', id, name])),
    };
    running.set(id, container);
    return container;
  };
}
