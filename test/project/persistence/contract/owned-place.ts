/** A place of projects in a database that replicas share, with one replica at a time. */
import { randomUUID } from 'node:crypto';
import type { ClusterDatabase } from '../../../../src/cluster/database/cluster-database.ts';
import { OwnedStore } from '../../../../src/cluster/store/owned-store.ts';
import { createKeyStore } from '../../../../src/keys/key-store.ts';
import { endpoint, type Place } from './store-contract.ts';

const leaseMs = 60_000;

export function createOwnedPlace(database: ClusterDatabase): Pick<Place, 'open'> {
  return {
    open: async (wall) => {
      const replica = randomUUID();
      await database.join({ id: replica, url: 'http://replica', leaseMs, settings: '' });
      let lose: (project: string) => void = () => undefined;
      let released: Promise<void> = Promise.resolve();
      const store = new OwnedStore({
        ...{ database, endpoint, wall },
        keys: createKeyStore(),
        warn: () => undefined,
        onLost: (project) => lose(project),
        oldestItem: () => undefined,
        onIdle: (project, { epoch, summary }) => {
          released = Promise.all([released, database.release(project, epoch, summary)]).then(() => undefined);
        },
      });
      const close = store.close.bind(store);
      store.close = async () => {
        await close();
        await released;
        await database.leave(replica);
      };
      return {
        store,
        ready: async (project) => {
          await released;
          if (store.owns(project)) return;
          const claim = await database.claim(project, replica);
          if (claim.owner !== 'me') throw new Error(`the claim of ${project} was refused`);
          await store.admit(project, claim);
        },
        onLost: (given) => {
          lose = given;
        },
      };
    },
  };
}
