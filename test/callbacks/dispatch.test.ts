/** The order in which gathered callbacks are sent. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCallback } from '../../src/callbacks/callback.ts';
import { reorder } from '../../src/callbacks/dispatch.ts';

/** Callbacks that tell of these entries, one each; the instant makes their ids. */
function toCallbacks(names: readonly string[], atMs = 0) {
  return names.map((id, index) =>
    createCallback({
      seed: 'test',
      change: index,
      projectId: 'p',
      subProjectId: undefined,
      operation: 'asyncImportJobs',
      type: 'jobs.import.failed',
      requestId: `req_${index}`,
      failed: [{ id, reason: 'no' }],
      atMs,
      disturbance: undefined,
    }),
  );
}

const namesOf = (callbacks: readonly ReturnType<typeof toCallbacks>[number][]) =>
  callbacks.map(({ body }) => body.data.failed[0]?.id);

const shuffle = { order: 'shuffle', hashed: ['seed', 'rule'] } as const;

test('the last first', () => {
  expect(namesOf(reorder(toCallbacks(['A', 'B', 'C']), { order: 'reverse', hashed: [] }))).toEqual(['C', 'B', 'A']);
});

test('a shuffle keeps them all, and of two or more never leaves the order as it was', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('A', 'B', 'C', 'D')), fc.string(), (names, seed) => {
      const callbacks = toCallbacks(names);
      const shuffled = reorder(callbacks, { order: 'shuffle', hashed: [seed] });
      expect(new Set(shuffled)).toEqual(new Set(callbacks));
      expect(shuffled).toHaveLength(callbacks.length);
      if (callbacks.length > 1) expect(shuffled).not.toEqual(callbacks);
      else expect(shuffled).toEqual(callbacks);
    }),
  );
});

test('a shuffle is the same whenever it is made, and in whatever order parallel requests came', () => {
  const names = ['A', 'B', 'C', 'D', 'E', 'F'];
  const shuffled = namesOf(reorder(toCallbacks(names), shuffle));
  expect(namesOf(reorder(toCallbacks(names, 86_400_000), shuffle))).toEqual(shuffled);
  expect(namesOf(reorder(toCallbacks(names.toReversed()), shuffle))).toEqual(shuffled);
});

test('other seeds shuffle otherwise', () => {
  const callbacks = toCallbacks(['A', 'B', 'C', 'D', 'E']);
  const orders = ['1', '2', '3', '4', '5', '6', '7', '8'].map((seed) =>
    namesOf(reorder(callbacks, { order: 'shuffle', hashed: [seed, 'rule'] })).join(''),
  );
  expect(new Set(orders).size).toBeGreaterThan(5);
});
