/** Checks scenarios without storing them, and reads scenarios as they are active. */
import { describe, expect, test } from 'vitest';
import { freshProject, useSandbox } from '../harness/sandbox.ts';

const sandbox = useSandbox();
const yaml = { 'content-type': 'application/yaml' };
const check = async (text: string) => (await sandbox.control('POST', '/scenario-checks', text, yaml)).body;

describe('POST /scenario-checks', () => {
  test('lists every mistake at its line, and stores nothing', async () => {
    const text =
      'name: checked\nrules:\n  - when: { operation: asyncImportJob }\n    then: { fial: x }\n    times: often\n';
    const { valid, errors } = await check(text);
    expect(valid).toBe(false);
    expect(errors.map(({ line, path }: { line: number; path: string }) => [line, path])).toEqual([
      [3, '/rules/0/when/operation'],
      [4, '/rules/0/then/fial'],
      [5, '/rules/0/times'],
    ]);
    expect(await check(text.replace('Job }', 'Jobs }').replace('fial', 'fail').replace('often', '1'))).toEqual({
      valid: true,
      errors: [],
      warnings: [],
    });
    expect((await sandbox.control('GET', '/scenarios/checked')).status).toBe(404);
  });

  test('warns of rules that never fire, and reads JSON', async () => {
    const rule = (status: number) => ({ then: { respond: { status } } });
    const { body } = await sandbox.control('POST', '/scenario-checks', {
      name: 'unused',
      rules: [rule(503), rule(500)],
    });
    expect(body).toEqual({
      valid: true,
      errors: [],
      warnings: [expect.objectContaining({ path: '/rules/1', message: expect.stringMatching('never fires') })],
    });
  });
});

describe('GET /projects/{projectId}/scenarios/{name}', () => {
  test('returns an inline scenario without its secrets, and a scenario of all projects', async () => {
    const project = freshProject();
    const rules = [{ when: { where: { 'headers.apikey': 'secret-1' } }, then: { respond: { status: 503 } } }];
    await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [{ name: 'inline', rules }] });
    await sandbox.control('PUT', '/server-scenarios', { scenarios: ['outage'] });
    const get = (name: string) => sandbox.control('GET', `/projects/${project}/scenarios/${name}`);
    const masked = [{ when: { where: { 'headers.apikey': '***' } }, then: { respond: { status: 503 } } }];
    expect((await get('inline')).body).toEqual({ name: 'inline', rules: masked });
    expect((await get('outage')).body).toMatchObject({ name: 'outage' });
    const missing = await get('maintenance');
    expect([missing.status, missing.body.message]).toEqual([
      404,
      'the scenario "maintenance" is not active here; active: inline, outage',
    ]);
    await sandbox.control('PUT', '/server-scenarios', { scenarios: [] });
  });
});

describe('GET /scenarios/{name}', () => {
  const get = (name: string, project = '') =>
    sandbox.control('GET', `/scenarios/${name}${project === '' ? '' : `?project=${project}`}`);

  test('finds one that is active in a project, as YAML that can be activated again, with masked secrets', async () => {
    const project = freshProject();
    const rules = [
      { name: 'b: c', when: { item: [1, 3] }, then: { fail: 'No "street": none' }, times: 2 },
      { when: { where: { 'headers.apikey': 'secret-1' } }, then: { respond: { status: 503, body: { a: ['yes'] } } } },
    ];
    await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [{ name: 'inline-1', rules }] });
    expect((await get('inline-1')).status).toBe(404);
    const { body } = await get('inline-1', project);
    expect(body).toMatchObject({ name: 'inline-1', source: 'inline', rules: 2 });
    expect(body.text).toContain(
      `- name: "b: c"\n    when: { item: [ 1, 3 ] }\n    times: 2\n    then: { fail: 'No "street": none' }`,
    );
    expect(body.text).not.toContain('secret-1');
    expect((await sandbox.control('PUT', `/projects/${project}/scenarios/inline-1`, body.text, yaml)).status).toBe(200);
    const again = await sandbox.control('GET', `/projects/${project}/scenarios/inline-1`);
    const masked = { where: { 'headers.apikey': '***' } };
    expect(again.body.rules).toEqual([rules[0], { ...rules[1], when: masked }]);
  });

  test('finds failures of the catalog', async () => {
    const { body } = await get('asyncimportjobs-status-413');
    expect(body).toMatchObject({
      source: 'catalog',
      text: expect.stringMatching('name: asyncimportjobs-status-413\n'),
    });
    expect((await get('asyncimportjobs-status-999')).status).toBe(404);
  });
});
