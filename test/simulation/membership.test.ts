/** The lease of a replica: what it does when it was fenced, and with what was at its address before. */
import { expect, test } from 'vitest';
import type { ClusterDatabase } from '../../src/cluster/database/cluster-database.ts';
import { join } from '../../src/cluster/membership.ts';
import type { PeerClient } from '../../src/cluster/transport/peer-client.ts';
import { createTestWall } from '../harness/wall.ts';
import { createTables } from './world/tables.ts';

const leaseMs = 5000;

/** Creates replicas that join over tables in memory. `late`: what an answer to `renew` waits for. */
function create(probe: PeerClient['probe'] = async () => 'answers') {
  const wall = createTestWall();
  const tables = createTables(wall.now);
  let late: Promise<void> | undefined;
  const database: Partial<ClusterDatabase> = {
    join: async (replica) => {
      tables.join(replica);
      return tables.settingsOfOthers(replica.id);
    },
    renew: async (id, ms) => {
      const isRenewed = tables.renew(id, ms);
      await late;
      return isRenewed;
    },
    listLiving: async (ms) => tables.listLiving(ms),
    // A real statement runs later than the one before it.
    fenceSilent: async (id, ms) => tables.fenceSilent(id, ms - 1),
    isUnfenced: async (id) => tables.isUnfenced(id),
  };
  let created = 0;
  const warnings: string[] = [];
  const start = (url: string) =>
    join({
      database: database as ClusterDatabase,
      ...{ wall, url, leaseMs, settings: '{}' },
      checkSettings: () => undefined,
      client: { probe },
      warn: (text) => void warnings.push(text),
      createId: () => `R${++created}`,
    });
  return {
    ...{ wall, tables, start, warnings },
    delayRenewal: (until: Promise<void>) => {
      late = until;
    },
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a late refusal of an old lease does not abandon the new one', async () => {
  const { wall, tables, start, delayRenewal } = create();
  const replica = await start('http://a');
  tables.fenceSilent('R1', -1);
  let resolve = (): void => undefined;
  delayRenewal(new Promise((done) => (resolve = done)));
  wall.pass(500);
  await expect(replica.verify()).rejects.toThrow('fenced');
  expect(replica.id()).toBe('R2');
  resolve();
  await turn();
  expect(replica.id()).toBe('R2');
});

test('a replica joins again at the next beat after a listener has failed', async () => {
  const { wall, tables, start } = create();
  const replica = await start('http://a');
  replica.events.once('fenced', () => {
    throw new Error('a bug');
  });
  tables.fenceSilent('R1', -1);
  for (const _beat of [1, 2]) {
    wall.pass(500);
    await turn();
  }
  expect(tables.isUnfenced(replica.id())).toBe(true);
});

test('a replica fences what was at its address before, and does not count it among the others', async () => {
  const { tables, start } = create();
  tables.join({ id: 'earlier', url: 'http://a', leaseMs, settings: '{}' });
  tables.join({ id: 'other', url: 'http://b', leaseMs, settings: '{}' });
  const replica = await start('http://a');
  expect(tables.isUnfenced('earlier')).toBe(false);
  expect(tables.isUnfenced('other')).toBe(true);
  expect(replica.others().map(({ id }) => id)).toEqual(['other']);
});

test('two replicas with one address do not fence each other, and say so once', async () => {
  const { wall, tables, start, warnings } = create();
  await start('http://a');
  await turn();
  tables.join({ id: 'other', url: 'http://a', leaseMs, settings: '{}' });
  for (const _beat of [1, 2]) {
    wall.pass(500);
    await turn();
  }
  expect(tables.isUnfenced('other')).toBe(true);
  expect(warnings).toEqual([expect.stringContaining('--cluster-host')]);
});

test('a replica that joins while another one is tested for a refused connection is not gone', async () => {
  let answer = (_found: 'silent'): void => undefined;
  const { wall, tables, start } = create(() => new Promise((resolve) => (answer = resolve)));
  tables.join({ id: 'silent', url: 'http://b', leaseMs, settings: '{}' });
  const replica = await start('http://a');
  const gone: string[] = [];
  replica.events.on('gone', (replicas) => gone.push(...replicas.map(({ id }) => id)));
  for (const _beat of [1, 2, 3]) {
    wall.pass(500);
    await turn();
  }
  tables.join({ id: 'new', url: 'http://c', leaseMs, settings: '{}' });
  const toIds = (others: readonly { readonly id: string }[]): readonly string[] => others.map(({ id }) => id);
  expect(toIds(await replica.listOthers())).toEqual(['new', 'silent']);
  answer('silent');
  await turn();
  expect(gone).toEqual([]);
  expect(toIds(replica.others())).toEqual(['new', 'silent']);
});

test('a replica keeps its lease while it looks after several that are paused', async () => {
  const { wall, tables, start } = create((_url, timeoutMs) => {
    return new Promise((resolve) => wall.after(timeoutMs, () => resolve('silent')));
  });
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'])
    tables.join({ id, url: `http://paused-${id}`, leaseMs, settings: '{}' });
  const replica = await start('http://a');
  let fenced = 0;
  replica.events.on('fenced', () => {
    fenced += 1;
  });
  for (let passedMs = 0; passedMs < 3 * leaseMs; passedMs += 100) {
    wall.pass(100);
    await turn();
    // As another one does.
    tables.listLiving(leaseMs);
  }
  expect(fenced).toBe(0);
});
