/** Slow clients, some who read no answer, and idle connections: others are served, they are let go, what they took is given back. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, inject, test } from 'vitest';
import { ask } from '../flows/data-steps.ts';
import { type Ready, useBuiltProgram } from '../harness/program.ts';
import { descriptorsOf, memoryOf } from '../rig/watched.ts';
import { type Crowd, useCrowds } from './crowd.ts';

const { hurry, slowClients, deafClients, idleConnections } = inject('amounts');
const program = useBuiltProgram();
const createCrowd = useCrowds();

/** As docs/operating/security.md says. */
const headMs: number = 30_000 / hurry;
const requestMs: number = 120_000 / hurry;
const unreadMs: number = 30_000 / hurry;
/** How often it is looked for those who took longer, and what that may take. */
const lookedForMs: number = 30_000 / hurry + 5000;

/** A server that has been used. */
async function startPatient(): Promise<Ready> {
  const preload = pathToFileURL(path.resolve('test/chaos/hurried.mjs'));
  preload.searchParams.set('times', String(hurry));
  const server = await program.startReady(['--log', 'off'], hurry === 1 ? {} : { NODE_OPTIONS: `--import ${preload}` });
  // So that all that is loaded when first used is there.
  await serve(server, 20);
  return server;
}

/** A client that behaves: how long the slowest of its requests took. */
async function serve({ url }: Ready, count: number): Promise<number> {
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
async function expectLetGo(what: string, { sockets, stayedMs }: Crowd, limitMs: number): Promise<void> {
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
function growth(read: () => number | undefined): () => number {
  const before = read() ?? 0;
  return () => (read() ?? 0) - before;
}

const head = 'POST /async/projects/slow/jobs HTTP/1.1\r\nhost: localhost\r\napikey: sandbox-key\r\n';
const body = 'content-type: application/json\r\ncontent-length: 1000000\r\n\r\n{"jobs":[';

test('clients that send slowly or do not read are disconnected, and do not block others', {
  timeout: 300_000,
}, async () => {
  const server = await startPatient();
  const { url, pid, child, ended } = server;
  const text = 'x'.repeat(6000);
  const jobs = Array.from({ length: 1000 }, (_, index) => ({ id: `J-${index}`, secondaryReference: text }));
  expect((await ask(`${url}/sync/projects/large/jobs/batch`, 'POST', { jobs })).status).toBe(200);
  const descriptors = growth(() => descriptorsOf(pid));
  const memory = growth(() => memoryOf(pid));
  const join = (first: string, drip?: string) =>
    createCrowd({ url, count: slowClients, first, ...(drip !== undefined && { drip }) });
  const silent = await join('');
  const slowHeads = await join('POST /async', 'x');
  const slowHeaders = await join(`${head}x-slow: `, 'x');
  const slowBodies = await join(head + body, ' ');
  const asking = 'GET /_sandbox/projects/large/jobs?limit=1000 HTTP/1.1\r\nhost: localhost\r\n\r\n';
  await createCrowd({ url, count: deafClients, first: asking, reads: false });
  const slowestMs = await serve(server, 50);
  console.log(
    `beside ${4 * slowClients + deafClients} slow clients a request took ${Math.round(slowestMs)} ms at most`,
  );
  expect(slowestMs).toBeLessThan(3000);
  expect(memory()).toBeLessThan(1000);
  await expectLetGo('with nothing sent', silent, headMs);
  await expectLetGo('with a slow first line', slowHeads, headMs);
  await expectLetGo('with slow headers', slowHeaders, headMs);
  expect(new Set([...slowHeads.answers, ...slowHeaders.answers])).toEqual(new Set(['HTTP/1.1 408 Request Timeout']));
  // Those who don't read can't see that they were: of theirs, only the bodies' are left.
  const max = { timeout: unreadMs + lookedForMs, interval: 250, message: 'those who do not read' };
  await expect.poll(descriptors, max).toBeLessThanOrEqual(slowClients + 5);
  await expectLetGo('with a slow body', slowBodies, requestMs);
  await expect.poll(descriptors, { timeout: 10_000 }).toBeLessThanOrEqual(5);
  expect(await serve(server, 5)).toBeLessThan(3000);
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0, err: '' });
});

/** Node lets a process have as many as it may; of that the shell knows. */
const maxDescriptors = Number(execFileSync('bash', ['-c', 'ulimit -Hn']).toString().replace('unlimited', '1e9'));
const tooFew = maxDescriptors < idleConnections + 1000;
if (tooFew) console.warn(`SKIPPED: idle connections, since a process may have ${maxDescriptors} descriptors.`);

test.skipIf(tooFew)('idle connections are closed, and do not block other clients', { timeout: 300_000 }, async () => {
  const server = await startPatient();
  const { url, pid, child, ended } = server;
  const descriptors = growth(() => descriptorsOf(pid));
  const memory = growth(() => memoryOf(pid));
  const idle = await createCrowd({ url, count: idleConnections, first: '' });
  const slowestMs = await serve(server, 50);
  const [mb, open] = [memory(), descriptors()];
  console.log(
    `beside ${open} connections a request took ${Math.round(slowestMs)} ms at most, ${Math.round(mb)} MB more`,
  );
  expect(slowestMs).toBeLessThan(3000);
  expect(mb).toBeLessThan(50 + idleConnections * 0.05);
  await expectLetGo('that only connected', idle, headMs);
  await expect.poll(descriptors, { timeout: 10_000 }).toBeLessThanOrEqual(5);
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0, err: '' });
});
