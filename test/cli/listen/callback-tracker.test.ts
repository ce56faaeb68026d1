/** A server that sends more than a sandbox has: events and pages without end. */
import { expect, test } from 'vitest';
import { createCallbackTracker } from '../../../src/cli/listen/callback-tracker.ts';

const megabytes = 1024 ** 2;

/** Creates a tracker of project `p` at a server whose responses have this size. */
function createSubject(size: number, next?: string) {
  const asked: string[] = [];
  const forwarded: string[] = [];
  const attempts = [{ at: '2026-03-02T09:30:00Z', headers: {} }];
  const get = (path: string) => {
    asked.push(path);
    const isList = path.includes('?limit=');
    const id = isList ? 'listed' : path.slice(path.lastIndexOf('/') + 1);
    const items = [{ id, attempts }];
    const body = isList ? { items, ...(next !== undefined && { next }) } : items[0];
    return Promise.resolve({ kind: 'answered', body, size } as const);
  };
  const tracker = createCallbackTracker({
    project: 'p',
    control: { get, follow: () => Promise.resolve({ kind: 'missing' }) },
    forwarder: { enqueue: (_project, { id }) => void forwarded.push(id) },
    createBackoff: () => ({ wait: () => Promise.resolve(), reset: () => undefined }),
    signal: new AbortController().signal,
    notify: () => undefined,
  });
  const read = (id: string): Promise<void> =>
    tracker.read({ kind: 'callback', text: JSON.stringify({ id, project: 'p', attempts: 1 }) });
  const lists = () => asked.filter((path) => path.includes('?limit=')).length;
  return { tracker, read, forwarded, lists };
}

test('an event is handled when its callback is forwarded, so that no others wait meanwhile', async () => {
  const { read, forwarded } = createSubject(1);
  for (const id of ['c-1', 'c-2']) {
    await read(id);
    expect(forwarded.at(-1)).toBe(id);
  }
});

test('an endless list is read up to 256 MB', async () => {
  const { tracker, forwarded, lists } = createSubject(64 * megabytes, 'more');
  tracker.catchUp();
  await expect.poll(() => forwarded).toEqual(['listed']);
  expect(lists()).toBe(4);
});
