/** Receivers that hang, break off, or answer without end: attempts are bounded and recorded, and nobody else waits for them. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { ask } from '../flows/data-steps.ts';
import { type Ready, useBuiltProgram } from '../harness/program.ts';
import { useReceiver } from '../harness/receiver.ts';
import { memoryOf } from '../rig/watched.ts';
import { useBadReceiver } from './bad-receivers.ts';

const program = useBuiltProgram();
const good = useReceiver();
const bad = useBadReceiver();
const { callbacks: count } = inject('amounts');

/** Each way to answer, what an attempt comes to, and what becomes of the callback. */
const kinds = [
  ['hang', { error: 'timed out after 1 s' }, 'failed'],
  ['reset', { error: 'connection reset' }, 'failed'],
  ['close', { error: 'connection closed without a response' }, 'failed'],
  ['half a head', { error: 'connection closed without a response' }, 'failed'],
  ['no HTTP', { error: 'the response is not HTTP' }, 'failed'],
  ['ten megabytes', { status: 200 }, 'delivered'],
  ['ten megabytes and a failure', { status: 500 }, 'failed'],
  ['a slow failure', { status: 503 }, 'failed'],
  ['endless headers', { error: 'the head of the response is longer than 16 kB' }, 'failed'],
  ['slow headers', { error: 'timed out after 1 s' }, 'failed'],
  ['a redirect', { status: 307 }, 'failed'],
  ['a redirect to itself', { status: 308 }, 'failed'],
  ['many early answers', { error: 'the receiver sent more than 100 interim responses (1xx)' }, 'failed'],
] as const;

const timeoutMs = 1000;
const retriesMs = [100, 200];
const projectOf = (kind: string): string => kind.replaceAll(' ', '-');

interface Shown {
  readonly state: string;
  readonly attempts: readonly { readonly at: string; readonly status?: number; readonly error?: string }[];
}

describe('with every kind of bad receiver', () => {
  let server: Ready;
  let before = 0;
  const goodMs: number[] = [];

  async function fail(project: string, id: string): Promise<void> {
    const told = await ask(`${server.url}/async/projects/${project}/jobs`, 'POST', { jobs: [{ id: `FAIL-${id}` }] });
    expect(told.status).toBe(202);
  }

  beforeAll(async () => {
    const profile = path.join(program.folder, 'profile.yaml');
    writeFileSync(profile, `callbacks: { timeout: ${timeoutMs}ms, retries: [${retriesMs.map((ms) => `${ms}ms`)}] }\n`);
    server = await program.startReady(['--log', 'off', '--profile', profile, '--callback-url', good.url()]);
    for (const [kind] of kinds) {
      const url = `${server.url}/_sandbox/projects/${projectOf(kind)}/callback-endpoint`;
      expect((await ask(url, 'PUT', { url: bad.urlOf(kind) })).status).toBe(200);
    }
    before = memoryOf(server.pid);
    for (const [kind] of kinds) for (let n = 0; n < count; n += 1) await fail(projectOf(kind), String(n));
  });

  test('callbacks of another project are not delayed', async () => {
    for (let n = 1; n <= 20; n += 1) {
      const startedMs = performance.now();
      await fail('good', String(n));
      await good.waitFor(n);
      goodMs.push(performance.now() - startedMs);
    }
    console.log(`beside bad receivers a callback took ${Math.round(Math.max(...goodMs))} ms at most`);
    // 200 ms of them are the instruction's own.
    expect(Math.max(...goodMs)).toBeLessThan(2000);
    expect(bad.connections()).toBeGreaterThan(0);
  });

  test.each(kinds)('%s: every attempt is recorded, and retried as often as it should be', async (kind, came, state) => {
    const attempts = state === 'failed' ? retriesMs.length + 1 : 1;
    const limitMs = count * attempts * (timeoutMs + 1000);
    const url = `${server.url}/_sandbox/projects/${projectOf(kind)}/callbacks?state=${state}&await=${limitMs}ms&min=${count}`;
    const items = (await ask(url, 'GET')).body.items as readonly Shown[];
    expect(items.map((item) => item.state)).toEqual(Array.from({ length: count }, () => state));
    for (const item of items) {
      expect(item.attempts).toEqual(Array.from({ length: attempts }, () => expect.objectContaining(came)));
      // They are due by when the one before began, which is told once that was signed.
      const signedMs = 50;
      const instants = item.attempts.map(({ at }) => Date.parse(at));
      for (const [index, retryMs] of retriesMs.slice(0, attempts - 1).entries())
        expect((instants[index + 1] ?? 0) - (instants[index] ?? 0)).toBeGreaterThan(retryMs - signedMs);
    }
    expect(bad.received(kind)).toBe(count * attempts);
  });

  test('no redirect is followed, no connection is left, and memory is limited', async () => {
    expect(bad.received('trap')).toBe(0);
    expect(bad.received('')).toBe(0);
    await expect.poll(bad.connections, { timeout: 5000 }).toBe(0);
    const grownMb = memoryOf(server.pid) - before;
    console.log(`after bad receivers it had ${Math.round(grownMb)} MB more`);
    expect(grownMb).toBeLessThan(150);
    server.child.kill('SIGTERM');
    expect(await server.ended).toMatchObject({ code: 0, err: '' });
  });
});
