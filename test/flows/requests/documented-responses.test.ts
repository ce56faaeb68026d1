/**
 * The examples of errors that operations share are real: each is what the sandbox answers to the request below.
 * `npx vitest run test/flows/requests/documented-responses.test.ts -u` writes what it answers into spec/openapi.yaml.
 */
import { readFileSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import apiSource from '../../../spec/openapi.yaml';
import { writeProfile } from '../../harness/profile.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { type ExampleValue, replaceValues } from '../../openapi/operation-examples.ts';

const sandbox = useSandbox({ clock: '2026-03-01T23:30:01.800Z', apiKeys: ['sandbox-key', 'far-key=hamburg-nord'] });
const small = useSandbox({ profile: writeProfile({ limits: { project: { records: 1000 } } }) });
let project = '';

beforeEach(() => {
  project = freshProject();
});

interface Example {
  readonly value: unknown;
}
interface Components {
  readonly responses: Readonly<
    Record<
      string,
      { readonly content: { readonly 'application/json': { readonly examples: Record<string, Example> } } }
    >
  >;
  readonly examples: Readonly<Record<string, Example>>;
}

const { responses, examples } = (apiSource as { readonly components: Components }).components;
const documented = Object.entries(responses).flatMap(([answer, { content }]) =>
  Object.keys(content['application/json'].examples).map((name) => [answer, name] as const),
);

const post = (path: string, body: unknown, headers?: Record<string, string | undefined>) =>
  sandbox.api('POST', path.replace('PROJECT', `projects/${project}`), body, headers);
const importJobs = (count: number, from = 0) => ({
  jobs: Array.from({ length: count }, (_, at) => ({ id: `JOB-${from + at}` })),
});

/** Activates a rule, and sends a request that it answers. */
async function withRule(then: object) {
  const rules = [{ name: 'only', then }];
  await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [{ name: 'given', rules }] });
  return post('/async/PROJECT/jobs', importJobs(1));
}

/** The request for each example. */
const made: Readonly<Record<string, () => Promise<{ readonly body: unknown }>>> = {
  'Unauthorized.missingKey': () => post('/async/PROJECT/jobs', importJobs(1), { apikey: undefined }),
  'Forbidden.foreignKey': () => post('/async/PROJECT/jobs', importJobs(1), { apikey: 'far-key' }),
  'PathNotFound.unknownPath': () => sandbox.api('POST', '/async/project/brisbane-metro/jobs', importJobs(1)),
  'MethodNotAllowed.wrongMethod': () => sandbox.api('PUT', '/async/projects/brisbane-metro/jobs', importJobs(1)),
  'TooLarge.tooLarge': () => post('/async/PROJECT/jobs', `{"jobs":[]}${' '.repeat(17_000_000)}`),
  'UnsupportedMediaType.notJson': () =>
    post('/async/PROJECT/jobs', 'id=JOB-20931', { 'content-type': 'application/x-www-form-urlencoded' }),
  'TooManyRequests.slowDown': async () => {
    await withRule({ limit: { requests: 1, per: '30s' } });
    return post('/async/PROJECT/jobs', importJobs(1));
  },
  'InternalError.broken': () => withRule({ respond: { status: 500 } }),
  'BadGateway.badGateway': () => withRule({ respond: { status: 502 } }),
  'Unavailable.unavailable': () => withRule({ respond: { status: 503, headers: { 'retry-after': '30' } } }),
  'GatewayTimeout.gatewayTimeout': () => withRule({ respond: { status: 504 } }),
  'InsufficientStorage.tooManyRecords': async () => {
    await small.api('POST', `/sync/projects/${project}/jobs/batch`, importJobs(990));
    return small.api('POST', `/sync/projects/${project}/jobs/batch`, importJobs(20, 990));
  },
};

test('every response example has a request', () => {
  expect(Object.keys(made)).toEqual(documented.map((names) => names.join('.')));
});

test("each response equals the document's example", async () => {
  const values: ExampleValue[] = [];
  for (const [answer, name] of documented) {
    project = freshProject();
    const keys = ['components', 'responses', answer, 'content', 'application/json', 'examples', name, 'value'];
    values.push({ keys, value: (await made[`${answer}.${name}`]?.())?.body });
  }
  const file = 'spec/openapi.yaml';
  await expect(replaceValues(readFileSync(file, 'utf8'), values)).toMatchFileSnapshot(`../../../${file}`);
});

test('the magic id of the examples fails later, with the reason of the callback example', async () => {
  expect((await post('/async/PROJECT/jobs', { jobs: [{ id: 'FAIL-GEOCODE-1' }] })).status).toBe(202);
  await sandbox.advance(project);
  const [callback] = await sandbox.items(project, 'callbacks');
  type Message = { readonly data: { readonly failed: readonly [{ readonly reason: string }] } };
  const { data, ...message } = (examples['JobsImportFailed'] as Example).value as Message;
  expect(callback?.['body']).toMatchObject({ ...message, data: { failed: [{ reason: data.failed[0].reason }] } });
});
