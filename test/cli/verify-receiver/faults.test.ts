/** Receivers with one fault each: only the checks for that fault find it. `--update` writes the approved outputs. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runVerifyReceiver } from '../../../src/cli/verify-receiver/command.ts';
import { groups } from '../../../src/cli/verify-receiver/groups/index.ts';
import { sampleOf } from '../../harness/amounts.ts';
import { createIo } from '../../harness/cli.ts';
import { createFolder } from '../../harness/folder.ts';
import { faults } from './faults.ts';
import { rightSteps, startReceiver } from './receiver.ts';

const folder = createFolder();
const approved = path.join(import.meta.dirname, 'faults');
const toFile = (name: string): string => path.join(approved, `${name.replaceAll(/\W+/g, '-')}.txt`);

/** Removes the passed checks, and replaces what differs from run to run. */
const toText = (out: string): string =>
  out
    .replaceAll(/^.*✓.*\n/gm, '')
    .replaceAll(/^\n\S.*\n(?=\n)/gm, '')
    .replaceAll(/\(http\S+, [\d.]+ m?s\)/g, '(RECEIVER)')
    .replaceAll(/in \d+ m?s/g, 'in … ms')
    // A stopped receiver refuses a connection, or resets one that it had not accepted yet.
    .replaceAll(/connection (reset|refused|closed without an? \w+)/g, 'connection …');

// Each receiver gets all checks.
test.each(sampleOf(Object.keys(faults), 0))('a receiver that %s fails only the checks for this fault', async (name) => {
  const { limits, profile = {}, ...steps } = faults[name] ?? {};
  const receiver = await startReceiver(steps);
  const file = path.join(createFolder(), 'profile.yaml');
  writeFileSync(file, JSON.stringify(profile));
  const io = createIo();
  // The time of an attempt is that of the test, except for receivers that answer too late.
  const request = { url: receiver.url, junit: undefined, limits: { attemptMs: 60_000, pauseMs: 5, ...limits } };
  await runVerifyReceiver({ ...request, given: { profile: file } }, io);
  await receiver.close();
  await expect(toText(io.written.out)).toMatchFileSnapshot(toFile(name));
});

test('every check finds at least one fault', () => {
  const found = Object.keys(faults).map((name) => readFileSync(toFile(name), 'utf8'));
  const names = groups.flatMap(({ checks }) => checks.map(({ name }) => name));
  expect(names.filter((name) => !found.join('').includes(`✗ ${name}: `))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});

test('a report that cannot be written any more gives exit code 1', async () => {
  const junit = path.join(folder, 'gone.xml');
  const receiver = await startReceiver({
    take: (message, incoming) => {
      // The path was writable before; now a folder is there.
      mkdirSync(junit, { recursive: true });
      return rightSteps.take(message, incoming);
    },
  });
  const io = createIo();
  const code = await runVerifyReceiver({ url: receiver.url, given: {}, junit, limits: { pauseMs: 5 } }, io);
  await receiver.close();
  expect([code, io.written.err]).toEqual([1, `--junit: ${junit} cannot be written (EISDIR)\n`]);
  expect(io.written.out).toContain('\npassed: 26 checks');
});
