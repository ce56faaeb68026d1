/** The examples of answers in the API's document say what this sandbox really says, word for word. */
import { beforeEach, describe, expect, test } from 'vitest';
import apiSource from '../../../spec/openapi.yaml';
import { writeProfile } from '../../harness/profile.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox({ clock: '2026-03-01T23:30:01.800Z', apiKeys: ['sandbox-key', 'far-key=hamburg-nord'] });
const small = useSandbox({ profile: writeProfile({ limits: { project: { records: 1000 } } }) });
let project = '';

beforeEach(() => {
  project = freshProject();
});

interface Example {
  readonly value: unknown;
}
interface Answers {
  readonly responses: Readonly<
    Record<string, { content?: { 'application/json'?: { examples?: Record<string, Example> } } }>
  >;
  readonly examples: Readonly<Record<string, Example>>;
}

const { responses, examples } = (apiSource as { readonly components: Answers }).components;
const documented = Object.entries(responses).flatMap(([answer, { content }]) =>
  Object.entries(content?.['application/json']?.examples ?? {}).map(
    ([name, { value }]) => [`${answer}.${name}`, value] as const,
  ),
);

const post = (path: string, body: unknown, headers?: Record<string, string | undefined>) =>
  sandbox.api('POST', path.replace('PROJECT', `projects/${project}`), body, headers);
const patch = (path: string, body: unknown) =>
  sandbox.api('PATCH', path.replace('PROJECT', `projects/${project}`), body);
const activate = (then: object) =>
  sandbox.control('PUT', `/projects/${project}/scenarios`, {
    scenarios: [{ name: 'given', rules: [{ name: 'only', then }] }],
  });

const job = { id: 'JOB-20931', trackingId: 'TRK-7H2K9Q' };
const jobs = [
  { ...job, subProjectId: 'furniture' },
  { id: 'JOB-20932', trackingId: 'TRK-4M8X1C' },
];
const order = { id: 'ORD-10482', trackId: 'TRK-2V6P0D' };
const orders = [
  { ...order, subProjectId: 'click-and-collect' },
  { id: 'ORD-10483', trackId: 'TRK-9R3T5W' },
];
const user = examples['RegisterAttendant']?.value;
const single = examples['CreateJob']?.value as object;

/** What calls forth each example. */
const made: Readonly<Record<string, () => Promise<{ readonly body: unknown }>>> = {
  'UserRegistered.registered': () => post('/PROJECT/users', user),
  'UserUpdated.updated': async () => {
    await post('/PROJECT/users', user);
    return patch('/PROJECT/users/m.keller', { password: 'Winter+Coat26' });
  },
  'JobsTaken.oneInvalid': () =>
    post('/async/PROJECT/jobs', { jobs: [...jobs, { id: 'JOB-20933', status: 'DELIVERD' }] }),
  'JobsTaken.allTaken': () => post('/async/PROJECT/jobs', { jobs: [job] }),
  'JobsDone.oneFailed': async () => {
    await post('/sync/PROJECT/jobs/batch', { jobs: [{ id: 'JOB-20933' }] });
    return post('/sync/PROJECT/jobs/batch', { jobs: [...jobs, { id: 'JOB-20933' }] });
  },
  'JobCreated.created': () => post('/sync/PROJECT/jobs', single),
  'JobUpdated.updated': async () => {
    await post('/sync/PROJECT/jobs', single);
    return patch('/sync/PROJECT/jobs', examples['UpdateJobById']?.value);
  },
  'OrdersTaken.oneInvalid': () =>
    post('/async/PROJECT/orders', { orders: [...orders, { id: 'ORD-10484', returnCustomer: 'yes' }] }),
  'OrdersTaken.allTaken': () => post('/async/PROJECT/orders', { orders: [order] }),
  'OrdersDone.oneFailed': async () => {
    await post('/sync/PROJECT/orders', { orders: [{ id: 'ORD-10484' }] });
    return post('/sync/PROJECT/orders', { orders: [...orders, { id: 'ORD-10484' }] });
  },
  'OrderUpdated.updated': async () => {
    await post('/sync/PROJECT/orders', { orders: [order] });
    return patch('/sync/PROJECT/orders/ORD-10482', { status: 'READY' });
  },
  'LocationsStored.stored': () => post('/PROJECT/locations', examples['DeviceLocation']?.value),
  'Invalid.invalid': () => post('/sync/PROJECT/jobs', { ...single, commsOptOut: 'yes', customer: { firstName: 7 } }),
  'Unauthorized.missingKey': () => post('/async/PROJECT/jobs', { jobs }, { apikey: undefined }),
  'Forbidden.foreignKey': () => post('/async/PROJECT/jobs', { jobs }, { apikey: 'far-key' }),
  'NotFound.unknownRecord': () => patch('/sync/PROJECT/jobs', { id: 'JOB-20999', status: 'PENDING' }),
  'Conflict.exists': async () => {
    await post('/sync/PROJECT/jobs', single);
    return post('/sync/PROJECT/jobs', single);
  },
  'TooLarge.tooManyEntries': () =>
    post('/async/PROJECT/jobs', { jobs: Array.from({ length: 12_400 }, (_, at) => ({ id: `JOB-${at}` })) }),
  'UnsupportedMediaType.notJson': () =>
    post('/async/PROJECT/jobs', 'id=JOB-20931', { 'content-type': 'application/x-www-form-urlencoded' }),
  'RefusedDownstream.refused': () => post('/sync/PROJECT/jobs', { ...single, id: 'FAIL-GEOCODE-1' }),
  'TooManyRequests.slowDown': async () => {
    await activate({ limit: { requests: 1, per: '30s' } });
    await post('/async/PROJECT/jobs', { jobs });
    return post('/async/PROJECT/jobs', { jobs });
  },
  'InternalError.broken': async () => {
    await activate({ respond: { status: 500 } });
    return post('/async/PROJECT/jobs', { jobs });
  },
  'Full.tooManyRecords': async () => {
    const imports = (from: number, count: number) => ({
      jobs: Array.from({ length: count }, (_, at) => ({ id: `JOB-${from + at}` })),
    });
    await small.api('POST', `/sync/projects/${project}/jobs/batch`, imports(0, 990));
    return small.api('POST', `/sync/projects/${project}/jobs/batch`, imports(990, 20));
  },
};

test('every response example has a request', () => {
  expect(Object.keys(made)).toEqual(documented.map(([name]) => name));
});

describe("the response equals the document's example", () => {
  test.each(documented)('%s', async (name, value) => {
    expect((await made[name]?.())?.body).toEqual(value);
  });
});

test('the magic id of the example fails later, with the reason of the callback example', async () => {
  expect((await post('/async/PROJECT/jobs', examples['FailingJob']?.value)).status).toBe(202);
  await sandbox.advance(project);
  const [callback] = await sandbox.items(project, 'callbacks');
  type Message = { readonly data: { readonly failed: readonly [{ readonly reason: string }] } };
  const { data, ...message } = (examples['JobsImportFailed'] as Example).value as Message;
  expect(callback?.['body']).toMatchObject({ ...message, data: { failed: [{ reason: data.failed[0].reason }] } });
});
