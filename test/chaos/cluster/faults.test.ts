/** Three replicas under load and faults: what was answered is there, once, and every callback arrives. */
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { postgresIsMissing } from '../../cluster/harness/postgres-binaries.ts';
import { ask } from '../../flows/data-steps.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { createDice } from '../../model/dice.ts';
import type { Counts } from '../../rig/ledger.ts';
import { type Rig, startRig } from './rig.ts';
import { type DisturbedLoad, runUnderLoad } from './under-load.ts';

const amounts = inject('amounts');
const seed = inject('seed');
const dice = createDice(seed);
const receiver = useReceiver();
let rig: Rig;
const noFailure = { unconfirmed: 0, notApplied: 0, doubtful: 0, noReplica: 0, lost: 0 };

const underLoad = (name: string, disturb: (load: DisturbedLoad) => Promise<void>): Promise<Counts> =>
  runUnderLoad({ rig, receiver, dice, seed, name, disturb });

describe.skipIf(postgresIsMissing)('replicas under load', () => {
  beforeAll(async () => {
    const template = inject('postgres')?.template ?? '';
    rig = await startRig({ program: inject('program'), template, callbackUrl: receiver.url() });
    await rig.ready();
  });
  afterAll(() => rig?.close());

  test('without a fault, no request fails and no callback is repeated', async () => {
    const { answered, ...failed } = await underLoad('calm', () => setTimeout(amounts.calmMs));
    expect(failed).toEqual(noFailure);
    expect(answered).toBeGreaterThan(20);
  });

  test('killed', async () => {
    await underLoad('kills', async ({ counts, doubt, takeOver }) => {
      for (let kill = 1; kill <= amounts.replicaKills; kill += 1) {
        const victim = dice.of(rig.members);
        await rig.ready();
        await setTimeout(500 + dice.below(1000));
        const projects = await victim.owned();
        await doubt(() => victim.kill());
        await takeOver(victim, projects);
        await setTimeout(dice.below(1000));
        await victim.start();
        if (kill % 10 === 0) console.log(`kill ${kill} of ${amounts.replicaKills}: ${counts.answered} answers`);
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
      await doubt(async () => {
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
      await doubt(async () => {
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
      await doubt(async () => {
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
        await doubt(() => rig.postgres.restart(mode));
      }
      await setTimeout(1000);
    });
  });

  test('rolling updates fail no request', async () => {
    const { answered: _, ...failed } = await underLoad('updates', async () => {
      for (let update = 1; update <= amounts.updates; update += 1)
        for (const member of rig.members) {
          expect(await member.terminate()).toBe(0);
          await member.start();
          await rig.ready();
        }
    });
    expect(failed).toEqual(noFailure);
  });
});
