/** Writes of parallel changes are one, and nobody is told before their own change is written. */
import { expect, test } from 'vitest';
import { createMergedWrites } from '../../../src/project/persistence/merged-writes.ts';

const turn = () => new Promise((done) => setImmediate(done));

/** A value that is written when the test says so; `told` are changes whose write has ended. */
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

test('all that changes while a write is under way goes into the next, once', async () => {
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

test('what changes later in the same turn goes along', async () => {
  const { writes, written, change } = useWrites();
  writes.changed();
  change('a');
  await turn();
  expect(written).toEqual([['a']]);
});

test('where nothing has changed there is nothing to wait for; where it is being written there is', async () => {
  const { writes, told, change, end } = useWrites();
  expect(writes.persisted()).toBeUndefined();
  change('a');
  await turn();
  expect(writes.persisted()).toBeInstanceOf(Promise);
  await end();
  expect([writes.persisted(), told]).toEqual([undefined, ['a']]);
});

test('who waits for a write that fails is told so; the next one tries all again', async () => {
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

test('what could not be written is tried again when somebody asks for it, without another change', async () => {
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
