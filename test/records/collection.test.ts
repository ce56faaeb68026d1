/** Records that are kept unread: nobody who looks can tell them from others. */
import { expect, test } from 'vitest';
import { Collection, createBatch } from '../../src/records/collection.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';

function fill(): Collection {
  const batch = createBatch('{"jobs":[{"id":"a","n":1},{"id":"b","n":2},{"id":"c","n":3}]}', 'jobs');
  const records = new Collection([['z', { id: 'z' }]]);
  records.setUnread('a', batch, 0, { createdAt: 'now' });
  records.setUnread('c', batch, 2, { createdAt: 'now' });
  return records;
}

const all = [
  ['z', { id: 'z' }],
  ['a', { id: 'a', n: 1, createdAt: 'now' }],
  ['c', { id: 'c', n: 3, createdAt: 'now' }],
];

test('every method of a map returns parsed records', () => {
  expect([...fill()]).toEqual(all);
  expect([...fill().entries()]).toEqual(all);
  expect([...fill().values()]).toEqual(all.map(([, record]) => record));
  const seen: unknown[] = [];
  fill().forEach((record, id) => {
    seen.push([id, record]);
  });
  expect(seen).toEqual(all);
  expect(fill().get('c')).toEqual({ id: 'c', n: 3, createdAt: 'now' });
  expect(fill().get('b')).toBeUndefined();
  expect(fill().size).toBe(3);
  expect(new Map(fill())).toEqual(new Map(all as [string, object][]));
});

test('a record is parsed once and stays the same object', () => {
  const records = fill();
  expect(records.get('a')).toBe(records.get('a'));
  expect([...records.values()][1]).toBe(records.get('a'));
});

test('a record that is replaced before it was read is not parsed', () => {
  const records = fill();
  records.set('a', { id: 'a', n: 9 });
  expect(records.get('a')).toEqual({ id: 'a', n: 9 });
  expect([...records.values()]).toHaveLength(3);
});

const sandbox = useSandbox();

test.each([
  ['jobs', 'jobs/batch', 'trackingId', 0],
  ['orders', 'orders', 'trackId', 0],
  // Longer bodies are read in pieces, and kept so.
  ['orders', 'orders', 'trackId', 20_000],
])('a large import of %s is stored like a small one (%#)', async (list, path, tracking, padding) => {
  const [large, small] = [freshProject(), freshProject()];
  const entries = Array.from({ length: 120 }, (_, index) => ({
    id: `E-${index % 119}`,
    tags: [`t${index}`],
    attributes: { index, padding: 'x'.repeat(padding) },
    ...(index % 3 === 0 && { subProjectId: 'north' }),
    ...(index % 5 === 0 && { [tracking]: `T-${index}` }),
  }));
  for (const project of [large, small]) await sandbox.freeze(project);
  const once = await sandbox.api('POST', `/sync/projects/${large}/${path}`, { [list]: entries });
  expect(once.body.failed).toEqual([{ id: 'E-0', reason: expect.stringContaining('exists already') }]);
  for (let at = 0; at < entries.length; at += 20) {
    await sandbox.api('POST', `/sync/projects/${small}/${path}`, { [list]: entries.slice(at, at + 20) });
  }
  const timeless = (records: Record<string, unknown>[]) =>
    records.map(({ createdAt, updatedAt, ...fields }) => {
      expect([typeof createdAt, typeof updatedAt]).toEqual(['string', 'string']);
      return 'T-' === String(fields[tracking]).slice(0, 2) ? fields : { ...fields, [tracking]: 'generated' };
    });
  const stored = await sandbox.items(large, list);
  expect(stored).toHaveLength(119);
  expect(timeless(stored)).toEqual(timeless(await sandbox.items(small, list)));
  expect(stored[0]).toMatchObject({ id: 'E-0', tags: ['t0'], subProjectId: 'north', [tracking]: 'T-0' });
});
