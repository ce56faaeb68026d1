/** A replica that stops still answers until load balancers have noticed, and one that has left claims nothing any more. */
import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { Claims } from '../../src/cluster/claims.ts';
import type { ClusterDatabase, Replica as PeerReplica } from '../../src/cluster/database/cluster-database.ts';
import { Upkeep } from '../../src/cluster/upkeep.ts';
import type { WallClock } from '../../src/lib/time.ts';
import { ProjectLost } from '../../src/project/persistence/store-errors.ts';
import { ask } from '../flows/data-steps.ts';
import { useReceiver } from '../harness/receiver.ts';
import { postgresIsMissing } from './harness/postgres-binaries.ts';
import { type Replica, startReplicas } from './harness/replicas.ts';
import { useDatabase } from './harness/use-postgres.ts';

const mayBeApplied = expect.stringContaining('may have been applied');

describe.skipIf(postgresIsMissing)('a replica that stops', () => {
  const database = useDatabase();
  const receiver = useReceiver();

  test('accepts connections after it is not ready', async () => {
    const replicas = await startReplicas({ count: 2, postgresUrl: database(), program: inject('program') });
    onTestFinished(replicas.stop);
    const [stopping, other] = replicas.all as [Replica, Replica];
    const create = (to: Replica, id: string): Promise<Response> =>
      fetch(`${to.url}/sync/projects/stopping/jobs`, {
        method: 'POST',
        // Each request has a connection of its own.
        headers: { apikey: 'sandbox-key', 'content-type': 'application/json', connection: 'close' },
        body: JSON.stringify({ id, status: 'PENDING', address: { locality: 'Brisbane' } }),
      });
    expect((await create(stopping, 'JOB-1')).status).toBe(201);
    await ask(`${other.url}/_sandbox/projects/elsewhere/clock`, 'PUT', { mode: 'frozen' });
    const listen = (project: string) => fetch(`${stopping.url}/_sandbox/projects/${project}/listener`);
    const listeners = [await listen('stopping'), await listen('elsewhere')];
    const ended = stopping.terminate();
    await expect.poll(async () => (await fetch(`${stopping.url}/_sandbox/ready`)).status).toBe(503);
    // As long as a load balancer takes to notice.
    const untilMs = performance.now() + 1500;
    let count = 1;
    while (performance.now() < untilMs) expect((await create(stopping, `JOB-${++count}`)).status).toBe(201);
    expect(await ended).toBe(0);
    for (const one of listeners) expect(await one.text()).toContain('event: gone\ndata: {"reason":"stopping"}');
    expect((await create(other, `JOB-${count}`)).status).toBe(409);
  });

  /**
   * Begins to advance the clock of a project by an hour, through `at`. A callback of each import takes 1.5 s. Returns how to
   * read its clock, and the response.
   */
  async function advance(owner: Replica, imports: number, at = owner) {
    const project = `${imports}-of-${new URL(owner.url).port}`;
    const control = (to: Replica, method: string, where: string, body?: object) =>
      ask(`${to.url}/_sandbox/projects/${project}${where}`, method, body);
    await control(owner, 'PUT', '/clock', { mode: 'frozen' });
    await control(owner, 'PUT', '/callback-endpoint', { url: receiver.url() });
    // Their callbacks are due later than now, so that the first one shows that the advance has begun.
    for (let index = 0; index < imports; index += 1)
      await ask(`${owner.url}/async/projects/${project}/jobs`, 'POST', { jobs: [{ id: `FAIL-${index}` }] });
    const readClock = async (to: Replica): Promise<number> => {
      const { now } = (await control(to, 'GET', '/clock')).body as { readonly now: string };
      return Date.parse(now);
    };
    const before = await readClock(owner);
    const response = control(at, 'POST', '/clock/advance', { by: '1h' });
    response.catch(() => undefined);
    return { response, before, readClock };
  }

  test.each([
    ['that ends in time is answered', 3, { status: 200 }],
    [
      'that takes longer than a replica waits is not run again as a whole',
      10,
      { status: 502, body: { message: mayBeApplied } },
    ],
  ])('an advance of the clock %s', async (_, imports, expected) => {
    const replicas = await startReplicas({ count: 2, postgresUrl: database(), program: inject('program') });
    onTestFinished(replicas.stop);
    const [stopping, other] = replicas.all as [Replica, Replica];
    receiver.handle(() => sleep(1500).then(() => 204));
    const { response, before, readClock } = await advance(stopping, imports);
    await receiver.waitFor(1);
    expect(await stopping.terminate()).toBe(0);
    expect(await response).toMatchObject(expected);
    expect((await readClock(other)) - before).toBeLessThanOrEqual(3_600_000);
  });

  test('ends in time although it also waits for an advance at another replica', async () => {
    const replicas = await startReplicas({ count: 2, postgresUrl: database(), program: inject('program') });
    onTestFinished(replicas.stop);
    const [stopping, other] = replicas.all as [Replica, Replica];
    receiver.handle(() => sleep(1500).then(() => 204));
    const own = await advance(stopping, 10);
    const elsewhere = await advance(other, 11, stopping);
    await receiver.waitFor(2);
    expect(await stopping.terminate()).toBe(0);
    expect(await own.response).toMatchObject({ status: 502, body: { message: mayBeApplied } });
    await expect(elsewhere.response).rejects.toThrow('fetch failed');
  });
});

describe('a replica that drains', () => {
  /** Drains while requests arrive at these times. Returns how long it took. All times in milliseconds. */
  async function drain(arrivalsMs: readonly number[]): Promise<number> {
    let nowMs = 100_000;
    const wall: WallClock = {
      now: () => nowMs,
      elapsed: () => nowMs,
      after: (ms, run) => {
        nowMs += ms;
        if (arrivalsMs.includes(nowMs - 100_000)) upkeep.noteArrival();
        queueMicrotask(run);
        return () => undefined;
      },
    };
    const membership = { events: new EventEmitter() };
    const upkeep = new Upkeep({ wall, membership } as unknown as ConstructorParameters<typeof Upkeep>[0]);
    upkeep.noteArrival();
    await upkeep.drain();
    return nowMs - 100_000;
  }

  test.each([
    ['without requests', [], 2000],
    ['until two seconds after the last one', [500, 1500], 3500],
    ['for four seconds at most', [1000, 2000, 3000], 4000],
  ])('waits %s', async (_, arrivalsMs, expectedMs) => {
    expect(await drain(arrivalsMs)).toBe(expectedMs);
  });
});

describe('a replica that has left', () => {
  function createLeft(database: Pick<ClusterDatabase, 'locate' | 'claim'>, others: readonly PeerReplica[]) {
    const claims = new Claims({
      database: { release: async () => undefined, want: async () => undefined, ...database },
      membership: {
        id: () => 'this',
        others: () => others,
        rejoined: async () => undefined,
        verify: async () => undefined,
        events: new EventEmitter(),
      },
      store: { owns: () => false, admit: async () => undefined, lose: () => undefined },
      restoreJournal: () => undefined,
      restoreCallbacks: () => undefined,
      dropJournal: () => undefined,
      reportError: (error) => {
        throw error;
      },
    });
    claims.leave();
    return claims;
  }

  test('does not try a request for a free project for ever', async () => {
    const claims = createLeft({ locate: async () => undefined, claim: async () => ({ owner: 'fenced' }) }, []);
    await expect(claims.locate('p')).rejects.toThrow(ProjectLost);
  });

  test('sends requests to the owner of their project, and shares free projects out', async () => {
    const [owner, other] = [
      { id: 'owner', url: 'http://owner' },
      { id: 'other', url: 'http://other' },
    ];
    const claims = createLeft(
      {
        locate: async (project) =>
          project === 'owned' ? { replica: owner, epoch: 7, seq: 1, isWritten: true } : undefined,
        claim: () => Promise.reject(new Error('it claims nothing')),
      },
      [owner, other],
    );
    for (let turn = 1; turn <= 3; turn += 1) expect(await claims.locate('owned')).toEqual({ replica: owner, epoch: 7 });
    expect(await claims.locate('first')).toEqual({ replica: owner });
    expect(await claims.locate('second')).toEqual({ replica: other });
  });
});
