/** Starts three replicas behind a load balancer in place of one sandbox. */
import { randomUUID } from 'node:crypto';
import { type RunningSandbox, startSandbox } from '../../src/server.ts';
import { createDatabase, dropDatabase } from '../cluster/harness/databases.ts';
import { startRoundRobin } from '../cluster/harness/round-robin.ts';

const count = 3;

/** Each request goes to the next replica, whatever its project. `postgres`: the server that gets a database for them. */
export async function startReplicated(
  postgres: string,
  ...[options, ...rest]: Parameters<typeof startSandbox>
): Promise<RunningSandbox> {
  const name = `flow-${randomUUID()}`;
  const replicas: RunningSandbox[] = [];
  const database = await createDatabase(postgres, name);
  const stop = async (quietMs?: number): Promise<void> => {
    await Promise.all(replicas.map((replica) => replica.close(quietMs)));
    await dropDatabase(postgres, name);
  };
  try {
    const shared = { ...options, postgres: database, clusterHost: '127.0.0.1', clusterPort: 0 };
    for (let index = 0; index < count; index += 1) replicas.push(await startSandbox(shared, ...rest));
  } catch (error) {
    await stop();
    throw error;
  }
  const urls = replicas.map(({ url }) => new URL(url));
  const balancer = await startRoundRobin(() => urls);
  const [first] = replicas as [RunningSandbox, ...RunningSandbox[]];
  return {
    url: balancer.url,
    tls: first.tls,
    example: first.example,
    get journal() {
      return notShared('journal');
    },
    get projects() {
      return notShared('projects');
    },
    coverage: () => notShared('coverage'),
    recording: () => notShared('recording'),
    close: async (quietMs) => {
      await stop(quietMs);
      await balancer.close();
    },
  };
}

function notShared(part: string): never {
  throw new Error(`"${part}" belongs to one of the replicas; ask them over HTTP`);
}
