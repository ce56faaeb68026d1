/** Replicas that are killed while a `listen` command passes their callbacks on: none is lost or sent again after 2xx. */
import { setTimeout } from 'node:timers/promises';
import { expect, inject, onTestFinished, test } from 'vitest';
import { postgresIsMissing } from '../../cluster/harness/postgres-binaries.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { createDice } from '../../model/dice.ts';
import { startProcess } from '../../rig/process.ts';
import { createListened, project } from '../listened.ts';
import { startRig } from './rig.ts';

const { replicaKills: kills } = inject('amounts');
const dice = createDice(inject('seed'));
const receiver = useReceiver();

test.skipIf(postgresIsMissing)('any replica is killed: that of the connection, the owner, or another', async () => {
  const program = inject('program');
  const rig = await startRig({ program, template: inject('postgres')?.template ?? '', callbackUrl: undefined });
  onTestFinished(rig.close);
  await rig.ready();
  const listened = createListened(receiver, dice);
  const to = ['--url', rig.url, '--project', project, '--forward-to', receiver.url()];
  const listening = startProcess([process.execPath, program, 'listen', ...to], {});
  onTestFinished(() => void listening.child.kill('SIGKILL'));
  await listening.waitForOutput('"event":"listening"');
  for (let kill = 1; kill <= kills; kill += 1) {
    const victim = dice.of(rig.members);
    const working = listened.work(rig.url, 3);
    await setTimeout(200 + dice.below(600));
    await victim.kill();
    await working;
    await victim.start();
    await rig.ready();
    if (kill % 10 === 0) console.log(`kill ${kill} of ${kills}`);
  }
  const { callbacks, repeated } = await listened.check(rig.url);
  console.log(`${kills} kills of replicas: ${callbacks} callbacks, ${repeated} repeated`);
  expect(callbacks).toBeGreaterThan(kills / 2);
});
