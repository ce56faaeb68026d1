/** A machine whose clock is turned by hours, forth and back: nothing is lost, happens twice, or comes before its turn. */
import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, inject, test } from 'vitest';
import { ask } from '../flows/data-steps.ts';
import { type Ready, useBuiltProgram } from '../harness/program.ts';
import { type Received, useReceiver } from '../harness/receiver.ts';
import { createDice } from '../model/dice.ts';

const program = useBuiltProgram();
const receiver = useReceiver();
const dice = createDice(inject('seed'));
const { turns } = inject('amounts');
const hourMs = 3_600_000;
const soon = { timeout: 10_000, interval: 50 };

const file = path.join(program.folder, 'turned');
const preload = pathToFileURL(path.resolve('test/chaos/turned-clock.mjs'));
preload.searchParams.set('file', file);
let turnedMs = 0;

/** Turns the clock; what reads it never sees half a number. */
function turn(ms: number): void {
  turnedMs = ms;
  writeFileSync(`${file}.new`, String(ms));
  renameSync(`${file}.new`, file);
}

/** Turns the clock of a server, and waits until it shows that. */
async function turnTo({ url }: Ready, ms: number): Promise<void> {
  turn(ms);
  const isTurned = async (): Promise<boolean> => {
    const { now } = (await ask(`${url}/_sandbox/projects/nobody/clock`, 'GET')).body;
    return Math.abs(Date.parse(now) - Date.now() - turnedMs) < 60_000;
  };
  await expect.poll(isTurned, soon).toBe(true);
}

function start(...args: readonly string[]): Promise<Ready> {
  const all = ['--log', 'off', '--callback-url', receiver.url(), ...args];
  return program.startReady(all, { NODE_OPTIONS: `--import ${preload}` });
}

const importLater = async ({ url }: Ready, project: string, ...ids: readonly string[]): Promise<void> => {
  const told = await ask(`${url}/async/projects/${project}/jobs`, 'POST', { jobs: ids.map((id) => ({ id })) });
  expect([told.status, told.body.failed]).toEqual([202, []]);
};

const failedIn = ({ body }: Received): readonly string[] =>
  JSON.parse(body).data.failed.map(({ id }: { id: string }) => id);
/** The jobs of a project that were told of, in the order in which they were. */
const toldOf = (project: string): readonly string[] =>
  receiver.received.filter(({ body }) => JSON.parse(body).data.projectId === project).flatMap(failedIn);

async function stop({ child, ended }: Ready): Promise<void> {
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0, err: '' });
}

test('with repeated clock changes under load, all happens once and in the order of requests', {
  timeout: 240_000,
}, async () => {
  turn(0);
  const server = await start();
  const asked: string[] = [];
  for (let number = 1; number <= turns; number += 1) {
    const ids = Array.from({ length: 6 }, (_, index) => `${dice.often(50) ? 'FAIL-' : ''}${number}-${index}`);
    const turning = dice.below(ids.length);
    for (const [index, id] of ids.entries()) {
      await importLater(server, 'p', id);
      if (index === turning) await turnTo(server, (dice.below(49) - 24) * hourMs);
    }
    asked.push(...ids);
    const done = async (): Promise<number> => {
      const { items } = (await ask(`${server.url}/_sandbox/projects/p/pending`, 'GET')).body;
      return items.length;
    };
    await expect.poll(done, soon).toBe(0);
    await expect.poll(() => toldOf('p').length, soon).toBe(asked.filter((id) => id.startsWith('FAIL')).length);
    console.log(`turn ${number} of ${turns}: by ${turnedMs / hourMs} hours`);
  }
  expect(toldOf('p')).toEqual(asked.filter((id) => id.startsWith('FAIL')));
  const { items } = (await ask(`${server.url}/_sandbox/projects/p/jobs?limit=1000`, 'GET')).body;
  const stored = items as readonly { readonly id: string; readonly createdAt: string }[];
  expect(stored.map(({ id }) => id)).toEqual(asked.filter((id) => !id.startsWith('FAIL')));
  const instants = stored.map(({ createdAt }) => createdAt);
  expect(instants).toEqual(instants.toSorted());
  await stop(server);
});

test("after a change back by hours, the project's clock continues", async () => {
  turn(5 * hourMs);
  const server = await start();
  await importLater(server, 'p', 'FAIL-1');
  await expect.poll(() => toldOf('p'), soon).toEqual(['FAIL-1']);
  const before = (await ask(`${server.url}/_sandbox/projects/p/clock`, 'GET')).body.now;
  await turnTo(server, -5 * hourMs);
  await importLater(server, 'p', 'FAIL-2');
  await expect.poll(() => toldOf('p'), soon).toEqual(['FAIL-1', 'FAIL-2']);
  const after = (await ask(`${server.url}/_sandbox/projects/p/clock`, 'GET')).body.now;
  expect(Date.parse(after) - Date.parse(before)).toBeGreaterThan(200);
  expect(Date.parse(after) - Date.parse(before)).toBeLessThan(60_000);
  await stop(server);
});

test('after a change forward by hours, due work runs soon and delays no later work', async () => {
  turn(0);
  const server = await start();
  receiver.handle(({ body }) => {
    const isFirst = receiver.received.filter((one) => one.body === body).length === 1;
    return body.includes('FAIL-1') && isFirst ? { status: 503, headers: { 'retry-after': '7200' } } : 204;
  });
  await importLater(server, 'p', 'FAIL-1');
  await expect.poll(() => toldOf('p'), soon).toEqual(['FAIL-1']);
  await turnTo(server, 3 * hourMs);
  await importLater(server, 'p', 'FAIL-2');
  await expect.poll(() => toldOf('p'), soon).toEqual(['FAIL-1', 'FAIL-1', 'FAIL-2']);
  await stop(server);
});

test('after changes while it is down, stored work continues in order, once', async () => {
  turn(0);
  const folder = path.join(program.folder, 'kept');
  const asked: string[] = [];
  for (const [number, hours] of [4, -4, 20, -20].entries()) {
    const server = await start('--data', folder);
    const ids = [`FAIL-${number}-a`, `FAIL-${number}-b`];
    for (const id of ids) await importLater(server, 'p', id);
    asked.push(...ids);
    await server.stop('SIGKILL');
    turn(hours * hourMs);
  }
  const server = await start('--data', folder);
  // One that was under way when it was killed may come twice.
  await expect.poll(() => [...new Set(toldOf('p'))], soon).toEqual(asked);
  await stop(server);
});
