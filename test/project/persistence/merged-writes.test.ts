/** Merged writes: parallel changes need one write, and every caller waits for its own change. */
import { expect, test } from 'vitest';
import { createMergedWrites } from '../../../src/project/persistence/merged-writes.ts';

const turn = () => new Promise((done) => setImmediate(done));

/** Creates a value whose writes end when the test ends them; `told` lists the changes whose write has ended. */
function useWrites() {
  const value: string[] = [];
  const written: string[][] = [];
  const ends: ((error?: Error) => void)[] = [];
  const failures: unknown[] = [];
  const told: string[] = [];
  const writes = createMergedWrites(
    () => {
      written.push([...value]);
      return new Promise<void>((done, failed) => ends.push((error) => (error ? failed(error) : done())));
    },
    (error) => failures.push(error),
  );
  return {
    writes,
    written,
    failures,
    told,
    change: (what: string): void => {
      value.push(what);
      writes.changed();
      writes.persisted()?.then(
        () => told.push(what),
        () => told.push(`${what} failed`),
      );
    },
    end: async (error?: Error): Promise<void> => {
      ends.shift()?.(error);
      await turn();
    },
  };
}

test('merges all changes during a write into the next one', async () => {
  const { written, told, change, end } = useWrites();
  change('a');
  change('b');
  await turn();
  for (const what of ['c', 'd', 'e']) change(what);
  await turn();
  expect([written, told]).toEqual([[['a', 'b']], []]);
  await end();
  expect(told).toEqual(['a', 'b']);
  expect(written).toHaveLength(2);
  await end();
  expect(told).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(written.at(-1)).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('includes changes later in the same turn', async () => {
  const { writes, written, change } = useWrites();
  writes.changed();
  change('a');
  await turn();
  expect(written).toEqual([['a']]);
});

test('returns a promise only if a change is unwritten or being written', async () => {
  const { writes, told, change, end } = useWrites();
  expect(writes.persisted()).toBeUndefined();
  change('a');
  await turn();
  expect(writes.persisted()).toBeInstanceOf(Promise);
  await end();
  expect([writes.persisted(), told]).toEqual([undefined, ['a']]);
});

test('reports a failed write to its callers; the next write includes the same changes', async () => {
  const { writes, written, failures, told, change, end } = useWrites();
  change('a');
  await turn();
  change('b');
  await end(new Error('full'));
  expect([told, failures]).toEqual([['a failed'], [new Error('full')]]);
  await end();
  expect(told).toEqual(['a failed', 'b']);
  expect(written.at(-1)).toEqual(['a', 'b']);
  expect(writes.persisted()).toBeUndefined();
});

test('a later call of `persisted` retries a failed write without another change', async () => {
  const { writes, written, change, end } = useWrites();
  change('a');
  await turn();
  await end(new Error('full'));
  expect(written).toHaveLength(1);
  const kept = writes.persisted();
  await turn();
  await end();
  await expect(kept).resolves.toBeUndefined();
  expect(written).toHaveLength(2);
});
