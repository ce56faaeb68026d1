/** What is due stays sorted by instant and arrival, and costs little however much there is. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDueList, type Due } from '../../src/project/due-list.ts';

const kindOf = (what: string): string => what.charAt(0);

function toItem(dueAt: number, what: string, order = 0): Due<string> {
  return { dueAt, order, what };
}

test('any adding and removing leaves what a plain sorted array would hold', () => {
  const step = fc.oneof(
    fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(20)).map(([kind, dueAt]) => ({ kind, dueAt })),
    fc.constantFrom('shift' as const, 'shift b' as const, 'remove a' as const),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const list = createDueList(kindOf);
      let plain: Due<string>[] = [];
      steps.forEach((each, order) => {
        if (typeof each === 'object') {
          const item = toItem(each.dueAt, each.kind, order);
          list.add(item);
          plain = [...plain, item].toSorted((one, other) => one.dueAt - other.dueAt);
        } else if (each === 'remove a') {
          list.removeWhere(({ what, dueAt }) => what === 'a' && dueAt < 10);
          plain = plain.filter(({ what, dueAt }) => what !== 'a' || dueAt >= 10);
        } else {
          const isWanted = each === 'shift' ? undefined : (what: string) => what === 'b';
          const first = list.first(isWanted);
          expect(first).toBe(plain.find(({ what }) => isWanted?.(what) ?? true));
          if (first) list.removeFirst(first);
          plain = plain.filter((item) => item !== first);
        }
        expect(list.toJSON()).toEqual(plain);
        expect(list.size).toBe(plain.length);
        expect(list.count('a')).toBe(plain.filter(({ what }) => what === 'a').length);
      });
    }),
  );
});

test('whether more than so many of a kind are due is known without a walk', () => {
  const list = createDueList(kindOf, [toItem(1, 'a'), toItem(2, 'b'), toItem(3, 'a')]);
  expect(list.hasMoreThan(0, 1, (what) => what === 'a')).toBe(true);
  expect(list.hasMoreThan(0, 1, (what) => what === 'b')).toBe(false);
  expect(list.hasMoreThan(1, 2, () => true)).toBe(false);
  expect(list.hasMoreThan(1, 3, () => true)).toBe(true);
});

test('a watcher follows every change', () => {
  const seen: string[] = [];
  const list = createDueList(kindOf, [toItem(1, 'a')]);
  list.watch({ added: ({ what }) => seen.push(`+${what}`), removed: ({ what }) => seen.push(`-${what}`) });
  list.add(toItem(2, 'b'));
  list.add(toItem(2, 'c'));
  list.removeFirst(toItem(1, 'a'));
  list.removeWhere(({ what }) => what === 'c');
  expect(seen).toEqual(['+b', '+c', '-a', '-c']);
});

test('a million items are added and taken in far less time than moving them would take', () => {
  const list = createDueList(kindOf);
  const count = 1_000_000;
  const began = performance.now();
  for (let n = 0; n < count; n += 1) list.add(toItem(Math.floor(n / 1000), 'a', n));
  for (let n = 0; n < count; n += 1) {
    const item = list.first();
    if (item?.order !== n) throw new Error(`expected ${n}, got ${item?.order}`);
    list.removeFirst(item);
  }
  expect(list.size).toBe(0);
  // Taking each from the front of an array takes minutes.
  expect(performance.now() - began).toBeLessThan(20_000);
});
