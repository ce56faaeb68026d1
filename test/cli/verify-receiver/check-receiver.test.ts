import { afterEach, expect, test } from 'vitest';
import { createCallbackFormat } from '../../../src/callbacks/format.ts';
import { defaultSecret } from '../../../src/callbacks/signature.ts';
import { type CheckResult, checkCount, checkReceiver } from '../../../src/cli/verify-receiver/check-receiver.ts';
import type { ReceiverCheck } from '../../../src/cli/verify-receiver/context.ts';
import { createWallClock, type WallClock } from '../../../src/lib/time.ts';
import { shippedProfile } from '../../../src/openapi/profile/profile.ts';
import { type Steps, startReceiver, type TestReceiver } from './receiver.ts';

const receivers: TestReceiver[] = [];
afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver.close();
});

async function start(steps: Partial<Steps> = {}): Promise<string> {
  const receiver = await startReceiver(steps);
  receivers.push(receiver);
  return receiver.url;
}

function check(url: string, more: Partial<ReceiverCheck> = {}, tell: (result: CheckResult) => void = () => undefined) {
  const about = {
    url,
    secret: defaultSecret,
    format: createCallbackFormat(shippedProfile.callbacks),
    allow: [],
    wall: createWallClock(),
    attemptMs: 5000,
    pauseMs: 5,
    ...more,
  };
  return checkReceiver(about, tell);
}

/** Creates a wall clock whose timer of 77 s the test fires. */
function createWallThatEnds(): { readonly wall: WallClock; end(): void } {
  const wall = createWallClock();
  let run = (): void => undefined;
  return {
    wall: {
      ...wall,
      after: (ms, then) => {
        if (ms !== 77_000) return wall.after(ms, then);
        run = then;
        return () => undefined;
      },
    },
    end: () => run(),
  };
}

test('after the timeout of all checks together, the remaining checks are skipped', async () => {
  const { wall, end } = createWallThatEnds();
  const told: CheckResult[] = [];
  const url = await start({
    begin: ({ headers }) => {
      if (Number(headers['content-length']) < 1_000_000) return undefined;
      end();
      return 0;
    },
  });
  await check(url, { wall, wholeMs: 77_000 }, (result) => told.push(result));
  const outcomes = told.map(({ outcome }) => outcome);
  expect(outcomes).toEqual([...Array(7).fill('passed'), ...Array(checkCount - 7).fill('skipped')]);
  expect(new Set(told.slice(7).map(({ note }) => note))).toEqual(
    new Set(['all checks together took longer than 77 s']),
  );
});
