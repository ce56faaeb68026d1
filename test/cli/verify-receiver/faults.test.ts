/** Receivers with one fault each: only the checks for that fault find it. */
import { afterEach, expect, test } from 'vitest';
import { createCallbackFormat } from '../../../src/callbacks/format.ts';
import { defaultSecret } from '../../../src/callbacks/signature.ts';
import { type CheckResult, checkCount, checkReceiver } from '../../../src/cli/verify-receiver/check-receiver.ts';
import { groups } from '../../../src/cli/verify-receiver/groups/index.ts';
import { createWallClock } from '../../../src/lib/time.ts';
import { shippedProfile } from '../../../src/openapi/profile/profile.ts';
import { sampleOf } from '../../harness/amounts.ts';
import type { Fault } from './faults/fault.ts';
import { faults } from './faults/index.ts';
import { type Steps, startReceiver, type TestReceiver } from './receiver.ts';

const format = createCallbackFormat(shippedProfile.callbacks);
const receivers: TestReceiver[] = [];
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close();
});

/** `attemptMs`: for receivers that answer too late; others have the time of their test. */
async function check(steps: Partial<Steps>, attemptMs = 60_000): Promise<readonly CheckResult[]> {
  const receiver = await startReceiver(steps);
  receivers.push(receiver);
  const wall = createWallClock();
  const told: CheckResult[] = [];
  const about = { url: receiver.url, secret: defaultSecret, format, allow: [], wall, attemptMs, pauseMs: 5 };
  await checkReceiver(about, (result) => told.push(result));
  return told;
}

test('a correct receiver passes every check', async () => {
  const results = await check({});
  expect(results.filter(({ outcome }) => outcome !== 'passed')).toEqual([]);
  expect(results.map(({ name }) => name)).toEqual(groups.flatMap(({ checks }) => checks.map(({ name }) => name)));
  expect(results).toHaveLength(checkCount);
});

test('a receiver that sends interim responses passes every check', async () => {
  const results = await check({
    begin: ({ response }) => {
      response.writeContinue();
      response.writeProcessing();
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      return undefined;
    },
  });
  expect(results.filter(({ outcome }) => outcome !== 'passed')).toEqual([]);
});

// Each receiver gets all checks.
test.each(sampleOf(Object.entries(faults), 0))(
  'a receiver that %s fails only the checks for this fault',
  async (_, { steps, found, note, ends, hint, attemptMs }: Fault) => {
    const results = await check(steps, attemptMs);
    const failed = results.filter(({ outcome }) => outcome === 'failed');
    expect(failed.map(({ name }) => name)).toEqual(found);
    expect(
      failed[0]?.note
        .replace(/in \d+ ms/, 'in … ms')
        // A stopped receiver refuses a connection, or resets one that it had not accepted yet.
        .replace(/connection (reset|refused|closed without an? \w+)/g, 'connection …'),
    ).toBe(note);
    expect(failed.at(-1)?.ends).toBe(ends);
    expect(failed.at(-1)?.hint).toBe(hint);
    const left = results.filter(({ outcome }) => outcome === 'skipped');
    const after = results.slice(results.findIndex(({ ends: end }) => end !== undefined) + 1);
    expect(left).toEqual(ends === undefined ? [] : after);
    for (const one of left) expect(one.note).toBe(ends);
  },
);

test('every check finds at least one fault', () => {
  const found = new Set(Object.values(faults).flatMap((fault) => fault.found));
  const names = groups.flatMap(({ checks }) => checks.map(({ name }) => name));
  expect(names.filter((name) => !found.has(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});
