/** The shapes of values: enums, timestamps, coordinates, null, and fields that nobody knows. */
import { describe, expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });

async function importAll(list: 'jobs' | 'orders' | 'routes', entries: object[]) {
  const project = freshProject();
  const path = `/sync/projects/${project}/${list}${list === 'orders' ? '' : '/batch'}`;
  const response = await sandbox.api('POST', path, { [list]: entries });
  expect(response.status).toBe(200);
  return { response, project, stored: await sandbox.items(project, list) };
}

const scheduleStatuses = 'CUSTOMER_PENDING CANCELLED_PENDING CONFIRMED RESCHEDULED SCHEDULED UNSCHEDULED'.split(' ');

describe('enums: accepts every value, and rejects an unknown one with the allowed values and a suggestion', () => {
  test('jobs: scheduleStatus', async () => {
    const all = await importAll(
      'jobs',
      scheduleStatuses.map((value) => ({ id: value, scheduleStatus: value })),
    );
    expect(all.response.body.failed).toEqual([]);
    expect(all.stored.map(({ scheduleStatus }) => scheduleStatus)).toEqual(scheduleStatuses);
    const { response } = await importAll('jobs', [{ id: 'E-1', scheduleStatus: 'Confirmed' }]);
    const reason = `scheduleStatus: expected one of ${scheduleStatuses.join(', ')}, got "Confirmed", did you mean CONFIRMED?`;
    expect(response.body.failed).toEqual([{ id: 'E-1', reason }]);
  });

  test('suggests nothing if no value is similar', async () => {
    const { response } = await importAll('jobs', [{ id: 'E-1', status: 'on the moon' }]);
    expect(response.body.failed[0].reason).not.toContain('did you mean');
  });
});

const good = '2026-03-02T09:30:00.123+10:00';

describe('timestamps must be ISO 8601 with an offset', () => {
  const fields = [
    ['jobs', 'deliveryDate'],
    ['routes', 'routeDate'],
    ['orders', 'availFrom'],
    ['orders', 'availTo'],
    ['orders', 'scheduledDate'],
  ] as const;
  const bad = '2026-03-02T09:30:00';

  test.each(fields)('%s: %s', async (list, field) => {
    const { response, stored } = await importAll(list, [
      { id: 'E-0', [field]: good },
      { id: 'E-1', [field]: bad },
    ]);
    expect(stored.map((record) => record[field])).toEqual([good]);
    const reason = expect.stringMatching(new RegExp(`^${field}: .*ISO 8601.*got "${bad}"`));
    expect(response.body.failed).toEqual([{ id: 'E-1', reason }]);
  });

  test.each(fields)('%s: %s accepts a date alone with a warning', async (list, field) => {
    const { response, stored } = await importAll(list, [{ id: 'E-0', [field]: '2026-03-02' }]);
    expect(stored.map((record) => record[field])).toEqual(['2026-03-02']);
    expect(response.headers['x-sandbox-warnings']).toBe('1');
  });

  test('plannedEta and its window accept any text', async () => {
    const job = { id: 'E-1', plannedEta: 'after lunch', plannedEtaWindow: { etaFrom: 'noon', etaTo: '' } };
    expect((await importAll('jobs', [job])).stored).toMatchObject([job]);
  });
});

describe('values that are accepted with a warning', () => {
  test.each([
    ['jobs', { langCode: 'english' }],
    ['jobs', { langCode: '12' }],
    ['orders', { langCode: '' }],
    ['orders', { langCode: 'EN' }],
    ['jobs', { deliveryDate: '2026-03-02 09:30:00+10:00' }],
  ] as const)('%s: %j', async (list, fields) => {
    const { response, stored } = await importAll(list, [{ id: 'E-0', ...fields }]);
    expect(stored).toMatchObject([fields]);
    expect(response.headers['x-sandbox-warnings']).toBe('1');
  });

  test.each([
    { langCode: 'en' },
    { deliveryDate: '2026-03-02T09:30+10:00' },
    { deliveryDate: '2026-03-02T09:30:00+10' },
    { deliveryDate: '20260302T093000+1000' },
  ])('%j causes none', async (fields) => {
    const { response, stored } = await importAll('jobs', [{ id: 'E-0', ...fields }]);
    expect(stored).toMatchObject([fields]);
    expect(response.headers['x-sandbox-warnings']).toBeUndefined();
  });
});

test.each(['jobs', 'orders'] as const)('an empty subProjectId of %s counts as absent, with a warning', async (list) => {
  const many = Array.from({ length: 60 }, (_, n) => ({ id: `E-${n}`, subProjectId: '' }));
  for (const entries of [many, [{ id: 'E-0', subProjectId: '' }]]) {
    const { response, stored } = await importAll(list, entries);
    expect(stored.filter((record) => 'subProjectId' in record)).toEqual([]);
    expect(response.headers['x-sandbox-warnings']).toBe(String(entries.length));
  }
});

describe('coordinates', () => {
  const at = (coordinates: unknown) => ({ id: 'E-1', address: { geoJson: { type: 'Point', coordinates } } });

  test.each([[[153]], [[153, -27, 12]], [[]], [['153', -27]], [[null, 1]], ['153,-27'], [{ lon: 1, lat: 2 }]])(
    'rejects %j: exactly two numbers',
    async (coordinates) => {
      const { response } = await importAll('jobs', [at(coordinates)]);
      const reason = expect.stringContaining('address/geoJson/coordinates');
      expect(response.body.failed).toEqual([{ id: 'E-1', reason }]);
    },
  );

  test.each([[[-27.5, 153]], [[181, 0]], [[0, -90.1]]])(
    'stores %j, which is out of range, with a warning',
    async (coordinates) => {
      const { response, project, stored } = await importAll('jobs', [at(coordinates)]);
      expect(response.headers['x-sandbox-warnings']).toBe('1');
      expect(stored).toMatchObject([at(coordinates)]);
      const [request] = await sandbox.items(project, 'requests');
      expect(request?.['warnings']).toEqual([
        expect.stringContaining('expected longitude (-180 to 180), then latitude'),
      ]);
    },
  );

  test.each([[[180, 90]], [[-180, -90]], [[0, 0]]])('accepts %j without a warning', async (coordinates) => {
    expect((await importAll('jobs', [at(coordinates)])).response.headers).not.toHaveProperty('x-sandbox-warnings');
  });
});

test.each(['address', 'attributes', 'status', 'tags', 'isPriority', 'customer', 'deliveryDate', 'commsChannels'])(
  'accepts null only for driver, not for %s',
  async (field) => {
    const { response } = await importAll('jobs', [{ id: 'E-1', driver: null, [field]: null }]);
    expect(response.body.failed).toEqual([{ id: 'E-1', reason: expect.stringMatching(`^${field}: .*got null$`) }]);
  },
);

describe('unknown fields', () => {
  test('free-form attributes accept any field', async () => {
    const attributes = { anything: { goes: [1, null, { deep: true }] } };
    const entries = [{ id: 'J-1', attributes, jobItems: [{ attributes, subItems: [{ attributes }] }] }];
    const { response, stored } = await importAll('jobs', entries);
    expect(response.headers).not.toHaveProperty('x-sandbox-warnings');
    expect(stored).toMatchObject(entries);
  });
});
