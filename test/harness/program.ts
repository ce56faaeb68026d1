/** Runs the built program as a process for one test file, from a copy of the build or from the latest one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { builtProgram } from './build.ts';

/** Exit code and output of a process. */
export interface ProcessResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A running process. */
export interface Running {
  readonly child: ChildProcess;
  /** Resolves when the standard output contains the text; rejects if the process exits before. */
  waitForOutput(text: string): Promise<void>;
  readonly ended: Promise<ProcessResult>;
}

/** A sandbox that accepts requests. */
export interface Ready extends Running {
  readonly url: string;
}

export interface Program {
  /** Folder for files of this test; deleted after it. */
  readonly folder: string;
  start(args: readonly string[], options?: Readonly<Record<string, string>>): Running;
  /** Starts a sandbox on a free port, and waits until it is ready. */
  startReady(args: readonly string[], options?: Readonly<Record<string, string>>): Promise<Ready>;
  /** Starts a sandbox on a free port for all tests of the file, and returns its URL. */
  startSandbox(args?: readonly string[], options?: Readonly<Record<string, string>>): Promise<string>;
  /** Runs the program until it exits. */
  run(args: readonly string[], options?: Readonly<Record<string, string>>): Promise<ProcessResult>;
}

/** Paths of the built program. */
interface ProgramPaths {
  readonly folder: string;
  /** The program's main file. */
  readonly main: string;
}

export function useProgram(): Program {
  // Inside this project, so that the program finds its packages.
  const folder = mkdtempSync(path.resolve('node_modules/.field-sandbox-test-'));
  beforeAll(async () => cpSync(await builtProgram(), path.join(folder, 'dist'), { recursive: true }), 60_000);
  return useProcesses({ folder, main: path.join(folder, 'dist/main.js') });
}

/** Runs the program of the latest build, without building it again. */
export function useBuiltProgram(): Program {
  const folder = mkdtempSync(path.join(tmpdir(), 'field-sandbox-test-'));
  return useProcesses({ folder, main: path.resolve('dist/main.js') });
}

/** Starts processes of the program, and kills them after the file's tests. */
function useProcesses({ folder, main }: ProgramPaths): Program {
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
    const collect = (stream: 'out' | 'err') => (chunk: Buffer) => {
      written[stream] += chunk;
      for (const check of waiting) check();
    };
    child.stdout.on('data', collect('out'));
    child.stderr.on('data', collect('err'));
    const ended = once(child, 'close').then(([code]) => {
      children.delete(child);
      return { code: code as number | null, ...written };
    });
    return {
      child,
      ended,
      waitForOutput: (text) =>
        new Promise((done, failed) => {
          const check = (): void => {
            if (written.out.includes(text)) done();
          };
          waiting.add(check);
          check();
          void ended.then((result) => failed(new Error(`ended after ${JSON.stringify(result)}`)));
        }),
    };
  }

  async function startReady(args: readonly string[], options: Readonly<Record<string, string>> = {}): Promise<Ready> {
    const running = start([...args, '--host', '127.0.0.1', '--port', '0', '--json'], options);
    let out = '';
    running.child.stdout?.on('data', (chunk) => {
      out += chunk;
    });
    await running.waitForOutput('"event":"ready"');
    return { ...running, url: (JSON.parse(out.split('\n')[0] ?? '') as { url: string }).url };
  }

  const startSandbox: Program['startSandbox'] = async (args = [], options = {}) =>
    (await startReady(args, options)).url;

  return { folder, start, startReady, startSandbox, run: (args, options) => start(args, options).ended };
}

/** Returns the environment with these variables, and without other sandbox options. */
export function environment(options: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  // biome-ignore lint/style/noProcessEnv: a child needs the PATH
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SANDBOX_'));
  return { ...Object.fromEntries(inherited), ...options };
}
