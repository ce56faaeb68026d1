/** Connects a server to the database and to the other replicas, and joins them. */
import { randomUUID } from 'node:crypto';
import { ConfigError } from '../config/config-error.ts';
import type { Options } from '../config/option-table.ts';
import type { WallClock } from '../lib/time.ts';
import { toStoreError } from '../project/persistence/store-errors.ts';
import type { ClusterDatabase } from './database/cluster-database.ts';
import { openPostgres } from './database/postgres.ts';
import { join, type Membership } from './membership.ts';
import { checkFormat, checkSettings, type SharedSettings, shareSecret, toSettingsText } from './settings.ts';
import { createPeerClient, type PeerClient } from './transport/peer-client.ts';
import { type HandlePeer, listenForPeers, type PeerServer } from './transport/peer-server.ts';

/** What replicas coordinate by: the database, connections, and names that no other replica has. A simulation replaces it. */
export interface Surroundings {
  readonly openDatabase: typeof openPostgres;
  readonly createClient: typeof createPeerClient;
  readonly listen: typeof listenForPeers;
  readonly createId: () => string;
}

export const realSurroundings: Surroundings = {
  openDatabase: openPostgres,
  createClient: createPeerClient,
  listen: listenForPeers,
  createId: randomUUID,
};

export interface ConnectParts {
  readonly options: Options & { readonly postgres: string };
  readonly settings: SharedSettings;
  readonly wall: WallClock;
  warn(text: string): void;
  reportError(error: unknown): void;
}

export interface ClusterConnection {
  readonly database: ClusterDatabase;
  readonly membership: Membership;
  readonly client: PeerClient;
  /** How the others, and metrics, know this replica: host and port. */
  readonly name: string;
  /** Reports with the name of the option. */
  warn(text: string): void;
  /** Reports an error, unless it says that the database is away, which is reported once. */
  reportError(error: unknown): void;
  /** Handles requests of the other replicas from now on. */
  answer(handle: HandlePeer): void;
  /** Says that this replica ends: nothing waits long for the database from now on. */
  hurry(): void;
  close(): Promise<void>;
}

/** @throws ConfigError if the database refuses, or if the other replicas have other settings */
export async function connectCluster(
  { options, settings, wall, ...notices }: ConnectParts,
  surroundings: Surroundings,
): Promise<ClusterConnection> {
  const warn = (text: string): void => notices.warn(`--postgres: ${text}`);
  const reportError = (error: unknown): void => void (toStoreError(error) ?? notices.reportError(error));
  const ending = new AbortController();
  const database = await surroundings
    .openDatabase(options.postgres, wall, { warn, ending: ending.signal })
    .catch((error: unknown) => {
      throw new ConfigError([`--postgres: ${(error as Error).message}`]);
    });
  let server: PeerServer | undefined;
  try {
    await checkFormat(database);
    const secret = await shareSecret(database);
    server = await surroundings.listen({ host: options.host, port: options.clusterPort, reportError });
    const host = options.clusterHost ?? options.host;
    const name = `${host.includes(':') ? `[${host}]` : host}:${server.port}`;
    const own = toSettingsText(settings);
    const client = surroundings.createClient(secret);
    const membership = await join({
      ...{ database, client, wall, warn, url: `http://${name}`, leaseMs: options.lease, settings: own },
      checkSettings: (others) => checkSettings(own, others, options.rolling),
      createId: surroundings.createId,
    });
    const listening = server;
    return {
      ...{ database, membership, client, name, warn, reportError },
      answer: (handle) => listening.answer(secret, handle),
      hurry: () => ending.abort(),
      close: async () => {
        await listening.close();
        await client.close();
        await database.close();
      },
    };
  } catch (error) {
    await server?.close();
    await database.close();
    throw error;
  }
}
