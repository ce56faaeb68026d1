/** Lists and reports of several servers as one. */
import { expect, test } from 'vitest';
import { mergeCoverage } from '../../src/cluster/wide/coverage.ts';
import { mergeNumbers, readCursor } from '../../src/cluster/wide/requests/merge-numbers.ts';
import { createCoverageCounts, markOf, operationMarks } from '../../src/coverage/marks.ts';
import { type CoverageReport, toCoverageReport } from '../../src/coverage/report.ts';
import { type ApiKey, toPatterns, toProjectNames } from '../../src/keys/api-key.ts';

test('requests are merged by number, then by server, and a cursor has the position at each', () => {
  const all = [
    { origin: 'b', numbers: [1, 3, 3.5] },
    { origin: 'a', numbers: [2, 3] },
    { origin: 'c', numbers: [] },
  ];
  const first = mergeNumbers(all, 3, { c: 7 });
  expect(first.items).toEqual([
    { origin: 'b', number: 1 },
    { origin: 'a', number: 2 },
    { origin: 'a', number: 3 },
  ]);
  expect(first.next).toBe('c-7.b-1.a-3');
  expect(readCursor(first.next)).toEqual({ a: 3, b: 1, c: 7 });
  expect(mergeNumbers(all, 5, {})).toMatchObject({ next: undefined });
});

test.each(['x', 'a-1.', 'a-1.b', '7', 'a-1.a-2'])('%s is no cursor', (text) => {
  expect(readCursor(text)).toBeUndefined();
});

const about = { about: 'it fails', provoke: 'send it' };
const catalog = {
  operations: [
    { operation: 'op', method: 'GET', path: '/', mode: 'sync' as const, failures: [{ kind: 'k', ...about }] },
  ],
  callbacks: [{ type: 't', disturbances: [{ kind: 'd', ...about }] }],
};

/** Reports calls, failures of an operation and disturbances of its callbacks. */
function report(calls: number, failures: number, taken: number): CoverageReport {
  const counts = createCoverageCounts();
  const marks = operationMarks(counts, 'op');
  marks.calls = calls;
  const first = { project: 'p', request: `r-${calls}` };
  if (failures > 0) markOf(marks.met, 'k', first).count = failures;
  if (taken > 0) markOf(counts.callbacks.set('t', new Map()).get('t') ?? new Map(), 'd', first).taken = taken;
  return toCoverageReport(catalog, counts);
}

test('reports are added up, with the first request of the first report that has one', () => {
  const [item] = mergeCoverage([report(1, 0, 0), report(2, 3, 0), report(4, 5, 0)]).items;
  expect(item).toMatchObject({ calls: 7, failures: [{ met: true, count: 8, first: { request: 'r-2' } }] });
  const { callbackItems, callbacks } = mergeCoverage([report(0, 0, 0), report(0, 0, 2), report(0, 0, 1)]);
  expect(callbackItems[0]?.conditions.find(({ kind }) => kind === 'd')).toMatchObject({ met: true, taken: 3 });
  expect(callbacks.met).toBe(1);
});

test('the globs of a key become patterns of SQL', () => {
  const grant = (...texts: string[]) => ({ region: undefined, projects: toProjectNames(texts) });
  const key: ApiKey = {
    ...{ id: 'k', limits: undefined, expiresAtMs: undefined, hasGlob: true },
    grants: [grant('acme-*', 'exact'), grant('a_b%?', 'acme-*')],
  };
  expect(toPatterns(key)).toEqual(['acme-%', 'a\\_b\\%_']);
});
