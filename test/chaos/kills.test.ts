/** Ended at any moment, under load and while it starts, a sandbox with `--data` has all that was answered. */
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { useBuiltProgram } from '../harness/program.ts';
import { useReceiver } from '../harness/receiver.ts';
import { createDice } from '../model/dice.ts';
import { createCallbackLog } from '../rig/callback-log.ts';
import { createClockMover, createImporter, createLateImporter, createUpdater, type Site } from '../rig/clients.ts';
import { compare, type Work, workUntilGone } from '../rig/compare.ts';
import { createLedger } from '../rig/ledger.ts';
import { createSender } from '../rig/send.ts';
import { createResetter, createScenarioSetter } from './setters.ts';

const program = useBuiltProgram();
const receiver = useReceiver();
const { kills, signals } = inject('amounts');
const seed = inject('seed');

/** At any time it may be unknown whether a callback was delivered. */
const doubts = [{ fromMs: 0, toMs: Number.POSITIVE_INFINITY }];

/** `isKilled`: also with clients whose requests take so long that a program which ends in peace breaks them off. */
function createWork(isKilled: boolean): Work {
  const [ledger, callbacks] = [createLedger(), createCallbackLog()];
  receiver.handle(callbacks.answer);
  let number = 0;
  const site = (project: string): Site => {
    number += 1;
    const dice = createDice(seed * 100 + number);
    return { project, name: `w${number}`, dice, ledger, callbacks, isShared: false };
  };
  const clients = [
    ...['alpha', 'alpha', 'Beta', 'Beta'].map((project) => createImporter(site(project))),
    ...['alpha', 'Beta'].map((project) => createLateImporter(site(project))),
    createUpdater(site('heavy')),
    createScenarioSetter(site('ruled')),
    createResetter(site('short-lived')),
    ...(isKilled ? [createClockMover(site('frozen'))] : []),
  ];
  return { clients, ledger, callbacks };
}

/** How often a program is ended by each signal, after at most how many milliseconds more, and its exit code. */
const ends = [
  { signal: 'SIGKILL', times: kills, afterMs: 900, code: null },
  { signal: 'SIGTERM', times: signals, afterMs: 500, code: 0 },
] as const;

test.each(ends)(
  'after $signal at random moments under load, answered requests are stored and rejected ones are not',
  {
    timeout: 300_000,
  },
  async ({ signal, times, afterMs, code }) => {
    const dice = createDice(seed);
    const folder = path.join(program.folder, signal);
    const profile = path.join(program.folder, 'profile.yaml');
    writeFileSync(profile, 'callbacks: { retries: [50ms, 100ms, 200ms, 400ms] }\n');
    const args = ['--log', 'off', '--data', folder, '--profile', profile, '--callback-url', receiver.url()];
    const work = createWork(signal === 'SIGKILL');
    const { clients, ledger, callbacks } = work;
    const steps = clients.map(() => 0);
    let server = await program.startReady(args);
    for (const client of clients) await client.begin?.(createSender(server.url, ledger));
    for (let turn = 1; turn <= times; turn += 1) {
      const { url, child, ended } = server;
      const working = workUntilGone(work, url);
      // A slow machine takes its time for the first answers.
      const answered = ledger.counts.answered + clients.length;
      await expect.poll(() => ledger.counts.answered, { timeout: 30_000, interval: 10 }).toBeGreaterThan(answered);
      setTimeout(() => child.kill(signal), dice.below(afterMs));
      for (const [index, count] of (await working).entries()) steps[index] = (steps[index] ?? 0) + count;
      expect(await ended).toMatchObject({ code, err: '' });
      if (signal === 'SIGKILL' && dice.often(25)) {
        const starting = program.start([...args, '--port', '0', '--host', '127.0.0.1']);
        setTimeout(() => starting.child.kill('SIGKILL'), dice.below(400));
        expect((await starting.ended).code).toBeNull();
      }
      server = await program.startReady(args);
      await compare(work, { server: server.url }, 15_000);
      const came = callbacks.check(ledger, doubts);
      expect(ledger.violations).toEqual([]);
      console.log(
        `${signal} ${turn} of ${times}: ${ledger.counts.answered} answers so far, ${came.callbacks} callbacks`,
      );
    }
    expect(Math.min(...steps)).toBeGreaterThan(0);
    server.child.kill('SIGTERM');
    expect(await server.ended).toMatchObject({ code: 0, err: '' });
    expect(readdirSync(folder).filter((name) => !/^[\w%-]+\.json(\.log)?$/.test(name))).toEqual([]);
  },
);
