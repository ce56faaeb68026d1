/** What becomes due of new callbacks, and the order in which gathered ones are sent. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCallback } from '../../src/callbacks/callback.ts';
import {
  type CallbackDue,
  type CallbackFaultRule,
  type CallbackGroup,
  createDispatch,
  reorder,
} from '../../src/callbacks/dispatch.ts';
import { toFailures } from '../harness/failures.ts';

/** Callbacks that tell of these entries, one each; the instant makes their ids. */
function toCallbacks(names: readonly string[], atMs = 0) {
  return names.map((id, index) =>
    createCallback(toFailures({ change: index, requestId: `req_${index}`, failed: [{ id, reason: 'no' }], atMs })),
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

/** What is added for callbacks that a rule disturbs, in the order in which it is. */
function createSubject() {
  const callbacks = new Map<string, ReturnType<typeof toCallbacks>[number]>();
  const groups = new Map<string, CallbackGroup>();
  const added: (readonly [number, CallbackDue])[] = [];
  const dispatch = createDispatch({
    data: () => ({ callbacks, groups }),
    add: (dueAt, what) => {
      added.push([dueAt, what]);
    },
  });
  const take = (names: readonly string[], by?: CallbackFaultRule, more: object = {}): readonly string[] =>
    toCallbacks(names).map((callback) => {
      const known = Object.assign(callback, more);
      callbacks.set(known.id, known);
      dispatch.take(known, by, 1000);
      return known.id;
    });
  return { dispatch, callbacks, groups, added, take };
}

const attempt = (callbackId: string) => ({ kind: 'attempt', callbackId }) as const;
const copy = (callbackId: string) => ({ ...attempt(callbackId), isCopy: true }) as const;

test('a callback is due at once, or later, as often as it is doubled; one that is dropped never is', () => {
  const { added, take } = createSubject();
  const [a = ''] = take(['A']);
  const [b = ''] = take(['B', 'C'], { key: 'rule', hashed: [], disturbance: { delayMs: 500 } }, { copiesLeft: 2 });
  take(['D'], undefined, { state: 'dropped' });
  expect(added.slice(0, 4)).toEqual([
    [1000, attempt(a)],
    [1500, attempt(b)],
    [1500, copy(b)],
    [1500, copy(b)],
  ]);
  expect(added).toHaveLength(7);
});

test('callbacks of a group wait for each other, and are due in its order when it is released', () => {
  const { dispatch, callbacks, groups, added, take } = createSubject();
  const by = { key: 'rule', hashed: [], disturbance: { delayMs: 500, order: 'reverse' } } as const;
  const [a = '', b = '', c = ''] = take(['A', 'B', 'C'], by);
  expect(added).toEqual([[1500, { kind: 'release', group: 'rule' }]]);
  expect([...callbacks.values()].map(({ dueAt }) => dueAt)).toEqual(Array(3).fill('1970-01-01T00:00:01.500Z'));
  callbacks.delete(b);
  dispatch.release('rule', 1600);
  expect(added.slice(1)).toEqual([
    [1600, attempt(c)],
    [1600, attempt(a)],
  ]);
  expect(groups.size).toBe(0);
  dispatch.release('rule', 1700);
  expect(added).toHaveLength(3);
});
