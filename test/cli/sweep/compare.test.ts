/** Comparison of a run under a failure with runs without any: at the finest level at which those are alike. */
import { describe, expect, test } from 'vitest';
import { createComparer } from '../../../src/cli/sweep/compare/compare.ts';
import type { ComparedRun } from '../../../src/cli/sweep/compare/contents.ts';
import type { Change } from '../../../src/cli/trial/lives.ts';
import type { Json } from '../../../src/lib/json.ts';

const startedAtMs = Date.parse('2026-03-02T09:00:00Z');

/** A run whose projects end with these jobs; each list is one life of a project. */
function runOf(lives: readonly (readonly Json[])[], changes: readonly Change[] = []): ComparedRun {
  const empty = { version: 1, orders: [], routes: [], users: [], locations: [] } as const;
  return { startedAtMs, lives: lives.map((jobs) => ({ records: { ...empty, jobs }, changes })) };
}

const one = { id: 'ORD-1', status: 'PENDING', createdAt: '2026-03-02T09:00:01.000Z' };
const two = { id: 'ORD-2', status: 'PENDING', createdAt: '2026-03-02T09:00:01.000Z' };
const noDifferences = { missing: [], extra: [], differing: [], missingChanges: [] };
const idsOf = (items: readonly { readonly id: string }[]): readonly string[] => items.map(({ id }) => id);

describe('exactly, if ids and content are the same in all runs', () => {
  const comparer = createComparer([runOf([[one], [two]]), runOf([[two], [one]])]);

  test('the order of projects, the time and the sandbox\u2019s dates do not count', () => {
    expect(comparer.levels).toEqual({ records: 'exact', changes: 'exact' });
    const later = { ...one, createdAt: '2026-03-02T09:05:00.000Z', updatedAt: '2026-03-02T09:06:00.000Z' };
    expect(comparer.compare(runOf([[], [two], [later]]))).toEqual(noDifferences);
  });

  test('names what is missing, too many and different', () => {
    expect(idsOf(comparer.compare(runOf([[one]])).missing)).toEqual(['ORD-2']);
    const more = comparer.compare(runOf([[one, { ...one, id: 'ORD-1-AGAIN' }], [two]]));
    expect([idsOf(more.missing), idsOf(more.extra)]).toEqual([[], ['ORD-1-AGAIN']]);
    const { differing, missing, extra } = comparer.compare(runOf([[one, { ...two, status: 'DELIVERED' }]]));
    expect({ differing, missing, extra }).toEqual({
      differing: [{ collection: 'jobs', id: 'ORD-2', fields: ['status'] }],
      missing: [],
      extra: [],
    });
  });

  test('a record that exists in two projects must exist in both', () => {
    const both = createComparer([runOf([[one], [one]]), runOf([[one], [one]])]);
    expect(idsOf(both.compare(runOf([[one], []])).missing)).toEqual(['ORD-1']);
  });
});

test('a time close to the run comes from its clock, another one counts', () => {
  const at = (time: string): Json => ({ ...one, scheduledAt: time });
  const near = createComparer([runOf([[at('2026-03-02T09:00:00Z')]]), runOf([[at('2026-03-02T09:00:00Z')]])]);
  expect(near.compare(runOf([[at('2026-03-02T09:00:07Z')]]))).toEqual(noDifferences);
  const far = createComparer([runOf([[at('2030-03-02T09:00:00Z')]]), runOf([[at('2030-03-02T09:00:00Z')]])]);
  expect(far.compare(runOf([[at('2030-03-02T10:00:00Z')]])).differing).toHaveLength(1);
});

describe('by content, if ids differ from run to run', () => {
  const withIds = (...ids: readonly string[]) =>
    runOf([ids.map((id, index) => ({ id, status: index === 0 ? 'PENDING' : 'DELIVERED' }))]);
  const comparer = createComparer([withIds('a', 'b', 'c'), withIds('d', 'e', 'f')]);

  test('other ids are no difference', () => {
    expect(comparer.levels.records).toBe('content');
    expect(comparer.compare(withIds('g', 'h', 'i'))).toEqual(noDifferences);
  });

  test('counts what is missing, too many and different, without ids', () => {
    expect(idsOf(comparer.compare(withIds('g', 'h')).missing)).toEqual(['']);
    expect(idsOf(comparer.compare(withIds('g', 'h', 'i', 'j')).extra)).toEqual(['']);
    const all = runOf([['g', 'h', 'i'].map((id) => ({ id, status: 'PENDING' }))]);
    expect(comparer.compare(all).differing.map(({ fields }) => fields)).toEqual([['status'], ['status']]);
  });
});

test('by number and status, if the same values are combined otherwise', () => {
  const comparer = createComparer([
    runOf([
      [
        { ...one, notes: 'x' },
        { ...two, status: 'DELIVERED', notes: 'y' },
      ],
    ]),
    runOf([
      [
        { ...one, notes: 'y' },
        { ...two, status: 'DELIVERED', notes: 'x' },
      ],
    ]),
  ]);
  expect(comparer.levels.records).toBe('numbers');
  expect(comparer.compare(runOf([[one, { ...two, status: 'DELIVERED' }]]))).toEqual(noDifferences);
  expect(comparer.compare(runOf([[one]])).missing).toHaveLength(1);
  expect(comparer.compare(runOf([[one, two]])).differing).toMatchObject([{ fields: ['status'] }]);
});

describe('changes', () => {
  const toDispatch = { collection: 'jobs', id: 'ORD-1', fields: { status: 'DISPATCH' } };
  const toDelivered = { collection: 'jobs', id: 'ORD-1', fields: { status: 'DELIVERED' } };
  const comparer = createComparer([
    runOf([[one]], [toDispatch, toDelivered]),
    runOf([[one]], [toDispatch, toDelivered]),
  ]);

  test('a change that another one hides is missing', () => {
    const { missing, missingChanges } = comparer.compare(runOf([[one]], [toDelivered]));
    expect([missing, missingChanges.map(({ value }) => value)]).toEqual([[], [{ status: 'DISPATCH' }]]);
  });

  test('their order and further changes are no difference', () => {
    const more = { collection: 'jobs', id: 'ORD-1', fields: { notes: 'retried' } };
    expect(comparer.compare(runOf([[one]], [toDelivered, more, toDispatch]))).toEqual(noDifferences);
  });
});
