/** Starts servers, each as its own process. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startProcess } from '../rig/process.ts';

/** A server that is ready. */
export interface Server {
  readonly url: string;
  readonly pid: number;
  /** From the start of the process until it said that it is ready. */
  readonly startMs: number;
  /** Ends it, and waits until it has ended. */
  stop(): Promise<void>;
}

/** The servers of a run. They end with this process at the latest. */
export interface Servers {
  /** The sandbox as `npm start` has it, with these options. */
  sandbox(...options: readonly string[]): Promise<Server>;
  floor(): Promise<Server>;
}

/** How much of what it writes is kept, to be shown where it fails. */
const kept = 2000;

export const servers: Servers = {
  sandbox: (...options) => start('--max-semi-space-size=64', 'dist/main.js', '--port', '0', '--json', ...options),
  floor: () => start('dist/bench/floor.mjs'),
};

async function start(...words: readonly string[]): Promise<Server> {
  const started = performance.now();
  const { pid, ready, stop } = startProcess([process.execPath, ...words], { kept });
  const url = await ready;
  return { url, pid, startMs: performance.now() - started, stop: async () => void (await stop()) };
}

/** Creates a folder, which is removed when this process ends. */
export function createFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'field-sandbox-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
