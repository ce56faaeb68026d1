/** Runs the built program as a process for one test file, from a copy of the build or from the latest one. */
import type { ChildProcess } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type ProcessResult, type Running, startProcess } from '../rig/process.ts';
import { builtProgram } from './build.ts';

export { environment, type ProcessResult, type Running } from '../rig/process.ts';

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

  const start: Program['start'] = (args, variables = {}) => {
    const running = startProcess([process.execPath, main, ...args], { variables });
    children.add(running.child);
    return running;
  };

  const startReady: Program['startReady'] = async (args, options) => {
    const running = start([...args, '--host', '127.0.0.1', '--port', '0', '--json'], options);
    return { ...running, url: await running.ready };
  };

  const startSandbox: Program['startSandbox'] = async (args = [], options = {}) =>
    (await startReady(args, options)).url;

  return { folder, start, startReady, startSandbox, run: (args, options) => start(args, options).ended };
}
