/** What a replica does at each beat. */
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import type { Claims } from '../../src/cluster/claims.ts';
import type { Membership } from '../../src/cluster/membership.ts';
import type { OwnedStore } from '../../src/cluster/store/owned-store.ts';
import type { PeerClient } from '../../src/cluster/transport/peer-client.ts';
import { Upkeep } from '../../src/cluster/upkeep.ts';
import type { ProjectRegistry } from '../../src/project/registry.ts';
import { createTestWall } from '../harness/wall.ts';

test('loads projects that were claimed and not loaded, if there is room for them', async () => {
  const loaded: string[] = [];
  const events: Membership['events'] = new EventEmitter();
  const upkeep = new Upkeep({
    database: { listOrphans: async () => [], listWanted: async () => [] },
    membership: {
      ...{ id: () => 'A', others: () => [], listOthers: async () => [] },
      events,
    } as Partial<Membership> as Membership,
    claims: { findDoubtful: async () => [] as const } as Partial<Claims> as Claims,
    store: {
      listUnloaded: () => ['fits', 'too-much'],
      release: () => undefined,
      writeItems: () => undefined,
    } as Partial<OwnedStore> as OwnedStore,
    client: { waiting: () => [] } as Partial<PeerClient> as PeerClient,
    shared: [],
    wall: createTestWall(),
    reportError: expect.unreachable,
  });
  upkeep.start({
    checkCapacity: (project: string) => (project === 'fits' ? undefined : { kind: 'full', message: '' }),
    find: (project: string) => void loaded.push(project),
  } as unknown as ProjectRegistry);
  events.emit('beat');
  await upkeep.stop();
  expect(loaded).toEqual(['fits']);
});
