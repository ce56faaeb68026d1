/** A search of many large bodies ends: after a number of characters, and when its client has left. */
import { expect, test } from 'vitest';
import { admin } from '../../src/control-api/caller.ts';
import type { ControlParts, ControlRequest } from '../../src/control-api/handler.ts';
import { searchHandlers } from '../../src/control-api/search.ts';

/** Searches requests with the same body. Returns the number of bodies that were read. `leavesAt`: a slice. */
async function countRead(count: number, body: string, leavesAt?: number): Promise<number> {
  let [read, slices] = [0, 0];
  let leave = (): void => undefined;
  const elapsed = () => {
    slices += 1;
    if (slices === leavesAt) leave();
    return slices * 100;
  };
  const shownBody = () => {
    read += 1;
    return { shown: body };
  };
  const entry = { id: 'req_1', project: 'p', url: '/', requestBody: { size: 1, read: shownBody } };
  const parts = {
    wall: { elapsed },
    projects: { ids: () => [], peek: () => undefined },
    journal: { list: () => Array(count).fill(entry) },
    library: { list: () => [] },
  };
  const onLeave = (listener: () => void) => {
    leave = listener;
    return () => undefined;
  };
  const request = { query: { q: 'zz' }, caller: admin, onLeave };
  await searchHandlers.search(parts as unknown as ControlParts, request as unknown as ControlRequest);
  return read;
}

test('reads bodies up to 256 MB', async () => {
  expect(await countRead(20, 'x'.repeat(16 * 1024 ** 2))).toBe(17);
});

test('ends when its client has left', async () => {
  expect(await countRead(20, 'x')).toBe(20);
  expect(await countRead(20, 'x', 6)).toBeLessThan(5);
});
