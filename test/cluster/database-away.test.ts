/** A replica that cannot reach its database: what clients, the load balancer and the operator see. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { ask } from '../flows/data-steps.ts';
import { type CuttingProxy, startCuttingProxy } from '../rig/cutting-proxy.ts';
import { postgresIsMissing } from './harness/postgres-binaries.ts';
import { type Replicas, startReplicas } from './harness/replicas.ts';
import { useDatabase } from './harness/use-postgres.ts';

const url = useDatabase();
/** Longer than any request may wait, on a slow machine too. */
const maxMs = 20_000;

describe.skipIf(postgresIsMissing)('a replica that cannot reach its database', () => {
  let proxy: CuttingProxy;
  let replicas: Replicas;
  beforeAll(async () => {
    proxy = await startCuttingProxy(url());
    replicas = await startReplicas({ count: 1, program: inject('program'), postgresUrl: proxy.url });
    // So that there is another replica, which takes the projects over.
    await replicas.add({ postgresUrl: url() });
    await write('A');
  });
  afterAll(async () => {
    await replicas?.stop();
    await proxy?.close();
  });
  const cutOff = () => replicas.all[0] as Replicas['all'][number];
  const write = (id: string) => ask(`${cutOff().url}/sync/projects/p/jobs/batch`, 'POST', { jobs: [{ id }] });
  const read = () => ask(`${cutOff().url}/_sandbox/projects/p/jobs/A`, 'GET');
  const ready = async () => (await ask(`${cutOff().url}/_sandbox/ready`, 'GET')).status;

  test.each([
    ['refuses connections', () => proxy.cut()],
    ['hangs', () => proxy.hang()],
  ])('%s: answers 503 in time, is not ready, and reports it once', async (_what, begin) => {
    expect((await write(randomUUID())).status).toBe(200);
    expect(await ready()).toBe(200);
    const before = cutOff().err().length;
    await begin();
    const startedMs = performance.now();
    const answers = await Promise.all([write('B'), read(), write('C'), read()]);
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
    for (const { body } of answers)
      expect(body).toMatchObject({ message: expect.stringMatching(/its database.*again$/) });
    expect(performance.now() - startedMs).toBeLessThan(maxMs);
    expect(await ready()).toBe(503);
    expect((await read()).status).toBe(503);
    await proxy.restore();
    await expect.poll(ready, { timeout: maxMs }).toBe(200);
    expect((await read()).status).toBe(200);
    const reported = cutOff().err().slice(before).trim().split('\n');
    expect(reported.filter((line) => line.includes('requests wait for it'))).toHaveLength(1);
    expect(reported.filter((line) => line.includes('database is back'))).toHaveLength(1);
    expect(reported.length).toBeLessThanOrEqual(3);
  });

  test('waits for it at the start', async () => {
    await cutOff().terminate();
    await proxy.cut();
    const starting = cutOff().restart();
    await expect.poll(() => cutOff().err(), { timeout: maxMs }).toContain('requests wait for it');
    await proxy.restore();
    await starting;
    expect((await read()).status).toBe(200);
  });

  test('ends in time at SIGTERM', async () => {
    expect((await write('D')).status).toBe(200);
    proxy.hang();
    const writing = write('E').catch(() => undefined);
    const startedMs = performance.now();
    expect(await cutOff().terminate()).toBe(0);
    expect(performance.now() - startedMs).toBeLessThan(10_000);
    await writing;
  });
});
