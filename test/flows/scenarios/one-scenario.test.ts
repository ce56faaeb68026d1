/** One scenario is activated, armed again and deactivated, without a change of the others; the list says what each does. */
import { expect, test } from 'vitest';
import type { components } from '../../../src/openapi/control.gen.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

type Row = components['schemas']['ScenarioRow'];

const sandbox = useSandbox();
const yaml = { 'content-type': 'application/yaml' };
const toText = (name: string, status: number) =>
  `name: ${name}\nrules:\n  - { name: down, when: { operation: asyncImportJobs }, then: { respond: { status: ${status} } }, times: 1 }\n`;

const importJob = async (project: string) =>
  (await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [] })).status;
const put = (project: string, name: string, text?: string) =>
  sandbox.control('PUT', `/projects/${project}/scenarios/${name}`, text, text === undefined ? {} : yaml);
const remove = (project: string, name: string) => sandbox.control('DELETE', `/projects/${project}/scenarios/${name}`);
const activeIn = async (project: string) =>
  (await sandbox.control('GET', `/projects/${project}/scenarios`)).body.scenarios as readonly string[];

async function rowsOf(query: string): Promise<readonly Row[]> {
  const { status, body } = await sandbox.control('GET', `/scenarios?view=rows&limit=1000${query}`);
  expect(status).toBe(200);
  return body.items;
}

test('a text is activated in front; sent again it fires again, in its place, and the others keep their counts', async () => {
  const project = freshProject();
  expect((await put(project, 'first', toText('first', 500))).status).toBe(200);
  const { status, body } = await put(project, 'second', toText('second', 503));
  expect([status, body.scenarios]).toEqual([200, ['second', 'first']]);
  const statuses = async (count: number) => {
    const all: number[] = [];
    while (all.length < count) all.push(await importJob(project));
    return all;
  };
  expect(await statuses(3)).toEqual([503, 500, 202]);
  // By its name: an inline scenario that is active.
  await put(project, 'second');
  expect(await statuses(2)).toEqual([503, 202]);
  await put(project, 'first', toText('first', 502));
  expect(await activeIn(project)).toEqual(['second', 'first']);
  expect(await statuses(2)).toEqual([502, 202]);
  expect((await remove(project, 'second')).status).toBe(204);
  expect(await activeIn(project)).toEqual(['first']);
  expect(await remove(project, 'second')).toMatchObject({
    status: 404,
    body: { message: expect.stringContaining(`no scenario "second"`) },
  });
  expect((await remove(project, 'maintenance')).status).toBe(204);
});

test('a name is that of the library, or of a failure of the catalog', async () => {
  const project = freshProject();
  await put(project, 'asyncimportjobs-status-413');
  await put(project, 'maintenance');
  expect(await activeIn(project)).toEqual(['maintenance', 'asyncimportjobs-status-413']);
  await remove(project, 'maintenance');
  expect(await importJob(project)).toBe(413);
  const { body } = await sandbox.control('GET', '/scenarios/asyncimportjobs-status-413');
  expect(body.text).toContain('then: { respond: { status: 413 } }');
});

test.each([
  ['an unknown name', undefined, 404, /there is no scenario "wrong"/],
  ['another name', toText('other', 500), 400, /1:7 .*"wrong"/],
  ['a mistake at its line', 'name: wrong\nrules:\n  - then: { respond: { status: 5000 } }\n', 400, /3:32/],
])('%s is rejected', async (_what, text, status, message) => {
  const project = freshProject();
  const answer = await put(project, 'wrong', text);
  expect(answer.status).toBe(status);
  expect(`${answer.body.message} ${answer.body.errors?.[0]?.message}`).toMatch(message);
  expect(await activeIn(project)).toEqual([]);
});

test('rows are scenarios and failures, with what is active and what it did', async () => {
  const project = freshProject();
  await put(project, 'inline-one', toText('inline-one', 500));
  await sandbox.control('PUT', '/scenarios/stored-one', toText('stored-one', 500), yaml);
  await put(project, 'asyncimportjobs-latency');
  await importJob(project);
  await importJob(project);
  const rows = await rowsOf(`&project=${project}&operation=asyncImportJobs`);
  const row = (name: string) => rows.find((one) => one.name === name);
  expect(row('inline-one')).toMatchObject({
    source: 'inline',
    active: ['project'],
    fired: 1,
    rules: [{ rule: 'down', met: 2, acted: 1, left: 0 }],
  });
  expect(row('stored-one')).toMatchObject({ source: 'control', active: [], fired: 0, rules: [], ruleCount: 1 });
  expect(row('maintenance')).toMatchObject({ source: 'shipped', header: 'x-sandbox-scenario: maintenance' });
  expect(row('magic-ids')).toMatchObject({ active: ['always'] });
  expect(row('asyncimportjobs-refused')).toMatchObject({
    ...{ source: 'catalog', operation: 'asyncImportJobs', title: 'refused', magicId: 'REFUSE-1', active: [] },
  });
  expect(row('asyncimportjobs-latency')).toMatchObject({ active: ['project'] });
  expect(new Set(rows.map(({ operation }) => operation))).toEqual(new Set([undefined, 'asyncImportJobs']));
  expect((await rowsOf('')).filter(({ operation }) => operation === 'syncCreateJob').length).toBeGreaterThan(5);
  await sandbox.control('DELETE', '/scenarios/stored-one');
});

test('for all projects, too', async () => {
  const project = freshProject();
  const operation = 'submitLocations';
  const text = `name: for-all\nrules:\n  - { when: { operation: ${operation} }, then: { respond: { status: 503 } } }\n`;
  const answer = await sandbox.control('PUT', '/server-scenarios/for-all', text, yaml);
  expect(answer).toMatchObject({ status: 200, body: { scenarios: ['for-all'] } });
  const send = async () =>
    (await sandbox.api('POST', `/projects/${project}/locations/batch`, { locations: [] })).status;
  expect(await send()).toBe(503);
  expect((await rowsOf('')).find(({ name }) => name === 'for-all')).toMatchObject({ active: ['server'] });
  expect((await sandbox.control('DELETE', '/server-scenarios/for-all')).status).toBe(204);
  expect(await send()).not.toBe(503);
  expect((await sandbox.control('DELETE', '/server-scenarios/for-all')).status).toBe(404);
});
