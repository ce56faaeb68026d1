/** Starts what deploy/compose.yaml starts, without containers: the same environments and files, on free ports. */
import { afterAll, beforeAll, inject } from 'vitest';
import { readCompose, replicasOf, type Variables } from '../../deploy/compose-file.ts';
import { query } from '../harness/databases.ts';
import { findFreePort } from '../harness/free-port.ts';
import type { Postgres } from '../harness/postgres.ts';
import { type Replica, type Replicas, startReplicas } from '../harness/replicas.ts';
import { type Haproxy, startHaproxy } from './haproxy.ts';

export interface SharedSetup {
  readonly replicas: Replicas;
  /** The replica of a service of the compose file. */
  replica(service: string): Replica | undefined;
  readonly balancer: Haproxy;
  stop(): Promise<void>;
}

interface SetupOptions {
  /** Variables of deploy/.env. */
  readonly variables: Variables;
  /** A server of its own: the database's user and name are those of the file. */
  readonly postgres: Postgres;
  readonly program: string;
  /** Port for clients. */
  readonly port: number;
}

/** Starts a file's own setup before its tests. */
export function useSharedSetup(postgres: () => Postgres, options: Pick<SetupOptions, 'variables'>): () => SharedSetup {
  let started: SharedSetup | undefined;
  beforeAll(async () => {
    const port = await findFreePort();
    started = await startSharedSetup({ ...options, postgres: postgres(), program: inject('program'), port });
  });
  afterAll(() => started?.stop());
  return () => {
    if (!started) throw new Error('the setup is started before the tests');
    return started;
  };
}

export async function startSharedSetup(options: SetupOptions): Promise<SharedSetup> {
  const { variables, postgres, program, port } = options;
  const compose = readCompose(variables);
  const services = replicasOf(compose);
  const names = services.map(([name]) => name);
  await createDatabase(postgres.url, compose.services['database']?.environment);
  const replicas = await startReplicas({
    count: services.length,
    options: toHere(services[0]?.[1].environment, new URL(postgres.url).host),
    args: ['--cluster-port', '0'],
    program,
  });
  const replica = (service: string): Replica | undefined => replicas.all[names.indexOf(service)];
  const servers = Object.fromEntries(names.map((name) => [name, replica(name)?.url ?? '']));
  const balancer = await startHaproxy(servers, port);
  const stop = async (): Promise<void> => {
    await balancer.stop();
    await replicas.stop();
  };
  return { replicas, replica, balancer, stop };
}

/** Creates the user and the database as the image of PostgreSQL does, but without the rights of a superuser. */
async function createDatabase(server: string, given: Variables = {}): Promise<void> {
  const { POSTGRES_USER = '', POSTGRES_DB = '', POSTGRES_PASSWORD = '' } = given;
  await query(server, `CREATE ROLE "${POSTGRES_USER}" LOGIN PASSWORD '${POSTGRES_PASSWORD}'`);
  await query(server, `CREATE DATABASE "${POSTGRES_DB}" OWNER "${POSTGRES_USER}"`);
}

/** Replaces the names of containers by addresses of this machine. */
function toHere({ SANDBOX_POSTGRES = '', ...environment }: Variables = {}, database: string): Variables {
  return {
    ...environment,
    SANDBOX_POSTGRES: SANDBOX_POSTGRES.replace('@database:5432/', `@${database}/`),
    SANDBOX_CLUSTER_HOST: '127.0.0.1',
    SANDBOX_LOG: 'off',
  };
}
