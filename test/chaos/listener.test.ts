/** `listen --answer count` and its sandbox, killed in the middle: no callback is lost, and none is sent again after 2xx. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, expect, inject, test } from 'vitest';
import { useBuiltProgram } from '../harness/program.ts';
import { useReceiver } from '../harness/receiver.ts';
import { createDice } from '../model/dice.ts';
import type { Running } from '../rig/process.ts';
import { createListened, project } from './listened.ts';

const program = useBuiltProgram();
const receiver = useReceiver();
const { kills } = inject('amounts');
const dice = createDice(inject('seed'));
const running = new Set<Running>();

afterEach(() => {
  for (const { child } of running) child.kill('SIGKILL');
  running.clear();
});

function start(args: readonly string[]): Running {
  const started = program.start(args);
  running.add(started);
  return started;
}

async function kill(victim: Running): Promise<void> {
  victim.child.kill('SIGKILL');
  running.delete(victim);
  await victim.ended;
}

async function setUp(name: string) {
  const profile = path.join(program.folder, 'retries.yaml');
  // More than any machine needs: while the listener is down, each attempt fails at once.
  const retries = ['50ms', '100ms', '200ms', '400ms', ...Array.from({ length: 600 }, () => '1s')];
  writeFileSync(profile, `callbacks: { retries: [${retries}] }\n`);
  const data = path.join(program.folder, name);
  const serve = (port: string): Running =>
    start(['--log', 'off', '--json', '--profile', profile, '--data', data, '--host', '127.0.0.1', '--port', port]);
  const server = serve('0');
  const url = await server.ready;
  const listen = async (): Promise<Running> => {
    const to = ['--url', url, '--project', project, '--forward-to', receiver.url()];
    const listening = start(['listen', ...to, '--takeover']);
    await listening.waitForOutput('"event":"listening"');
    return listening;
  };
  return { url, server, restart: () => serve(new URL(url).port), listen, listened: createListened(receiver, dice) };
}

test('the sandbox is killed', { timeout: 600_000 }, async () => {
  const { url, server, restart, listen, listened } = await setUp('killed-sandbox');
  let current = server;
  await listen();
  for (let number = 1; number <= kills; number += 1) {
    const working = listened.work(url, 3);
    await setTimeout(200 + dice.below(600));
    await kill(current);
    await working;
    current = restart();
    await current.ready;
    // So that the command is back now and then, with what it has kept.
    if (dice.often(60)) await setTimeout(dice.below(1200));
  }
  const { callbacks, repeated } = await listened.check(url);
  console.log(`${kills} kills of the sandbox: ${callbacks} callbacks, ${repeated} repeated`);
  expect(callbacks).toBeGreaterThan(kills / 2);
});

test('the listener is killed', { timeout: 600_000 }, async () => {
  const { url, listen, listened } = await setUp('killed-listener');
  for (let number = 1; number <= kills; number += 1) {
    const listening = await listen();
    const working = listened.work(url, 3);
    await setTimeout(100 + dice.below(400));
    await kill(listening);
    await working;
  }
  await listen();
  // What the receiver answered as the command was killed, nobody could report.
  const { callbacks, repeated } = await listened.check(url, [{ fromMs: 0, toMs: Number.POSITIVE_INFINITY }]);
  console.log(`${kills} kills of the listener: ${callbacks} callbacks, ${repeated} repeated`);
  expect(repeated).toBeLessThanOrEqual(kills);
  expect(callbacks).toBeGreaterThan(kills / 2);
});
