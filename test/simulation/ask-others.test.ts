/** A question to a server that lives, and that this one cannot reach. */
import { expect, test } from 'vitest';
import { createAskOthers } from '../../src/cluster/wide/ask-others.ts';
import { StoreUnavailable } from '../../src/project/persistence/store-errors.ts';
import { createTestWall } from '../harness/wall.ts';

test('is given up after 12 seconds, and the address is reported once', async () => {
  const wall = createTestWall();
  const others = [{ id: 'other', url: 'http://other:4601' }];
  const warnings: string[] = [];
  const ask = createAskOthers({
    membership: { others: () => others, listOthers: async () => others, fenceUnreachable: async () => false },
    client: { send: async () => ({ kind: 'unreachable' }) },
    // No test waits for real time.
    wall: { ...wall, after: (ms, run) => void setImmediate(() => [wall.pass(ms), run()]) as never },
    warn: (text) => void warnings.push(text),
  });
  for (let count = 0; count < 2; count += 1) await expect(ask({ about: 'reset' })).rejects.toThrow(StoreUnavailable);
  expect(warnings).toEqual([expect.stringContaining('http://other:4601 does not answer')]);
});
