/** Scenarios are added to those that are active, which continue with their counts and times. */
import { expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { replayProject } from '../replay-steps.ts';

const sandbox = useSandbox();
const job = { id: 'J-1', status: 'READY', address: {} };

const once = (name: string, status: number): object => ({
  name,
  rules: [{ when: { operation: 'syncCreateJob' }, times: 1, then: { respond: { status } } }],
  expect: [{ requests: { operation: 'syncCreateJob', min: 2 } }],
});

async function setUp() {
  const project = freshProject();
  await sandbox.freeze(project);
  const put = async (scenarios: readonly unknown[], keep?: boolean) => {
    const body = { scenarios, ...(keep !== undefined && { keep }) };
    const answer = await sandbox.control('PUT', `/projects/${project}/scenarios`, body);
    expect(answer.status, answer.text).toBe(200);
    return answer.body;
  };
  const create = async () => (await sandbox.api('POST', `/sync/projects/${project}/jobs`, job)).status;
  const counts = async () =>
    (await sandbox.control('GET', `/projects/${project}/scenarios`)).body.rules
      .filter(({ scenario }: { scenario: string }) => scenario !== 'magic-ids')
      .map(({ scenario, met, acted }: Record<string, unknown>) => `${scenario} ${met} ${acted}`);
  return { project, put, create, counts };
}

test('a scenario that is put in front begins at zero, and the others continue', async () => {
  const { project, put, create, counts } = await setUp();
  await put([once('first', 503)]);
  expect(await create()).toBe(503);
  await put([once('second', 500), 'first'], true);
  expect(await counts()).toEqual(['second 0 0', 'first 1 1']);
  expect(await create()).toBe(500);
  expect(await create()).toBe(201);
  expect(await counts()).toEqual(['second 2 1', 'first 3 1']);
  const { body } = await sandbox.control('GET', `/projects/${project}/expectations`);
  // Three requests since the first was activated, two since the second.
  expect(body.items.map(({ scenario, met }: Record<string, unknown>) => `${scenario} ${met}`)).toEqual([
    'second true',
    'first true',
  ]);
  await put(['first'], true);
  expect(await counts()).toEqual(['first 3 1']);
  expect(await create()).toBe(409);
  expect((await replayProject(sandbox, project)).differences).toEqual([]);
});

test('times count from the activation of each', async () => {
  const { project, put, create } = await setUp();
  const late = (name: string, status: number) => ({
    name,
    rules: [{ when: { operation: 'syncCreateJob', during: { after: '10s' } }, then: { respond: { status } } }],
  });
  await put([late('one', 503)]);
  await sandbox.advance(project, '6s');
  await put([late('two', 500), 'one'], true);
  await sandbox.advance(project, '6s');
  expect(await create()).toBe(503);
  await sandbox.advance(project, '6s');
  expect(await create()).toBe(500);
});

test('without keep, with another content, or where two have the name, counts begin again', async () => {
  const { put, create, counts } = await setUp();
  await put([once('first', 503)]);
  await create();
  await put(['first', once('second', 500)].reverse(), true);
  await put([once('first', 502)], true);
  expect(await counts()).toEqual(['first 0 0']);
  await create();
  await put([once('first', 502), once('first', 502)], true);
  expect(await counts()).toEqual(['first 0 0', 'first 0 0']);
  await create();
  await put([once('first', 502)]);
  expect(await counts()).toEqual(['first 0 0']);
});
