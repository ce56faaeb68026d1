/** What a replica does at each beat. */
import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Claims } from '../../src/cluster/claims.ts';
import type { Membership } from '../../src/cluster/membership.ts';
import type { OwnedStore } from '../../src/cluster/store/owned-store.ts';
import type { PeerClient } from '../../src/cluster/transport/peer-client.ts';
import { Upkeep } from '../../src/cluster/upkeep.ts';
import type { ProjectRegistry } from '../../src/project/registry.ts';
import { createTestWall } from '../harness/wall.ts';

test('loads projects that nobody owns and whose work is due, if there is room for them, and leaves the others', async () => {
  const loaded: string[] = [];
  const released: string[] = [];
  const events: Membership['events'] = new EventEmitter();
  const upkeep = new Upkeep({
    database: { listOrphans: async () => ['fits', 'too-much'], listWanted: async () => [] },
    membership: {
      ...{ id: () => 'A', others: () => [], listOthers: async () => [] },
      events,
    } as Partial<Membership> as Membership,
    claims: { findDoubtful: async () => [] as const, locate: async () => undefined } as Partial<Claims> as Claims,
    store: {
      release: (project) => void released.push(project),
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
  await setImmediate();
  await upkeep.stop();
  expect({ loaded, released }).toEqual({ loaded: ['fits'], released: ['fits', 'too-much'] });
});
