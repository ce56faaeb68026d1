/** Scenarios for all projects, switched while the server runs: everybody meets them, and a reset of all undoes it. */
import { beforeEach, describe, expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { replay } from '../replay-steps.ts';

const sandbox = useSandbox({
  clock: 'frozen',
  scenarioYaml: 'name: at-start\nrules:\n  - { when: { item: { id: S } }, then: { refuse: from the start } }',
});
beforeEach(() => sandbox.control('POST', '/reset'));

const refusing = (name: string, id: string, more: object = {}): object => ({
  name,
  rules: [{ name: 'refuse', when: { item: { id } }, then: { refuse: name }, ...more }],
});
const put = (...scenarios: unknown[]) => sandbox.control('PUT', '/server-scenarios', { scenarios });
const get = async () => (await sandbox.control('GET', '/server-scenarios')).body;

/** Why these jobs are refused. */
async function refusals(project: string, ...ids: readonly string[]): Promise<Record<string, string>> {
  const jobs = ids.map((id) => ({ id }));
  const { status, body } = await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs });
  expect(status).toBe(202);
  return Object.fromEntries(body.failed.map(({ id, reason }: { id: string; reason: string }) => [id, reason]));
}

describe('active scenarios of the server', () => {
  test('apply to existing and new projects, and replace those of the options', async () => {
    const old = freshProject();
    expect(await refusals(old, 'S', 'A')).toEqual({ S: 'from the start' });
    expect((await put(refusing('one', 'A'), 'outage')).body).toEqual({ scenarios: ['one', 'outage'], magicIds: true });
    expect(await get()).toEqual({ scenarios: ['one', 'outage'], magicIds: true });
    for (const project of [old, freshProject()]) expect(await refusals(project, 'S', 'A')).toEqual({ A: 'one' });
    const seen = await sandbox.control('GET', `/projects/${old}/scenarios`);
    expect(seen.body).toMatchObject({ scenarios: [], serverScenarios: ['one', 'outage'] });
  });

  test("have lower priority than a project's own and higher than magic ids", async () => {
    const project = freshProject();
    await put(refusing('for-all', 'A'));
    await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [refusing('own', 'A')] });
    expect(await refusals(project, 'A', 'REFUSE-1')).toMatchObject({ A: 'own', 'REFUSE-1': expect.any(String) });
    expect(await refusals(freshProject(), 'A')).toEqual({ A: 'for-all' });
  });

  test('activated again, their counts restart, per project', async () => {
    const [one, other] = [freshProject(), freshProject()];
    await put(refusing('once', 'A', { times: 1 }));
    expect(await refusals(one, 'A')).toEqual({ A: 'once' });
    expect(await refusals(one, 'A')).toEqual({});
    expect(await refusals(other, 'A')).toEqual({ A: 'once' });
    const counts = async () => (await sandbox.control('GET', `/projects/${one}/scenarios`)).body.rules[0];
    expect(await counts()).toMatchObject({ scenario: 'once', met: 2, acted: 1, left: 0 });
    await put(refusing('once', 'A', { times: 1 }));
    expect(await counts()).toMatchObject({ scenario: 'once', met: 0, acted: 0, left: 1 });
    expect(await refusals(one, 'A')).toEqual({ A: 'once' });
  });

  test("their time windows start at the activation, on each project's clock", async () => {
    const project = freshProject();
    await sandbox.control('PUT', `/projects/${project}/clock`, { mode: 'frozen' });
    await sandbox.control('POST', `/projects/${project}/clock/advance`, { by: '1h' });
    await put(refusing('late', 'A', { when: { item: { id: 'A' }, during: { after: '10s' } } }));
    expect(await refusals(project, 'A')).toEqual({});
    await sandbox.control('POST', `/projects/${project}/clock/advance`, { by: '10s' });
    expect(await refusals(project, 'A')).toEqual({ A: 'late' });
  });

  test('an inline scenario can be named while it is active', async () => {
    await put(refusing('written', 'A'));
    expect((await put('written', 'flaky')).body.scenarios).toEqual(['written', 'flaky']);
    await put();
    expect((await put('written')).status).toBe(400);
  });
});

describe('inactive scenarios of the server', () => {
  test('leave only magic ids active', async () => {
    expect((await put()).body).toEqual({ scenarios: [], magicIds: true });
    expect(await refusals(freshProject(), 'S')).toEqual({});
  });

  test('a reset of all projects restores those of the options, a reset of one does not', async () => {
    const project = freshProject();
    await put(refusing('for-all', 'A'));
    await sandbox.control('POST', `/projects/${project}/reset`);
    expect(await refusals(project, 'A', 'S')).toEqual({ A: 'for-all' });
    await sandbox.control('POST', '/reset');
    expect(await get()).toEqual({ scenarios: ['at-start'], magicIds: true });
    expect(await refusals(project, 'A', 'S')).toEqual({ S: 'from the start' });
  });
});

test('reports the errors of all scenarios, and changes nothing', async () => {
  await put(refusing('before', 'A'));
  const { status, body } = await put('outige', { name: 'bad', rules: [{ then: { refuse: 3 } }] }, 'flaky');
  expect(status).toBe(400);
  expect(body.errors).toEqual([
    { path: '/scenarios/0', message: expect.stringContaining('there is no scenario "outige", did you mean outage?') },
    { path: '/scenarios/1/rules/0/then/refuse', message: expect.any(String) },
  ]);
  expect(await get()).toMatchObject({ scenarios: ['before'] });
});

test('recordings have the active scenarios at the start and every later change', async () => {
  const project = freshProject();
  await put(refusing('first', 'A'));
  expect(await refusals(project, 'A', 'B')).toEqual({ A: 'first' });
  await put(refusing('second', 'B', { times: 1 }));
  expect(await refusals(project, 'A', 'B')).toEqual({ B: 'second' });
  await put(refusing('second', 'B', { times: 1 }));
  expect(await refusals(project, 'A', 'B')).toEqual({ B: 'second' });
  const { body } = await sandbox.control('GET', `/projects/${project}/recording`);
  expect(body.changes.map(({ kind }: { kind: string }) => kind)).toEqual([
    ...['request', 'server-scenarios', 'request', 'server-scenarios', 'request'],
  ]);
  expect(await replay(body)).toEqual({ requests: 3, callbacks: 0, differences: [] });
});
