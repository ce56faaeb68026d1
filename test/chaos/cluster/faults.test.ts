/** Three replicas under load and faults: what was answered is there, once, and every callback arrives. */
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { postgresIsMissing } from '../../cluster/harness/postgres-binaries.ts';
import { ask } from '../../flows/data-steps.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { createDice } from '../../model/dice.ts';
import { type Doubt, logCallbacks } from './callback-log.ts';
import { type Load, startLoad } from './load.ts';
import { type Member, type Rig, startRig } from './rig.ts';

const amounts = inject('clusterAmounts');
const seed = inject('seed');
const dice = createDice(seed);
const receiver = useReceiver();
let rig: Rig;

/** What a fault does while the load goes on. */
interface Fault {
  readonly load: Load;
  /** Runs something during which it is not known whether a callback was delivered. */
  doubt(what: string, run: () => Promise<unknown>): Promise<void>;
  /** Measures how long the projects of a replica are away: one request for each, through another replica. */
  takeOver(victim: Member, projects: readonly string[]): Promise<void>;
  /** Sends a request for each project to a replica that cannot reach its database. */
  insist(member: Member): Promise<void>;
}

async function underLoad(name: string, disturb: (fault: Fault) => Promise<void>): Promise<Load> {
  const callbacks = logCallbacks(receiver);
  const load = await startLoad(rig, name, seed);
  const doubts: Doubt[] = [];
  const takeOvers: number[] = [];
  const insisted: number[] = [];
  await disturb({
    load,
    doubt: async (what, run) => {
      const fromMs = performance.now();
      const doubt = { what, fromMs, toMs: Number.POSITIVE_INFINITY };
      doubts.push(doubt);
      await run();
      doubts[doubts.indexOf(doubt)] = { ...doubt, toMs: performance.now() };
    },
    takeOver: async (victim, projects) => {
      const others = rig.members.filter(({ replica }) => replica !== victim.replica && replica.isRunning);
      const ours = projects.filter((project) => load.projects.includes(project));
      const probes = ours.map((project) => load.probe(dice.of(others).replica.url, project));
      for (const { ms, isAnswered } of await Promise.all(probes)) if (isAnswered) takeOvers.push(ms);
    },
    insist: async ({ replica }) => {
      const probes = load.projects.map((project) => load.probe(replica.url, project));
      for (const { ms } of await Promise.all(probes)) insisted.push(ms);
    },
  });
  await load.stop();
  await rig.ready();
  const counted = await load.check(rig, callbacks, doubts);
  console.log(
    `${name}: ${counted}${toTimes('taken over after', takeOvers)}${toTimes('cut off, answered after', insisted)}`,
  );
  expect(load.ledger.violations).toEqual([]);
  return load;
}

function toTimes(what: string, times: readonly number[]): string {
  if (times.length === 0) return '';
  const sorted = times.toSorted((one, other) => one - other);
  const seconds = (ms = 0): string => (ms / 1000).toFixed(1);
  return `; ${what} ${seconds(sorted[sorted.length >> 1])} s, at most ${seconds(sorted.at(-1))} s (${times.length})`;
}

describe.skipIf(postgresIsMissing)('replicas under load', () => {
  beforeAll(async () => {
    const template = inject('postgres')?.template ?? '';
    rig = await startRig({ program: inject('program'), template, callbackUrl: receiver.url() });
    await rig.ready();
  });
  afterAll(() => rig?.close());

  test('without a fault, no request fails and no callback is repeated', async () => {
    const { ledger } = await underLoad('calm', () => setTimeout(amounts.calmMs));
    const { answered, ...failed } = ledger.counts;
    expect(Object.values(failed)).toEqual([0, 0, 0, 0, 0]);
    expect(answered).toBeGreaterThan(20);
  });

  test('killed', async () => {
    await underLoad('kills', async ({ doubt, takeOver }) => {
      for (let kill = 1; kill <= amounts.kills; kill += 1) {
        const victim = dice.of(rig.members);
        await rig.ready();
        await setTimeout(500 + dice.below(1000));
        const projects = await victim.owned();
        await doubt('kill', () => victim.kill());
        await takeOver(victim, projects);
        await setTimeout(dice.below(1000));
        await victim.start();
      }
    });
  });

  test('callbacks of a killed replica are sent without any request', async () => {
    const accepted = new Set<string>();
    const told = new Set<string>();
    let isAnswering = false;
    receiver.handle(({ body }) => {
      for (const { id } of JSON.parse(body).data.failed) if (isAnswering) told.add(id);
      return isAnswering ? 204 : 503;
    });
    await rig.ready();
    for (let number = 0; number < 6; number += 1) {
      const id = `FAIL-quiet-${number}`;
      const answer = await ask(`${rig.url}/async/projects/quiet-${number}/jobs`, 'POST', { jobs: [{ id }] });
      expect(answer.status).toBe(202);
      accepted.add(id);
    }
    const [victim] = rig.members;
    await victim?.kill();
    isAnswering = true;
    const startedMs = performance.now();
    await expect.poll(() => [...accepted].filter((id) => !told.has(id)), { timeout: 30_000 }).toEqual([]);
    console.log(`quiet: all callbacks after ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
    await victim?.start();
  });

  test.each(amounts.pausesMs)('paused for %i ms', async (pauseMs) => {
    await underLoad(`pause-${pauseMs}-${dice.below(1000)}`, async ({ doubt, takeOver }) => {
      const victim = dice.of(rig.members);
      await setTimeout(1000);
      const projects = await victim.owned();
      await doubt('pause', async () => {
        victim.replica.pause();
        const resumed = setTimeout(pauseMs).then(() => victim.replica.resume());
        await takeOver(victim, projects);
        await resumed;
      });
      await setTimeout(1000);
    });
  });

  const cuts = amounts.cutsMs.flatMap((ms) => (['cut', 'hang'] as const).map((kind) => ({ ms, kind })));

  test.each(cuts)('$kind from the database for $ms ms', async ({ kind, ms }) => {
    await underLoad(`database-${kind}-${ms}`, async ({ doubt, takeOver, insist }) => {
      const victim = dice.of(rig.members);
      await setTimeout(1000);
      const projects = await victim.owned();
      await doubt('database', async () => {
        await victim.database[kind]();
        const restored = setTimeout(ms).then(() => victim.database.restore());
        await Promise.all([takeOver(victim, projects), insist(victim), restored]);
      });
      await setTimeout(1000);
    });
  });

  test.each(cuts)('$kind from the other replicas for $ms ms', async ({ kind, ms }) => {
    await underLoad(`peers-${kind}-${ms}`, async ({ doubt, takeOver }) => {
      const victim = dice.of(rig.members);
      await setTimeout(1000);
      const projects = await victim.owned();
      await doubt('peers', async () => {
        await victim.peers[kind]();
        const restored = setTimeout(ms).then(() => victim.peers.restore());
        await Promise.all([takeOver(victim, projects), restored]);
      });
      await setTimeout(1000);
    });
  });

  test.each(['immediate', 'fast'] as const)('PostgreSQL restarts, %s', async (mode) => {
    await underLoad(`postgres-${mode}`, async ({ doubt }) => {
      for (let crash = 1; crash <= amounts.crashes; crash += 1) {
        await setTimeout(1000);
        await doubt(mode, () => rig.postgres.restart(mode));
      }
      await setTimeout(1000);
    });
  });

  test('rolling updates fail no request', async () => {
    const { ledger } = await underLoad('updates', async () => {
      for (let update = 1; update <= amounts.updates; update += 1)
        for (const member of rig.members) {
          expect(await member.terminate()).toBe(0);
          await member.start();
          await rig.ready();
        }
    });
    const { answered: _, ...failed } = ledger.counts;
    expect(failed).toEqual({ applied: 0, notApplied: 0, doubtful: 0, noReplica: 0, lost: 0 });
  });
});
