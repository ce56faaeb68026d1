/** The processes that the tests of replicas start. Without a database, each is a sandbox of its own. */
import { setTimeout } from 'node:timers/promises';
import { expect, inject, onTestFinished, test } from 'vitest';
import { type Replicas, type ReplicasOptions, startReplicas } from './replicas.ts';
import { startRoundRobin } from './round-robin.ts';

async function start(options: Partial<ReplicasOptions> = {}): Promise<Replicas> {
  const replicas = await startReplicas({ count: 1, program: inject('program'), ...options });
  onTestFinished(replicas.stop);
  return replicas;
}

async function isReady(url: string): Promise<boolean> {
  return (await fetch(`${url}/_sandbox/ready`)).ok;
}

test('replicas answer behind a load balancer, and a killed one is left out', async () => {
  const replicas = await start({ count: 2 });
  const balancer = await startRoundRobin(replicas.urls);
  onTestFinished(() => balancer.close());
  const [first, second] = replicas.all;
  expect(new Set(replicas.all.flatMap(({ url, pid }) => [url, pid])).size).toBe(4);
  expect(await isReady(balancer.url)).toBe(true);
  await first?.kill();
  expect(replicas.urls().map(({ origin }) => origin)).toEqual([second?.url]);
  for (let request = 0; request < 3; request += 1) expect(await isReady(balancer.url)).toBe(true);
});

test('a paused replica answers only after it resumes', async () => {
  const [replica] = (await start()).all;
  replica?.pause();
  const answer = isReady(replica?.url ?? '');
  expect(await Promise.race([answer, setTimeout(300, 'nothing')])).toBe('nothing');
  replica?.resume();
  expect(await answer).toBe(true);
});

test('terminate resolves with the exit code, and restart keeps the port', async () => {
  const [replica] = (await start()).all;
  const pid = replica?.pid;
  expect(await replica?.terminate()).toBe(0);
  expect(replica?.isRunning).toBe(false);
  await replica?.restart();
  expect(replica?.pid).not.toBe(pid);
  expect(await isReady(replica?.url ?? '')).toBe(true);
  await replica?.restart({ args: ['--seed', '4711'] });
  expect(await isReady(replica?.url ?? '')).toBe(true);
});

test('a replica that ends before it is ready rejects with its exit code and output', async () => {
  await expect(start({ args: ['--sed', '1'] })).rejects.toThrow(/"code":2.*--sed/);
  const replicas = await start();
  await expect(replicas.add({ postgresUrl: 'postgresql://127.0.0.1:1/x', args: ['--cluster', '1'] })).rejects.toThrow(
    /"code":2/,
  );
  expect(replicas.all).toHaveLength(1);
});

test('the process of a replica is the program itself, so that signals reach it', async () => {
  const [replica] = (await start({ options: { SANDBOX_LOG: 'off' } })).all;
  process.kill(replica?.pid ?? 0, 'SIGKILL');
  expect(await replica?.ended()).toMatchObject({ code: null });
});
