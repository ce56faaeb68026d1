/** Groups of callbacks: the order in which they are sent. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCallback } from '../../src/callbacks/callback.ts';
import { addToGroup, type CallbackGroup, releaseGroup, reorder } from '../../src/callbacks/groups.ts';
import { toFailures } from '../harness/failures.ts';

/** Creates one callback for each entry; the time determines their ids. */
function toCallbacks(names: readonly string[], atMs = 0) {
  return names.map((id, index) =>
    createCallback(toFailures({ change: index, requestId: `req_${index}`, failed: [{ id, reason: 'no' }], atMs })),
  );
}

const namesOf = (callbacks: readonly ReturnType<typeof toCallbacks>[number][]) =>
  callbacks.map(({ body }) => body.data.failed[0]?.id);

const shuffle = { order: 'shuffle', hashed: ['seed', 'rule'] } as const;

test('reverses the order', () => {
  expect(namesOf(reorder(toCallbacks(['A', 'B', 'C']), { order: 'reverse', hashed: [] }))).toEqual(['C', 'B', 'A']);
});

test('a shuffle keeps all callbacks, and always changes the order of two or more', () => {
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

test('a shuffle does not depend on its time or on the order of parallel requests', () => {
  const names = ['A', 'B', 'C', 'D', 'E', 'F'];
  const shuffled = namesOf(reorder(toCallbacks(names), shuffle));
  expect(namesOf(reorder(toCallbacks(names, 86_400_000), shuffle))).toEqual(shuffled);
  expect(namesOf(reorder(toCallbacks(names.toReversed()), shuffle))).toEqual(shuffled);
});

test('another seed gives another shuffle', () => {
  const callbacks = toCallbacks(['A', 'B', 'C', 'D', 'E']);
  const orders = ['1', '2', '3', '4', '5', '6', '7', '8'].map((seed) =>
    namesOf(reorder(callbacks, { order: 'shuffle', hashed: [seed, 'rule'] })).join(''),
  );
  expect(new Set(orders).size).toBeGreaterThan(5);
});

test('callbacks of a group are released in its order', () => {
  const [a, b, c] = toCallbacks(['A', 'B', 'C']);
  const callbacks = new Map([a, b, c].flatMap((callback) => (callback ? [[callback.id, callback]] : [])));
  const state = { callbacks, groups: new Map<string, CallbackGroup>() };
  const rule = { key: 'rule', hashed: [], disturbance: { delayMs: 500, order: 'reverse' } } as const;
  const created = [...callbacks.values()].map((callback) => addToGroup(state, callback, 'reverse', rule, 1000));
  expect(created).toEqual([expect.objectContaining({ releaseAt: 1500 }), undefined, undefined]);
  expect([...callbacks.values()].map(({ dueAt }) => dueAt)).toEqual(Array(3).fill('1970-01-01T00:00:01.500Z'));
  callbacks.delete(b?.id ?? '');
  expect(releaseGroup(state, 'rule')).toEqual([c, a]);
  expect(state.groups.size).toBe(0);
  expect(releaseGroup(state, 'rule')).toEqual([]);
});
