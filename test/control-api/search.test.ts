/** A search of many large bodies runs in slices and ends: after a number of characters, and when its client has left. */
import { expect, test } from 'vitest';
import { admin } from '../../src/control-api/caller.ts';
import type { ControlParts, ControlRequest } from '../../src/control-api/handler.ts';
import { searchHandlers } from '../../src/control-api/search.ts';

interface Subject {
  readonly count: number;
  readonly body?: string;
  readonly q?: string;
  readonly projects?: readonly string[];
  /** The slice at which the client leaves. */
  readonly leavesAt?: number;
}

/** Searches requests with the same body. Returns the number of bodies that were read, and of slices. */
async function search({ count, body = 'x', q = 'zz', projects = [], leavesAt }: Subject) {
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
  const requestBody = { size: 1, read: shownBody };
  const entry = { id: 'req_1', project: 'p', operation: 'syncCreateJobs', url: '/', requestBody };
  const found = { found: true, operation: {}, params: {} };
  const parts = {
    wall: { elapsed },
    contract: { match: () => found },
    projects: { ids: () => projects, peek: () => undefined },
    journal: { list: () => Array(count).fill(entry) },
    library: { list: () => [] },
  };
  const onLeave = (listener: () => void) => {
    leave = listener;
    return () => undefined;
  };
  const request = { query: { q }, caller: admin, onLeave };
  const answer = await searchHandlers.search(parts as unknown as ControlParts, request as unknown as ControlRequest);
  const { items } = (answer as unknown as { body: { items: readonly object[] } }).body;
  return { read, slices, items };
}

const megabyte = 1024 ** 2;

test('reads bodies up to 256 MB', async () => {
  expect((await search({ count: 20, body: 'x'.repeat(16 * megabyte) })).read).toBe(17);
});

test('ends when its client has left', async () => {
  expect((await search({ count: 20 })).read).toBe(20);
  expect((await search({ count: 20, leavesAt: 6 })).read).toBeLessThan(5);
});

test('lets others run while it compares many ids or a large body, and while it parses one', async () => {
  const projects = Array.from({ length: 5000 }, (_, index) => `p-${index}`);
  expect((await search({ count: 0, projects })).slices).toBeGreaterThan(5);
  const job = { id: 'J', note: 'x'.repeat(1000) };
  const body = JSON.stringify({ jobs: [{ id: 'zz' }, ...Array(8 * 1024).fill(job)] });
  const compared = await search({ count: 1, body, q: 'missing' });
  expect(compared.slices).toBeGreaterThan(8);
  const parsed = await search({ count: 1, body });
  expect(parsed.slices).toBeGreaterThan(16);
});

test.each([megabyte - 1, megabyte, 3 * megabyte])('finds a text at the character %i of a body', async (at) => {
  const [start, end] = ['{"jobs":[{"note":"', '","id":"mE-1"}]}'];
  const body = start + 'x'.repeat(at - start.length - '","id":"'.length) + end;
  expect((await search({ count: 1, body, q: 'Me-1' })).items).toEqual([
    { kind: 'entity', id: 'mE-1', project: 'p', collection: 'jobs' },
  ]);
});
