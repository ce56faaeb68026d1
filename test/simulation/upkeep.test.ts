/** What a replica does at each beat. */
import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Claims } from '../../src/cluster/claims.ts';
import type { Replica } from '../../src/cluster/database/cluster-database.ts';
import type { Membership } from '../../src/cluster/membership.ts';
import type { OwnedStore } from '../../src/cluster/store/owned-store.ts';
import type { PeerClient } from '../../src/cluster/transport/peer-client.ts';
import { Upkeep } from '../../src/cluster/upkeep.ts';
import { StoreUnavailable } from '../../src/project/persistence/store-errors.ts';
import type { ProjectRegistry } from '../../src/project/registry.ts';
import { createTestWall } from '../harness/wall.ts';
import { createFakeDatabase } from './world/fake-database.ts';
import { createTables } from './world/tables.ts';

/** Creates replica A over a database whose statements fail with what `refuse` returns of their names. */
async function create(
  refuse: (statement: string) => Error | undefined = () => undefined,
  others: readonly Replica[] = [],
) {
  const wall = createTestWall(1000);
  const tables = createTables(wall.now);
  const database = createFakeDatabase(tables, async (name, effect) => {
    const error = refuse(name);
    if (error) throw error;
    return effect();
  });
  await database.join({ id: 'A', url: 'http://a', leaseMs: 60_000, settings: '' });
  const [loaded, released, errors, dropped]: string[][] = [[], [], [], []];
  const reportError = (error: unknown): void => void errors?.push((error as Error).message);
  const events: Membership['events'] = new EventEmitter();
  const membership = {
    ...{ id: () => 'A', others: () => others, listOthers: async () => others, events },
    rejoined: async () => undefined,
  } as Partial<Membership> as Membership;
  const owned = new Map<string, number>();
  const store = {
    owns: (project) => owned.has(project),
    admit: async (project, { epoch }) => void owned.set(project, epoch),
    release: (project) => void released?.push(project),
    flush: async () => undefined,
    letGo: (project) => {
      const epoch = owned.get(project);
      owned.delete(project);
      return epoch && { epoch, summary: undefined };
    },
    writeItems: () => undefined,
  } as Partial<OwnedStore> as OwnedStore;
  const journal = { restoreJournal: () => undefined, restoreCallbacks: () => undefined, dropJournal: () => undefined };
  const upkeep = new Upkeep({
    ...{ database, membership, store, wall, reportError },
    claims: new Claims({ database, membership, store, reportError, ...journal }),
    client: { waiting: () => [], drop: (url) => void dropped?.push(url) } as Partial<PeerClient> as PeerClient,
    shared: [],
  });
  upkeep.start({
    checkCapacity: (project: string) => (project === 'too-much' ? { kind: 'full', message: '' } : undefined),
    find: (project: string) => void loaded?.push(project),
    peek: () => undefined,
    lose: () => undefined,
  } as unknown as ProjectRegistry);
  const beat = async (): Promise<void> => {
    events.emit('beat');
    for (let turn = 0; turn < 5; turn += 1) await setImmediate();
  };
  return { tables, loaded, released, errors, dropped, events, beat };
}

/** Adds a project whose work is due. */
function addDue(tables: ReturnType<typeof createTables>, project: string, owner: string): void {
  tables.join({ id: owner, url: 'http://b', leaseMs: 60_000, settings: '' });
  const { epoch } = tables.claim(project, owner) as { epoch: number };
  const line = { text: 'x', items: '', newest: null, oldest: 0, isDue: true } as const;
  tables.write([{ project, epoch, seq: 1, kind: 'whole', ...line }]);
}

test('loads projects that nobody owns and whose work is due, if there is room for them, and leaves the others', async () => {
  const { tables, beat, loaded, released } = await create();
  for (const project of ['fits', 'too-much']) addDue(tables, project, 'gone');
  tables.leave('gone');
  const before = tables.positionOf('too-much');
  await beat();
  expect({ loaded, released }).toEqual({ loaded: ['fits'], released: ['fits'] });
  // It was not even claimed, which reads all of it.
  expect(tables.positionOf('too-much')).toEqual(before);
});

test('goes on with the other projects if the claim of one fails', async () => {
  const { tables, beat, loaded, errors } = await create((name) =>
    name === 'claim bad' ? new Error('bad') : undefined,
  );
  addDue(tables, 'bad', 'gone');
  addDue(tables, 'good', 'gone');
  tables.leave('gone');
  await beat();
  expect(loaded).toEqual(['good']);
  addDue(tables, 'next', 'gone');
  tables.leave('gone');
  await beat();
  expect(loaded).toEqual(['good', 'next']);
  expect(new Set(errors)).toEqual(new Set(['bad']));
});

test('loads a project again whose release at the end of a handover failed', async () => {
  let isAway = true;
  const { tables, beat, loaded, errors } = await create((name) =>
    isAway && name.startsWith('release') ? new StoreUnavailable('away') : undefined,
  );
  addDue(tables, 'wanted', 'gone');
  tables.leave('gone');
  await beat();
  tables.want('wanted', 'B');
  await beat();
  expect(errors).toEqual(['away']);
  isAway = false;
  await beat();
  expect(loaded).toEqual(['wanted', 'wanted']);
  tables.want('wanted', 'B');
  await beat();
  expect(tables.locate('wanted')).toMatchObject({ replica: undefined });
});

test('gives up what it waits for at a replica that is gone, but not what its successor at the address has', async () => {
  const { events, dropped } = await create(undefined, [{ id: 'B2', url: 'http://b' }]);
  events.emit('gone', [
    { id: 'B1', url: 'http://b' },
    { id: 'C1', url: 'http://c' },
  ]);
  expect(dropped).toEqual(['http://c']);
});
