/** What replicas coordinate by: the database, the connections between them, and names that no other replica has. */
import { randomUUID } from 'node:crypto';
import { openPostgres } from './database/postgres.ts';
import { createPeerClient, isRefused } from './transport/peer-client.ts';
import { listenForPeers } from './transport/peer-server.ts';

/** Everything that a replica shares with others. A simulation replaces it. */
export interface Surroundings {
  readonly openDatabase: typeof openPostgres;
  readonly createClient: typeof createPeerClient;
  readonly listen: typeof listenForPeers;
  readonly isRefused: typeof isRefused;
  readonly createId: () => string;
}

export const realSurroundings: Surroundings = {
  openDatabase: openPostgres,
  createClient: createPeerClient,
  listen: listenForPeers,
  isRefused,
  createId: randomUUID,
};
