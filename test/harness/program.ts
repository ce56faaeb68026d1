/** The built program as a process, for one test file: built anew into a folder of its own, or as it was built last. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll } from 'vitest';

/** How it ended, and what it wrote. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A process that runs. */
export interface Running {
  readonly child: ChildProcess;
  /** Resolves when its output fits. */
  wrote(text: string): Promise<void>;
  readonly ended: Promise<Ended>;
}

/** A sandbox that is ready. */
export interface Ready extends Running {
  readonly url: string;
}

export interface Program {
  /** For files of this test; goes with it. */
  readonly folder: string;
  start(args: readonly string[], options?: Readonly<Record<string, string>>): Running;
  /** Starts a sandbox on a free port of this machine, and waits until it is ready. */
  startReady(args: readonly string[], options?: Readonly<Record<string, string>>): Promise<Ready>;
  /** Starts a sandbox on a free port of this machine, which lasts as long as the file's tests; where it is. */
  startSandbox(args?: readonly string[], options?: Readonly<Record<string, string>>): Promise<string>;
  /** Runs it until it ends. */
  run(args: readonly string[], options?: Readonly<Record<string, string>>): Promise<Ended>;
}

/** Where the built program is, and how to end what was started of it. */
interface Place {
  readonly folder: string;
  /** The program's file. */
  readonly main: string;
}

export function useProgram(): Program {
  // Beneath the project, so that it finds its packages.
  const folder = mkdtempSync(path.resolve('node_modules/.field-sandbox-test-'));
  beforeAll(async () => {
    const rolldown = path.resolve('node_modules/.bin/rolldown');
    await promisify(execFile)(rolldown, ['-c', 'rolldown.config.ts', '-d', path.join(folder, 'dist')]);
  }, 60_000);
  return useProcesses({ folder, main: path.join(folder, 'dist/main.js') });
}

/** The program as it was built last, which is not done here. */
export function useBuiltProgram(): Program {
  const folder = mkdtempSync(path.join(tmpdir(), 'field-sandbox-test-'));
  return useProcesses({ folder, main: path.resolve('dist/main.js') });
}

/** Processes of it, which go with the file's tests. */
function useProcesses({ folder, main }: Place): Program {
  const children = new Set<ChildProcess>();
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  function start(args: readonly string[], options: Readonly<Record<string, string>> = {}): Running {
    const child = spawn(process.execPath, [main, ...args], { env: environment(options) });
    children.add(child);
    const written = { out: '', err: '' };
    const waiting = new Set<() => void>();
    const keep = (stream: 'out' | 'err') => (chunk: Buffer) => {
      written[stream] += chunk;
      for (const look of waiting) look();
    };
    child.stdout.on('data', keep('out'));
    child.stderr.on('data', keep('err'));
    const ended = once(child, 'close').then(([code]) => {
      children.delete(child);
      return { code: code as number | null, ...written };
    });
    return {
      child,
      ended,
      wrote: (text) =>
        new Promise((done, failed) => {
          const look = (): void => {
            if (written.out.includes(text)) done();
          };
          waiting.add(look);
          look();
          void ended.then((how) => failed(new Error(`ended after ${JSON.stringify(how)}`)));
        }),
    };
  }

  async function startReady(args: readonly string[], options: Readonly<Record<string, string>> = {}): Promise<Ready> {
    const running = start([...args, '--host', '127.0.0.1', '--port', '0', '--json'], options);
    let out = '';
    running.child.stdout?.on('data', (chunk) => {
      out += chunk;
    });
    await running.wrote('"event":"ready"');
    return { ...running, url: (JSON.parse(out.split('\n')[0] ?? '') as { url: string }).url };
  }

  const startSandbox: Program['startSandbox'] = async (args = [], options = {}) =>
    (await startReady(args, options)).url;

  return { folder, start, startReady, startSandbox, run: (args, options) => start(args, options).ended };
}

/** The environment without options of a sandbox, and these. */
export function environment(options: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  // biome-ignore lint/style/noProcessEnv: a child needs the PATH
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SANDBOX_'));
  return { ...Object.fromEntries(inherited), ...options };
}
