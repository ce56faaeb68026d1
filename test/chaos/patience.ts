/** The server's patience with clients: how long it has, a server that has less of it, and what others get meanwhile. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, inject } from 'vitest';
import { ask } from '../flows/data-steps.ts';
import type { Program, Ready } from '../harness/program.ts';
import type { Crowd } from './crowd.ts';

const { hurry } = inject('amounts');

/** As docs/operating/security.md says. */
export const headMs: number = 30_000 / hurry;
export const requestMs: number = 120_000 / hurry;
export const unreadMs: number = 30_000 / hurry;
/** How often it is looked for those who took longer, and what that may take. */
export const lookedForMs: number = 30_000 / hurry + 5000;

/** A server that has been used. */
export async function startPatient(program: Program): Promise<Ready> {
  const preload = pathToFileURL(path.resolve('test/chaos/hurried.mjs'));
  preload.searchParams.set('times', String(hurry));
  const server = await program.startReady(['--log', 'off'], hurry === 1 ? {} : { NODE_OPTIONS: `--import ${preload}` });
  // So that all that is loaded when first used is there.
  await serve(server, 20);
  return server;
}

/** A client that behaves: how long the slowest of its requests took. */
export async function serve({ url }: Ready, count: number): Promise<number> {
  let slowestMs = 0;
  for (let n = 0; n < count; n += 1) {
    const startedMs = performance.now();
    const told = await ask(`${url}/async/projects/good/jobs`, 'POST', { jobs: [{ id: crypto.randomUUID() }] });
    expect(told.status).toBe(202);
    expect((await ask(`${url}/_sandbox/projects/good`, 'GET')).status).toBe(200);
    slowestMs = Math.max(slowestMs, performance.now() - startedMs);
  }
  return slowestMs;
}

/** Waits until all of a crowd were let go; none before the limit, and all soon after it. */
export async function expectLetGo(what: string, { sockets, stayedMs }: Crowd, limitMs: number): Promise<void> {
  const maxMs = limitMs + lookedForMs;
  await expect.poll(() => stayedMs.length, { timeout: maxMs, interval: 250, message: what }).toBe(sockets.length);
  const [first, last] = [Math.min(...stayedMs), Math.max(...stayedMs)];
  console.log(
    `${sockets.length} clients, ${what}: let go after ${Math.round(first / 1000)} to ${Math.round(last / 1000)} s`,
  );
  // Timers and clocks differ a little.
  expect(first).toBeGreaterThan(limitMs * 0.9);
}

/** By how much something has grown since. */
export function growth(read: () => number | undefined): () => number {
  const before = read() ?? 0;
  return () => (read() ?? 0) - before;
}
