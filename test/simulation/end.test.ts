/** How a replica ends while others send requests to it, because they do not know yet that it has handed over all. */
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { PeerClient, Sent } from '../../src/cluster/transport/peer-client.ts';
import type { HandlePeer } from '../../src/cluster/transport/peer-server.ts';
import { readSandboxFiles } from '../../src/config/sandbox-files.ts';
import { ProjectLost } from '../../src/project/persistence/store-errors.ts';
import { createTestWall } from '../harness/wall.ts';
import { createFakeDatabase } from './world/fake-database.ts';
import { startReplica, toSimulatedOptions } from './world/replica.ts';
import { createTables } from './world/tables.ts';

/** Starts replicas that reach each other at once. One that has closed breaks the connections on which it has not replied. */
async function createReplicas() {
  const wall = createTestWall();
  const tables = createTables(wall.now);
  const files = await readSandboxFiles(toSimulatedOptions());
  const handlers = new Map<string, HandlePeer>();
  const breaks = new Map<string, Set<() => void>>();
  /** The replicas to which requests of the API were sent, and what they wait for before they look a project up. */
  const sent: string[] = [];
  const holds = new Map<string, Promise<void>>();

  const client: Partial<PeerClient> = {
    send: (url, head, text) => {
      const handle = handlers.get(url);
      if (!handle) return Promise.resolve({ kind: 'unreachable' });
      if ((head as { readonly about: string }).about === 'api') sent.push(url);
      const broken = new Promise<Sent>((resolve) => breaks.get(url)?.add(() => resolve({ kind: 'broken' })));
      const answered = handle({ head: JSON.parse(JSON.stringify(head)), text, onLeave: () => () => undefined }).then(
        (reply): Sent => ({ kind: 'reply', reply }),
        (error: unknown): Sent => ({ kind: error instanceof ProjectLost ? 'not-owner' : 'unavailable' }),
      );
      return Promise.race([answered, broken]);
    },
    waiting: () => [],
    drop: (url) => {
      for (const one of breaks.get(url) ?? []) one();
    },
    close: async () => undefined,
  };

  const start = (name: string, port: number) =>
    startReplica({
      ...{ files, wall, sender: { send: () => new Promise(() => undefined) } },
      warn: () => undefined,
      reportError: (error) => expect.fail(String(error)),
      surroundings: {
        openDatabase: async () =>
          createFakeDatabase(tables, async (statement, effect) => {
            if (/^(claim|locate) /.test(statement)) await holds.get(name);
            return effect();
          }),
        createClient: () => client as PeerClient,
        listen: async () => {
          const url = `http://127.0.0.1:${port}`;
          breaks.set(url, new Set());
          return {
            port,
            answer: (_secret, handle) => void handlers.set(url, handle),
            close: async () => {
              handlers.delete(url);
              for (const one of breaks.get(url) ?? []) one();
            },
          };
        },
        createId: () => name,
      },
    });
  return { start, sent, holds, tables };
}

test('a replica that ends answers what others have sent to it, and they send nothing after that', async () => {
  const { start, sent, holds, tables } = await createReplicas();
  const ending = await start('ending', 4601);
  const other = await start('other', 4602);
  const create = async (id: string, at = other): Promise<number> => {
    const body = { id, status: 'PENDING', address: { locality: 'Brisbane' } };
    return (await at.handle({ method: 'POST', path: '/sync/projects/p/jobs', body })).status;
  };
  expect(await create('JOB-1', ending)).toBe(201);
  expect(await create('JOB-2')).toBe(201);
  expect(sent).toEqual(['http://127.0.0.1:4601']);
  await ending.leave();

  let look: () => void = () => undefined;
  holds.set(
    'ending',
    new Promise((resolve) => {
      look = resolve;
    }),
  );
  const underWay = create('JOB-3');
  await expect.poll(() => sent).toHaveLength(2);
  const ended = ending.close();
  for (let turn = 0; turn < 10; turn += 1) await setImmediate();
  expect(tables.listLiving(60_000).map(({ id }) => id)).toContain('ending');
  expect(await create('JOB-4')).toBe(201);
  expect(sent).toHaveLength(2);
  look();
  expect(await underWay).toBe(201);
  await ended;
  expect(tables.listLiving(60_000).map(({ id }) => id)).toEqual(['other']);
  await other.close();
});
