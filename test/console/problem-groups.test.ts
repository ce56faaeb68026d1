/** Problems in the sandbox's own responses are grouped by operation and cause. */
import { beforeEach, describe, expect, test } from 'vitest';
import { kindOf } from '../../src/console/screens/quality/problems/cause.ts';
import { type Finding, findIn, toUndelivered } from '../../src/console/screens/quality/problems/find.ts';
import { type Group, toGroups } from '../../src/console/screens/quality/problems/groups.ts';
import { useReceiver } from '../harness/receiver.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';

type Journalled = Parameters<typeof findIn>[0];
type Callback = Parameters<typeof toUndelivered>[0];

const sandbox = useSandbox({ apiKeys: ['sandbox-key'] });
const receiver = useReceiver();
let project = '';

beforeEach(() => {
  project = freshProject();
});

async function findings(list = `/projects/${project}/requests`): Promise<readonly Finding[]> {
  const { body } = await sandbox.control('GET', `${list}?view=problems&limit=1000`);
  return (body.items as Journalled[]).flatMap(findIn);
}

const importJobs = (...jobs: readonly unknown[]) => sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs });

/** The content of a group without its examples. */
const contentOf = ({ latest, count, requestCount }: Group) => {
  const { kind, show, operation, place, cause } = latest;
  return { kind, show, operation, place, cause, count, requestCount };
};

describe('one cause', () => {
  test('differs by operation and by location', async () => {
    await importJobs({ id: 5 });
    await sandbox.api('POST', `/async/projects/${project}/orders`, { orders: [{ id: 5 }, { id: 'O-1', storeId: 5 }] });
    const groups = toGroups(await findings()).map(({ latest, count }) => {
      return [latest.operation, latest.place, latest.cause, count].join(' ');
    });
    expect(groups.toSorted()).toEqual([
      'asyncImportJobs id expected a string 1',
      'asyncImportOrders id expected a string 1',
      'asyncImportOrders storeId expected a string 1',
    ]);
  });

  test('of a rejected request is the first error, because it often causes the others', async () => {
    const { body } = await sandbox.api('POST', `/sync/projects/${project}/jobs`, { id: 'J-1' });
    expect(body.errors.length).toBeGreaterThan(1);
    const groups = toGroups(await findings());
    expect(groups.map(contentOf)).toMatchObject([
      { kind: 'missingField', show: 'refused', place: '/address', count: 1 },
    ]);
  });

  test('is the same for different ids', async () => {
    for (const id of ['J-1', 'J-2', 'is-unknown']) {
      await sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id }] });
      await sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id }] });
      await sandbox.api('PATCH', `/sync/projects/${project}/orders/no-${id}`, { status: 'READY' });
    }
    expect(toGroups(await findings()).map(contentOf)).toEqual([
      expect.objectContaining({ kind: 'unknownRecord', show: 'refused', operation: 'syncUpdateOrder', count: 3 }),
      expect.objectContaining({ kind: 'duplicate', show: 'entries', operation: 'syncImportOrders', count: 3 }),
    ]);
  });
});

test('the group with the newest event comes first, also with a frozen clock', async () => {
  await sandbox.freeze(project);
  const first = await importJobs({ id: 5 });
  await sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id: 5 }] });
  const operations = async () => toGroups(await findings()).map(({ latest }) => latest.operation);
  expect(await operations()).toEqual(['syncImportOrders', 'asyncImportJobs']);
  const second = await importJobs({ id: 6 });
  expect(await operations()).toEqual(['asyncImportJobs', 'syncImportOrders']);
  const [group] = toGroups(await findings());
  const ids = [second, first].map(({ headers }) => headers['x-request-id']);
  expect(group?.examples.map(({ requestId }) => requestId)).toEqual(ids);
});

test('a group has at most twenty examples', async () => {
  for (let n = 0; n < 25; n += 1) await importJobs({ id: n });
  const [group] = toGroups(await findings());
  expect(group).toMatchObject({ count: 25, requestCount: 25 });
  expect(group?.examples).toHaveLength(20);
});

test('each kind of rejected request has its own advice', async () => {
  const path = `/async/projects/${project}/jobs`;
  const jobs = [{ id: 'J-1' }];
  const sent = [
    await sandbox.api('POST', path, '{"jobs": ['),
    await sandbox.api('POST', path, { jobs }, { 'content-type': 'text/plain' }),
    await sandbox.api('POST', path, { jobs }, { apikey: undefined }),
    await sandbox.api('POST', path, { jobs }, { apikey: 'nobody' }),
    await sandbox.api('POST', `/async/project/${project}/jobs`, { jobs }),
    await sandbox.api('DELETE', path),
    await sandbox.api('POST', path, { jobs }, { 'x-sandbox-scenario': 'nothing-such' }),
    await sandbox.api('POST', path, { jobs: [{ id: 'J-2', deliveryDate: 'tomorrow' }] }),
    await sandbox.api('POST', path, { jobs: [{ id: 'J-3', colour: 'red' }] }),
    await sandbox.api('POST', path, '{"jobs":[{"id":"J-4","id":"J-5"}]}'),
  ];
  const ids = sent.map(({ headers }) => headers['x-request-id']);
  const all = await findings('/requests');
  const kinds = ids.map((id) => all.filter(({ requestId }) => requestId === id).map(({ kind }) => kind));
  expect(kinds.map((each) => each.join())).toEqual([
    'notJson',
    'contentType',
    'missingKey',
    'unknownKey',
    'unknownPath',
    'unknownMethod',
    'unknownScenario',
    'wrongTime',
    'unknownField',
    'ambiguous',
  ]);
  expect(kindOf('the data is not a valid HTTP/1.1 request: the header `host` is missing')).toBe('malformed');
  expect(kindOf('something new', 413)).toBe('tooLarge');
  expect(kindOf('something new', 503)).toBe('internal');
  expect(kindOf('something new')).toBe('other');
});

test('a group has more events than it counts, if one request has very many', async () => {
  await importJobs(...Array.from({ length: 30 }, (_, n) => ({ id: n })));
  const [group, ...others] = toGroups(await findings());
  expect(others).toEqual([]);
  expect(group).toMatchObject({ count: 20, hasMore: true, requestCount: 1 });
});

test('a callback that could not be delivered names its request only if it is loaded', async () => {
  await sandbox.freeze(project);
  await sandbox.control('PUT', `/projects/${project}/callback-endpoint`, { url: receiver.url() });
  receiver.handle(() => 500);
  await importJobs({ id: 'FAIL-GEOCODE-1' });
  await importJobs({ id: 'FAIL-GEOCODE-2' });
  await sandbox.advance(project);
  const { body } = await sandbox.control('GET', `/projects/${project}/callbacks?view=rows&state=failed`);
  const rows = body.items as Callback[];
  const [group, ...others] = toGroups(rows.map((row) => toUndelivered(row, false)));
  expect(others).toEqual([]);
  expect(group).toMatchObject({ count: 2, requestCount: 2, latest: { kind: 'undelivered', requestId: '' } });
  expect(group?.latest.cause).toBe('the callback could not be delivered: the receiver responded with 500');
  expect(rows.map((row) => toUndelivered(row, true).requestId)).toEqual(rows.map(({ requestId }) => requestId));
});
