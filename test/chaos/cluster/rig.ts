/** Three replicas behind a load balancer, with a proxy on each way on which they reach the database and each other. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { query } from '../../cluster/harness/databases.ts';
import { findFreePort } from '../../cluster/harness/free-port.ts';
import { type Postgres, startPostgres } from '../../cluster/harness/postgres.ts';
import { type Replica, type Replicas, startReplicas } from '../../cluster/harness/replicas.ts';
import { startRoundRobin } from '../../cluster/harness/round-robin.ts';
import { type CuttingProxy, startCuttingProxy } from '../../rig/cutting-proxy.ts';
import { watchHealth } from './health.ts';

/** A replica with its own ways to the database and from the other replicas, which can be cut. */
export interface Member {
  readonly name: string;
  readonly replica: Replica;
  readonly database: CuttingProxy;
  readonly peers: CuttingProxy;
  /** Ends it like a crash. Its cluster port refuses connections from now on. */
  kill(): Promise<void>;
  /** Sends SIGTERM, and resolves with the exit code. */
  terminate(): Promise<number | null>;
  start(): Promise<void>;
  /** Returns the projects that it owns. */
  owned(): Promise<readonly string[]>;
}

export interface Rig {
  /** URL of the load balancer, which leaves out replicas that are not ready. */
  readonly url: string;
  readonly members: readonly Member[];
  readonly postgres: Postgres;
  /** When replicas learned that the others had taken over their projects, although no fault may have been made. */
  readonly fencedAt: readonly number[];
  /** Resolves when all replicas are ready. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

interface Given {
  readonly program: string;
  /** Files of an empty database server. */
  readonly template: string;
  /** Undefined: callbacks go to the inbox. */
  readonly callbackUrl: string | undefined;
}

const count = 3;
const startMs = 60_000;

export async function startRig({ program, template, callbackUrl }: Given): Promise<Rig> {
  const folder = mkdtempSync(path.join(tmpdir(), 'field-sandbox-chaos-'));
  const profile = path.join(folder, 'profile.yaml');
  const retries = ['50ms', '100ms', '200ms', '400ms', ...Array.from({ length: 40 }, () => '1s')];
  writeFileSync(profile, `callbacks: { retries: [${retries}] }\n`);
  const postgres = await startPostgres({ template });
  const replicas = await startReplicas({ count: 0, program });
  const to = callbackUrl === undefined ? [] : ['--callback-url', callbackUrl];
  const args = ['--log', 'off', '--profile', profile, ...to];
  const members: Member[] = [];
  for (let number = 1; number <= count; number += 1) members.push(await startMember(replicas, postgres, args, number));
  const health = watchHealth(members);
  const balancer = await startRoundRobin(health.urls);
  return {
    url: balancer.url,
    members,
    postgres,
    fencedAt: health.fencedAt,
    ready: async () => {
      const until = performance.now() + startMs;
      while (health.urls().length < count) {
        if (performance.now() > until) throw new Error(`not ready: ${members.map(({ replica }) => replica.err())}`);
        await setTimeout(50);
      }
    },
    close: async () => {
      health.stop();
      await balancer.close();
      await replicas.stop();
      await Promise.all(members.flatMap(({ database, peers }) => [database.close(), peers.close()]));
      await postgres.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

/** A replica names another loopback address than the one that it listens on; a proxy passes from there on the same port. */
async function startMember(
  replicas: Replicas,
  postgres: Postgres,
  args: readonly string[],
  number: number,
): Promise<Member> {
  const port = await findFreePort();
  const host = `127.0.0.${number + 1}`;
  const database = await startCuttingProxy(postgres.url);
  const peers = await startCuttingProxy(`http://127.0.0.1:${port}`, { host, port });
  const cluster = ['--cluster-host', host, '--cluster-port', String(port)];
  const replica = await replicas.add({ postgresUrl: database.url, args: [...args, ...cluster] });
  return {
    name: `replica ${number}`,
    ...{ replica, database, peers },
    kill: async () => {
      await replica.kill();
      await peers.cut();
    },
    terminate: async () => {
      const code = await replica.terminate();
      await peers.cut();
      return code;
    },
    start: async () => {
      await peers.restore();
      await replica.restart();
    },
    owned: async () => {
      const rows = await query(
        postgres.url,
        'SELECT p.id FROM field_sandbox.project p JOIN field_sandbox.replica r ON r.id = p.owner WHERE r.url = $1 AND NOT r.fenced',
        [`http://${host}:${port}`],
      );
      return rows.map((row) => String((row as { id: unknown }).id));
    },
  };
}
