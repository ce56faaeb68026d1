/** The list of scenarios and failures says where each is active, and what it did. */
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
async function rowsOf(query: string): Promise<readonly Row[]> {
  const { status, body } = await sandbox.control('GET', `/scenarios?view=rows&limit=1000${query}`);
  expect(status).toBe(200);
  return body.items;
}

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
