/** Bodies with more mistakes than are counted, and with more levels than are allowed. */
import { describe, expect, test } from 'vitest';
import { judge } from './requests.ts';

const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });

describe('more errors than the maximum count', () => {
  const many = (count: number): number[] => Array(count).fill(7);
  const tooMany = many(600_000);

  test('in one body are reported as a minimum', () => {
    const found = judge('syncCreateJob', { id: 'a', status: 'PENDING', address: {}, tags: tooMany, media: tooMany });
    expect(found.isCutShort).toBe(true);
    expect(found.violationCount).toBeGreaterThan(500_000);
    expect(found.violationCount).toBeLessThan(502_000);
    expect(found.violations).toHaveLength(100);
  });

  test('in one entry at any depth do not affect others', () => {
    const long = { id: 'b', jobItems: Array(6000).fill({ subItems: many(100) }), tags: many(2000) };
    const jobs = [
      { id: 'a', tags: [7] },
      long,
      { id: 'c', more: 1 },
      { id: 'd', tags: [7], sequence: '1' },
      { id: 'e' },
    ];
    const { refused, unknown, isCutShort, violationCount } = judge('asyncImportJobs', { jobs });
    expect({ isCutShort, violationCount }).toEqual({ isCutShort: true, violationCount: 0 });
    expect([...refused.keys()]).toEqual(['0', '1', '3']);
    expect(refused.get('0')?.reason).toBe('tags/0: expected a string, got number 7');
    expect(refused.get('1')?.reason).toMatch(
      /^jobItems\/0\/subItems\/0: [^;]*(; [^;]*){4}; and at least 50\d,\d{3} more$/,
    );
    expect(refused.get('3')?.reason).toBe(
      'sequence: expected an integer, got "1"; tags/0: expected a string, got number 7',
    );
    expect(unknown).toEqual([{ object: '/jobs/2', fields: ['more'] }]);
  });

  test('in a job of a route do not affect other jobs and routes', () => {
    const routes = [
      { id: 'R-1', jobs: [{ id: 'a', tags: tooMany }, { id: 'b' }, { id: 7 }] },
      { id: 'R-2', jobs: [7] },
    ];
    expect([...judge('asyncImportRoutes', { routes }).refused.keys()]).toEqual(['0/0', '0/2', '1/0']);
  });

  test('in an accepted entry: all ignored fields are found', () => {
    const media = Array(600_000).fill({ a: 1 });
    const found = judge('asyncImportJobs', {
      jobs: [
        { id: 'a', media },
        { id: 'b', media: [{ b: 1 }] },
        { id: 'c', tags: [7] },
      ],
    });
    expect(found).toMatchObject({ violationCount: 0, warningCount: 600_001 });
    expect(found.unknown).toHaveLength(600_001);
    expect([...found.refused.keys()]).toEqual(['2']);
  });

  test('do not hide values that are nested too deep', () => {
    const behind = (levels: number) => ({ jobs: [{ id: 'a', tags: [...tooMany, nested(levels)] }] });
    expect(judge('asyncImportJobs', behind(97)).tooDeep).toBe(true);
    expect(judge('asyncImportJobs', behind(96)).tooDeep).toBe(false);
  });
});

describe('the maximum depth of a body', () => {
  test.each([
    ['in free fields', (levels: number) => ({ jobs: [{ id: 'a', attributes: nested(levels - 3) }] })],
    ['in unknown fields', (levels: number) => ({ jobs: [{ id: 'a', more: nested(levels - 3) }] })],
    ['where another type was expected', (levels: number) => ({ jobs: [{ id: nested(levels - 3) }] })],
    ['where one of some texts was expected', (levels: number) => ({ jobs: [{ id: 'a', status: nested(levels - 3) }] })],
    ['in place of an entry', (levels: number) => ({ jobs: [[nested(levels - 3)]] })],
    ['in place of the list', (levels: number) => ({ jobs: nested(levels - 1) })],
    ['in place of the body', (levels: number) => [nested(levels - 1)]],
    ['beside the list', (levels: number) => ({ jobs: [], more: [nested(levels - 2)] })],
    ['in a proof of delivery', (levels: number) => ({ jobs: [{ id: 'a', proofOfDelivery: [nested(levels - 4)] }] })],
  ])('%s: 100 levels, not 101', (_where, bodyOf) => {
    const id = 'asyncUpdateJobs';
    expect(judge(id, bodyOf(100)).tooDeep).toBe(false);
    expect(judge(id, bodyOf(101)).tooDeep).toBe(true);
    expect(judge(id, bodyOf(5000)).tooDeep).toBe(true);
  });
});
