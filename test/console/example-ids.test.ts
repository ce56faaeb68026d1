/** Examples of the reference get ids that are not used yet, so that each works more than once. */
import { describe, expect, test } from 'vitest';
import { createIdSource, fillExample, renewIds, toFreshId } from '../../src/console/screens/reference/example-ids.ts';

describe('an id source', () => {
  test('returns different ids within a millisecond, and later ones after a new start', () => {
    const next = createIdSource(() => 1_000_000_000);
    expect([next(), next(), next()]).toEqual(['gjdgxs', 'gjdgxt', 'gjdgxu']);
    expect(createIdSource(() => 1_000_000_005)()).toBe('gjdgxx');
  });

  test.each([
    ['JOB-20931', 'JOB-A1'],
    ['ROUTE-BNE-0302-A', 'ROUTE-BNE-0302-A1'],
    // The magic part remains.
    ['FAIL-GEOCODE-1', 'FAIL-GEOCODE-A1'],
    ['m.keller', 'm.keller-a1'],
  ])('%s becomes %s', (id, expected) => {
    expect(toFreshId(id, 'a1')).toBe(expected);
  });
});

describe('a filled example', () => {
  test('has new ids of entries, also in routes, and wherever else it names them', () => {
    const items = [{ jobItemId: 'JOB-1-1', id: 'kept' }];
    const jobs = [{ id: 'JOB-1', jobItems: items, customer: { id: 'CUST-1' } }, { id: 'JOB-12' }];
    const { text, ids } = fillExample({ routes: [{ id: 'R-1', jobs }] }, (id, index) => `${id}-new${index}`);
    expect(ids).toEqual(['R-1-new0', 'JOB-1-new1', 'JOB-12-new2']);
    expect(JSON.parse(text)).toEqual({
      routes: [
        {
          id: 'R-1-new0',
          jobs: [
            { id: 'JOB-1-new1', jobItems: [{ jobItemId: 'JOB-1-new1-1', id: 'kept' }], customer: { id: 'CUST-1' } },
            { id: 'JOB-12-new2' },
          ],
        },
      ],
    });
  });

  test('has a new username, and the job that a profile moved into the body', () => {
    expect(fillExample({ username: 'ana', password: 'x' }, () => 'bob').text).toContain('"username": "bob"');
    expect(fillExample({ jobId: 'JOB-1', status: 'READY' }, () => 'J-9').text).toContain('"jobId": "J-9"');
  });

  test('is renewed only where the user kept its ids', () => {
    const text = '{"jobs":[{"id":"JOB-AAA"},{"id":"MINE"}]}';
    expect(renewIds({ text, ids: ['JOB-AAA', 'JOB-BBB'] }, () => 'z')).toEqual({
      text: '{"jobs":[{"id":"JOB-Z"},{"id":"MINE"}]}',
      ids: ['JOB-Z'],
    });
  });
});
