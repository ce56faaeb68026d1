/** The memory of the server is bounded: idle projects are evicted before it is reached, then what would grow is refused. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { OptionTexts } from '../../../src/config/options.ts';
import type { RunningSandbox } from '../../../src/server.ts';
import { writeProfile } from '../../harness/profile.ts';
import { noNotices, readOptions, startSandbox } from '../../harness/start-sandbox.ts';

const folder = mkdtempSync(join(tmpdir(), 'field-sandbox-memory-'));
let sandbox: RunningSandbox;
afterEach(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A server of two megabytes, half of which one project may take. */
async function start(options: OptionTexts = {}): Promise<void> {
  const profile = writeProfile({ limits: { project: { bytes: '1MB' } } });
  const read = readOptions({ clock: 'frozen', profile, ...options });
  sandbox = await startSandbox({ ...read, memory: 2 * 1024 ** 2 }, { ...noNotices, reportError: () => undefined });
}

async function ask(method: string, path: string, body?: unknown, token = '', apikey = 'sandbox-key') {
  const headers = { apikey, 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const answer = await fetch(sandbox.url + path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

/** About a quarter of a megabyte. */
const jobs = Array.from({ length: 100 }, (_, n) => ({ id: `JOB-${n}`, secondaryReference: 'x'.repeat(2000) }));
const fill = (project: string, key?: string) => ask('POST', `/sync/projects/${project}/jobs/batch`, { jobs }, '', key);
const accept = (project: string) => ask('POST', `/async/projects/${project}/jobs`, { jobs });
const projects = async (token = '') =>
  ((await ask('GET', '/_sandbox/projects', undefined, token)).body['items'] as { id: string }[]).map(({ id }) => id);

async function heldBytes(): Promise<number> {
  const headers = { authorization: 'Bearer secret' };
  const metrics = await (await fetch(`${sandbox.url}/_sandbox/metrics`, { headers })).text();
  return Number(/^sandbox_memory_bytes (\d+)$/m.exec(metrics)?.[1]);
}

/** A key of the projects that a test fills, and of two more. */
function toKey(key: string): string {
  const filled = Array.from({ length: 20 }, (_, n) => `${key}-p-${n}`);
  return `${key}=${[...filled, `${key}-0`, `${key}-other`, `${key}-fork`].join(',')}`;
}

/** Sends to one project after another until one is refused; how many were not. */
async function until507(send: (project: string) => Promise<{ status: number }>): Promise<number> {
  for (let n = 0; n < 20; n += 1) if ((await send(`p-${n}`)).status === 507) return n;
  return 20;
}

describe('a full server', () => {
  test('evicts idle projects, the least recently used first', async () => {
    await start();
    expect(await until507(fill)).toBe(20);
    const left = await projects();
    expect(left.length).toBeGreaterThan(2);
    expect(left.length).toBeLessThan(12);
    expect(left).toContain('p-19');
    expect(left).not.toContain('p-0');
  });

  test('with --data evicts applied projects, and counts them when they are read again', async () => {
    await start({ data: folder });
    const sizes: number[] = [];
    const sizeOf = async (project: string): Promise<number> => {
      const { usage } = (await ask('GET', `/_sandbox/projects/${project}`)).body as Record<
        'usage',
        Record<string, number>
      >;
      expect(usage['pending']).toBe(0);
      return usage['bytes'] ?? 0;
    };
    for (let n = 0; n < 14; n += 1) {
      expect((await accept(`p-${n}`)).status).toBe(202);
      await ask('POST', `/_sandbox/projects/p-${n}/clock/advance`, { until: 'idle' });
      sizes.push(await sizeOf(`p-${n}`));
    }
    // The records and, until it is evicted, the request in the journal.
    const own = JSON.stringify({ jobs }).length;
    for (const size of sizes) expect(size).toBeLessThan(2.6 * own);
    const again = await sizeOf('p-0');
    expect(again).toBeGreaterThan(own);
    expect(again).toBeLessThan(1.6 * own);
  });

  test('evicts others for a fork, but not its original', async () => {
    await start();
    await until507(fill);
    const original = (await projects())[0] ?? '';
    for (let n = 0; n < 10; n += 1) {
      const { status } = await ask('POST', `/_sandbox/projects/${original}/fork`, { to: `fork-${n}` });
      expect(status).toBe(201);
    }
    expect(await projects()).toEqual(expect.arrayContaining([original, 'fork-9']));
    expect(await projects()).not.toContain('fork-0');
  });

  test('refuses a fork if no project is idle', async () => {
    await start();
    await until507(accept);
    const before = await projects();
    const { status, body } = await ask('POST', '/_sandbox/projects/p-0/fork', { to: 'fork' });
    expect({ status, message: body['message'] }).toEqual({
      status: 507,
      message: expect.stringMatching(/^--memory is /),
    });
    expect(await projects()).toEqual(before);
  });

  test('drops the oldest rejected requests too', async () => {
    await start({ adminToken: 'secret' });
    await until507(fill);
    for (let n = 0; n < 12; n += 1) expect((await fill(`refused-${n}`)).status).toBe(507);
    const held = await heldBytes();
    expect(held).toBeGreaterThan(1024 ** 2);
    expect(held).toBeLessThanOrEqual(2 * 1024 ** 2);
  });

  test('makes room for what is copied or compiled at the same time, before it is there', async () => {
    await start({ adminToken: 'secret' });
    expect((await fill('p-0')).status).toBe(200);
    const inParallel = async (send: (n: number) => Promise<{ status: number }>) =>
      (await Promise.all(Array.from({ length: 20 }, (_, n) => send(n)))).map(({ status }) => status);
    const forks = await inParallel((n) => ask('POST', '/_sandbox/projects/p-0/fork', { to: `fork-${n}` }, 'secret'));
    expect(new Set(forks)).toEqual(new Set([201, 507]));
    expect(await heldBytes()).toBeLessThanOrEqual(2 * 1024 ** 2);
    for (const [n, status] of forks.entries())
      if (status === 201) await ask('POST', `/_sandbox/projects/fork-${n}/reset`, undefined, 'secret');
    const scenario = { name: 's', description: 'x'.repeat(100_000), rules: [{ then: { fail: 'x' } }] };
    const put = (n: number) => ask('PUT', `/_sandbox/projects/s-${n}/scenarios`, { scenarios: [scenario] }, 'secret');
    expect(new Set(await inParallel(put))).toEqual(new Set([200, 507]));
    // What was reserved is free again, and the next request drops what the journal has too much.
    expect((await fill('p-0')).status).toBe(200);
    expect(await heldBytes()).toBeLessThanOrEqual(2 * 1024 ** 2);
  });

  test('one key of projects takes at most half, and others still get theirs', async () => {
    await start({ adminToken: 'secret', apiKeys: ['acme', 'beta'].map(toKey) });
    const taken = await until507((project) => fill(`acme-${project}`, 'acme'));
    expect(taken).toBeGreaterThan(1);
    expect(await heldBytes()).toBeLessThanOrEqual(1024 ** 2);
    const refused = await fill('acme-other', 'acme');
    expect(refused.body['message']).toMatch(/^at most 1,048,576 bytes, half of --memory, .* Reset projects that are/);
    const fork = (to: string) => ask('POST', '/_sandbox/projects/acme-p-0/fork', { to: `acme-${to}` }, '', 'acme');
    expect(await until507(fork)).toBeLessThanOrEqual(taken + 1);
    expect(await until507((project) => fill(`beta-${project}`, 'beta'))).toBe(taken);
    await ask('POST', '/_sandbox/projects/acme-p-0/reset', undefined, 'secret');
    expect((await fill('acme-p-0', 'acme')).status).toBe(200);
  });

  test('a key of projects evicts its own idle projects first', async () => {
    await start({ apiKeys: ['acme', 'beta'].map(toKey) });
    await fill('beta-0', 'beta');
    expect(await until507((project) => fill(`acme-${project}`, 'acme'))).toBe(20);
    const left = await projects();
    expect(left).toContain('beta-0');
    expect(left).not.toContain('acme-p-0');
  });

  test('evicts no project with pending work, and rejects growth', async () => {
    await start();
    const taken = await until507(accept);
    expect(taken).toBeGreaterThan(2);
    expect(taken).toBeLessThan(12);
    const refused = await accept('p-1');
    expect(refused.status).toBe(507);
    expect(refused.body['message']).toMatch(
      /^--memory is 2,097,152 bytes: the [\d,]+ bytes that this request adds are/,
    );
    expect(await projects()).toContain('p-0');
    for (let n = 0; n < taken; n += 1) {
      await ask('POST', `/_sandbox/projects/p-${n}/clock/advance`, { until: 'idle' });
      expect((await ask('GET', `/_sandbox/projects/p-${n}/jobs/JOB-99`)).status).toBe(200);
    }
  });

  test('with files, reads evicted projects again', async () => {
    await start({ data: folder });
    expect(await until507(fill)).toBe(20);
    expect((await projects()).length).toBeLessThan(12);
    for (const n of [0, 10, 19]) expect((await ask('GET', `/_sandbox/projects/p-${n}/jobs/JOB-99`)).status).toBe(200);
    expect((await projects()).length).toBeLessThan(12);
  });

  test('with an admin token and no files, evicts no project for another', async () => {
    await start({ adminToken: 'secret' });
    const taken = await until507(fill);
    expect(taken).toBeLessThan(12);
    expect(await projects('secret')).toContain('p-0');
  });

  test('limits the library of scenarios too', async () => {
    await start();
    const put = (n: number) =>
      ask('PUT', `/_sandbox/scenarios/s-${n}`, {
        name: `s-${n}`,
        description: 'x'.repeat(100_000),
        rules: [{ then: { fail: 'x' } }],
      });
    let status = 200;
    for (let n = 0; n < 20 && status === 200; n += 1) status = (await put(n)).status;
    expect(status).toBe(507);
  });
});
