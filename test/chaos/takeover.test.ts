/** One folder, several containers that look alike: one has it at a time, and a server that was paused for too long loses nothing. */
import { utimesSync } from 'node:fs';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { ask } from '../flows/data-steps.ts';
import { useBuiltProgram } from '../harness/program.ts';
import { createDice } from '../model/dice.ts';
import { type Container, findNoContainers, useContainers } from './containers.ts';
import { createStoredJobs, type StoredJobs } from './stored-jobs.ts';

const { folder } = useBuiltProgram();
const createContainer = useContainers();
const { pauses } = inject('amounts');
const dice = createDice(inject('seed'));
const noContainers = findNoContainers();
if (noContainers) console.warn(`SKIPPED: containers with one folder, since ${noContainers}.`);

const start = (data: string): Container => createContainer(['--log', 'off', '--data', data]);

/** What a pause of half a minute looks like to others. */
function ageLock(data: string): void {
  const longAgo = Date.now() / 1000 - 31;
  utimesSync(path.join(data, '.lock'), longAgo, longAgo);
}

/** Imports jobs until there is no answer. */
async function work({ add }: StoredJobs): Promise<void> {
  while (
    await add().then(
      () => true,
      () => false,
    )
  );
}

test.skipIf(noContainers)(
  'a server paused for longer than its lock loses the folder, and no answered request is lost',
  { timeout: 300_000 },
  async () => {
    for (let pause = 1; pause <= pauses; pause += 1) {
      const data = path.join(folder, `paused-${pause}`);
      const first = start(data);
      const url = await first.ready;
      const clients = ['A', 'B', 'C', 'D'].map((project) => createStoredJobs(() => url, project, dice));
      const working = clients.map(work);
      await new Promise((go) => setTimeout(go, 200 + dice.below(500)));
      first.signal('SIGSTOP');
      ageLock(data);
      const second = start(data);
      const other = await second.ready;
      for (const { check } of clients) await check(other);
      const later = createStoredJobs(() => other, 'later', dice);
      for (let count = 0; count < 20; count += 1) await later.add();
      const before = clients.map(({ statuses }) => statuses.length);
      first.signal('SIGCONT');
      await Promise.all(working);
      const { code, err } = await first.ended;
      expect(code).toBe(1);
      expect(err).toContain(`--data: ${data} was taken over by a sandbox on twin (process 1)`);
      expect(err).not.toContain('    at ');
      // An answer may have been on its way when it was paused; it is one of those that are looked for below.
      for (const [index, { statuses }] of clients.entries())
        expect(statuses.slice((before[index] ?? 0) + 1).filter((status) => status !== 500)).toEqual([]);
      for (let count = 0; count < 20; count += 1) await later.add();
      const all = [...clients, later];
      for (const { check } of all) await check(other);
      second.kill();
      await second.ended;
      ageLock(data);
      const third = start(data);
      for (const { check } of all) await check(await third.ready);
      third.kill();
      const count = all.reduce((sum, { stored }) => sum + stored.size, 0);
      console.log(`pause ${pause} of ${pauses}: ${count} jobs were answered, none is missing`);
    }
  },
);

test.skipIf(noContainers)('the second of two identical containers exits with 2', async () => {
  const data = path.join(folder, 'shared');
  const first = start(data);
  const url = await first.ready;
  const client = createStoredJobs(() => url, 'A', dice);
  const working = work(client);
  const second = start(data);
  const { code, err } = await second.ended;
  expect(code).toBe(2);
  expect(err).toContain(`--data: ${data} is in use by a sandbox on twin (process 1)`);
  expect((await ask(`${url}/_sandbox/ready`, 'GET')).status).toBe(200);
  first.kill();
  await working;
  await first.ended;
  ageLock(data);
  const third = start(data);
  await client.check(await third.ready);
  expect(client.stored.size).toBeGreaterThan(20);
  third.signal('SIGTERM');
  expect((await third.ended).code).toBe(0);
});
