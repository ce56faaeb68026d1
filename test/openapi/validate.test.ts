/** What is found in a request: whose mistake it is, how many are told, and which only warn. */
import { describe, expect, test } from 'vitest';
import { api, judge, mistakes, reasons } from './requests.ts';

const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });

describe('an error belongs to', () => {
  test.each([
    ['asyncImportJobs', 'jobs'],
    ['asyncImportOrders', 'orders'],
    ['asyncImportRoutes', 'routes'],
    ['submitLocations', 'locations'],
  ] as const)('the request as a whole, in %s', (id, list) => {
    expect(mistakes(id, {})).toEqual([`/${list} required, but missing`]);
    expect(mistakes(id, { [list]: {} })).toEqual([`/${list} expected an array, got an object`]);
    expect(mistakes(id, [])).toEqual([' expected an object, got []']);
    expect(mistakes(id, null)).toEqual([' expected an object, got null']);
    expect(mistakes(id, { [list]: [] })).toEqual([]);
  });

  test('one entry, not its neighbours', () => {
    const jobs = [{ id: 'a' }, { id: 7 }, 'no job', null, {}, { id: 'b', sequence: '1' }];
    const found = judge('asyncImportJobs', { jobs });
    expect(found.violations).toEqual([]);
    expect(Object.fromEntries(found.refused)).toEqual({
      1: 'id: expected a string, got number 7',
      2: 'expected an object, got "no job"',
      3: 'expected an object, got null',
      4: 'id: required, but missing',
      5: 'sequence: expected an integer, got "1"',
    });
  });

  test('a route or one of its jobs', () => {
    const routes = [
      { id: 'R-1', jobs: [{ id: 'a' }, { id: 'b', status: 'LOST' }] },
      { id: 'R-2', routeDate: 'today', jobs: [{ sequence: 1.5 }] },
      { id: 'R-3', jobs: {} },
    ];
    const found = reasons('syncCreateRoutes', { routes });
    expect(Object.keys(found).sort()).toEqual(['0/1', '1', '1/0', '2']);
    expect(found['1/0']).toBe('id: required, but missing; sequence: expected an integer, got number 1.5');
    expect(found[2]).toBe('jobs: expected an array, got an object');
  });

  test('a single record, with all its errors', () => {
    expect(mistakes('syncCreateJob', { id: 1, status: 'LOST', media: [{ uri: 5 }] })).toEqual([
      '/address required, but missing',
      '/id expected a string, got number 1',
      '/media/0/uri expected a string, got number 5',
      expect.stringMatching(/^\/status expected one of PENDING, .*READY, got "LOST"$/),
    ]);
  });

  test('escapes special characters of a name in a pointer', () => {
    const found = judge('submitLocation', { 'a/b~c': 1 });
    expect(found.warnings[0]?.path).toBe('/a~1b~0c');
    expect(found.unknown).toEqual([{ object: '', field: 'a/b~c' }]);
  });
});

describe('reports', () => {
  test('100 errors of a body, and their number', () => {
    const body = { id: 'a', status: 'PENDING', address: {}, tags: Array.from({ length: 300 }, (_, i) => i) };
    const found = judge('syncCreateJob', body);
    expect(found.violations).toHaveLength(100);
    expect(found.violationCount).toBe(300);
  });

  test('five reasons of an entry, and the number of the rest', () => {
    const tags = Array.from({ length: 4317 }, (_, i) => i);
    const reason = reasons('asyncImportJobs', { jobs: [{ id: 'a', tags }] })[0];
    expect(reason?.split('; ')).toEqual([
      ...[0, 1, 2, 3, 4].map((i) => `tags/${i}: expected a string, got number ${i}`),
      'and 4,312 more',
    ]);
  });

  test('five of five reasons, without a rest', () => {
    const reason = reasons('asyncImportJobs', { jobs: [{ id: 'a', tags: [1, 2, 3, 4, 5] }] })[0];
    expect(reason?.split('; ')).toHaveLength(5);
    expect(reason).not.toContain('more');
  });

  test('100 warnings, and their number', () => {
    const body = { jobs: Array.from({ length: 250 }, (_, i) => ({ id: `${i}`, colour: 'red' })) };
    const found = judge('asyncImportJobs', body);
    expect(found.warnings).toHaveLength(100);
    expect(found.warningCount).toBe(250);
    expect(found.unknown).toHaveLength(250);
  });
});

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
    expect(refused.get('0')).toBe('tags/0: expected a string, got number 7');
    expect(refused.get('1')).toMatch(/^jobItems\/0\/subItems\/0: [^;]*(; [^;]*){4}; and at least 50\d,\d{3} more$/);
    expect(refused.get('3')).toBe('sequence: expected an integer, got "1"; tags/0: expected a string, got number 7');
    expect(unknown).toEqual([{ object: '/jobs/2', field: 'more' }]);
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

describe('only a warning', () => {
  test('an unknown field at any depth', () => {
    const jobs = [{ id: 'a', custmer: {}, address: { postCode: '4000' } }];
    const found = judge('asyncImportJobs', { jobs, version: 2 });
    expect(found.refused.size + found.violationCount).toBe(0);
    expect(found.warnings.map(({ path, message }) => `${path} ${message}`)).toEqual([
      '/version unknown field "version"; it is ignored',
      '/jobs/0/custmer unknown field "custmer", did you mean customer?; it is ignored',
      '/jobs/0/address/postCode unknown field "postCode", did you mean postcode?; it is ignored',
    ]);
    expect(found.unknown).toContainEqual({ object: '/jobs/0/address', field: 'postCode' });
  });

  test('swapped coordinates', () => {
    const location = { deviceId: 'd', eventDateTime: '2026-03-02T09:30:00Z', geoJson: { type: 'Point' } };
    const at = (...coordinates: readonly number[]) => ({ ...location, geoJson: { type: 'Point', coordinates } });
    expect(judge('submitLocation', at(153, -27)).warningCount).toBe(0);
    expect(judge('submitLocation', at(180, 90)).warningCount).toBe(0);
    const { warnings, violationCount } = judge('submitLocation', at(-27, 153));
    expect(violationCount).toBe(0);
    expect(warnings).toMatchObject(
      [{ path: '/geoJson/coordinates', message: /expected longitude \(-180 to 180\), then latitude/ }].map(matching),
    );
  });

  test('an unknown query parameter', () => {
    const match = api.match('POST', '/async/projects/p/jobs?dryRun=true');
    if (!match.found) throw new Error('not found');
    const request = { params: match.params, query: match.query, body: { jobs: [] } };
    const found = api.validate(match.operation, request, { list: 'jobs', strict: false, depth: 100 });
    expect(found.warnings).toMatchObject([{ path: 'query:dryRun' }]);
    expect(found.unknown).toEqual([]);
  });

  test('nothing in strict mode', () => {
    const jobs = [{ id: 'a', colour: 'red' }, { id: 'b' }];
    const found = judge('asyncImportJobs', { jobs, version: 2 }, { strict: true });
    expect(found.warningCount).toBe(0);
    expect(found.violations).toEqual([{ path: '/version', message: 'unknown field "version"' }]);
    expect(Object.fromEntries(found.refused)).toEqual({ 0: 'colour: unknown field "colour"' });
  });

  function matching({ path, message }: { path: string; message: RegExp }) {
    return { path, message: expect.stringMatching(message) };
  }
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
