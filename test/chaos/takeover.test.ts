/** One folder, several containers that look alike: one has it at a time, and a server that was paused for too long loses nothing. */
import { utimesSync } from 'node:fs';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { ask, type Told } from '../flows/data-steps.ts';
import { useBuiltProgram } from '../harness/program.ts';
import { createDice } from '../model/dice.ts';
import { listJobs } from '../rig/list-jobs.ts';
import { type Container, findNoContainers, useContainers } from './containers.ts';

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

/** A client that imports one job after another until there is no answer; `stored` are those that were answered 200. */
function createClient(name: string, stored: Set<string>) {
  const late: number[] = [];
  let made = 0;
  let isLate = false;
  return {
    late,
    /** From now on, statuses are noted. */
    watch: () => {
      isLate = true;
    },
    work: async (url: string, wanted = Number.POSITIVE_INFINITY): Promise<void> => {
      let told: Told | undefined;
      do {
        made += 1;
        const id = `${name}-${made}`;
        const jobs = [{ id, secondaryReference: 'x'.repeat(dice.below(3000)) }];
        const path = `/sync/projects/p${made % 3}/jobs/batch`;
        told = await ask(url + path, 'POST', { jobs }).catch(() => undefined);
        if (isLate && told) late.push(told.status);
        if (told?.status === 200) stored.add(id);
      } while (told !== undefined && made < wanted);
    },
  };
}

async function listStored(url: string): Promise<Set<string>> {
  const lists = await Promise.all(['p0', 'p1', 'p2'].map((project) => listJobs(url, project)));
  return new Set(lists.flatMap((list) => [...list.keys()]));
}

async function expectStored(url: string, stored: ReadonlySet<string>): Promise<void> {
  const there = await listStored(url);
  expect([...stored].filter((id) => !there.has(id))).toEqual([]);
}

test.skipIf(noContainers)(
  'a server paused for longer than its lock loses the folder, and no answered request is lost',
  { timeout: 300_000 },
  async () => {
    for (let pause = 1; pause <= pauses; pause += 1) {
      const data = path.join(folder, `paused-${pause}`);
      const stored = new Set<string>();
      const first = start(data);
      const url = await first.ready;
      const clients = ['A', 'B', 'C', 'D'].map((name) => createClient(name, stored));
      const working = clients.map(({ work }) => work(url));
      await new Promise((go) => setTimeout(go, 200 + dice.below(500)));
      first.signal('SIGSTOP');
      ageLock(data);
      const second = start(data);
      const other = await second.ready;
      await expectStored(other, stored);
      await createClient('second', stored).work(other, 20);
      for (const { watch } of clients) watch();
      first.signal('SIGCONT');
      await Promise.all(working);
      const { code, err } = await first.ended;
      expect(code).toBe(1);
      expect(err).toContain(`--data: ${data} was taken over by a sandbox on twin (process 1)`);
      expect(err).not.toContain('    at ');
      // An answer may have been on its way when it was paused; it is one of those that are looked for below.
      for (const { late } of clients) expect(late.slice(1).filter((status) => status !== 500)).toEqual([]);
      await createClient('third', stored).work(other, 20);
      await expectStored(other, stored);
      second.kill();
      await second.ended;
      ageLock(data);
      const third = start(data);
      await expectStored(await third.ready, stored);
      third.kill();
      console.log(`pause ${pause} of ${pauses}: ${stored.size} jobs were answered, none is missing`);
    }
  },
);

test.skipIf(noContainers)('the second of two identical containers exits with 2', async () => {
  const data = path.join(folder, 'shared');
  const stored = new Set<string>();
  const first = start(data);
  const url = await first.ready;
  const working = createClient('A', stored).work(url);
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
  await expectStored(await third.ready, stored);
  expect(stored.size).toBeGreaterThan(20);
  third.signal('SIGTERM');
  expect((await third.ended).code).toBe(0);
});
