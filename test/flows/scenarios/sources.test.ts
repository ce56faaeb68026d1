/** Where scenarios come from and whom they are for: the server's options, a project's list, one request's header. */
import { describe, expect, test } from 'vitest';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox();

const refusing = (name: string, reason: string): object => ({
  name,
  rules: [{ name: 'refuse', when: { item: { id: 'X' } }, then: { refuse: reason } }],
});

/** The reason for which the job X is refused, or none. */
async function reasonIn(
  project: string,
  headers: Record<string, string> = {},
  from = sandbox,
): Promise<string | undefined> {
  const answer = await from.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'X' }] }, headers);
  expect(answer.status).toBe(202);
  return answer.body.failed[0]?.reason;
}

const activate = (project: string, ...scenarios: unknown[]) =>
  sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios });

describe('the library', () => {
  test('lists the shipped scenarios with their source', async () => {
    const { body } = await sandbox.control('GET', '/scenarios?limit=1000');
    expect(body.items).toContainEqual({
      name: 'outage',
      source: 'shipped',
      rules: 2,
      description: expect.stringContaining('503'),
    });
    expect((await sandbox.control('GET', '/scenarios/outage')).body.text).toContain('afterRequests: 5, for: 30s');
  });

  test('accepts YAML and returns it unchanged', async () => {
    const text = '# mine\nname: yaml-one\nrules:\n  - then: { refuse: from YAML }\n';
    const put = await sandbox.control('PUT', '/scenarios/yaml-one', text, { 'content-type': 'application/yaml' });
    expect(put.body).toEqual({ name: 'yaml-one', source: 'control', rules: 1 });
    expect((await sandbox.control('GET', '/scenarios/yaml-one')).body.text).toBe(text);
    expect(await reasonIn(freshProject(), { 'x-sandbox-scenario': 'yaml-one' })).toBe('from YAML');
  });

  test('accepts JSON that hides a shipped scenario until it is deleted', async () => {
    const shipped = (await sandbox.control('GET', '/scenarios/flaky')).body;
    expect((await sandbox.control('PUT', '/scenarios/flaky', refusing('flaky', 'mine'))).status).toBe(200);
    expect(await reasonIn(freshProject(), { 'x-sandbox-scenario': 'flaky' })).toBe('mine');
    expect((await sandbox.control('DELETE', '/scenarios/flaky')).status).toBe(204);
    expect((await sandbox.control('GET', '/scenarios/flaky')).body).toEqual(shipped);
    expect((await sandbox.control('DELETE', '/scenarios/flaky')).body.message).toContain(
      'only scenarios stored by PUT can be deleted',
    );
    expect((await sandbox.control('DELETE', '/scenarios/nobody')).status).toBe(404);
  });

  test('rejects an invalid one as a whole, with the line of every error', async () => {
    const text = 'name: bad\nrules:\n  - when: { operation: asyncImportJob }\n    then: { refuze: No, latency: 2 s }\n';
    const { status, body } = await sandbox.control('PUT', '/scenarios/bad', text, {
      'content-type': 'application/yaml',
    });
    expect(status).toBe(400);
    expect(body.errors).toEqual([
      { path: '/rules/0/when/operation', message: expect.stringMatching(/^3:24 .*did you mean asyncImportJobs\?/) },
      {
        path: expect.stringContaining('/rules/0/then'),
        message: expect.stringMatching(/^4:13 .*did you mean refuse\?/),
      },
      { path: '/rules/0/then/latency', message: expect.stringMatching(/^4:34 /) },
    ]);
    expect((await sandbox.control('GET', '/scenarios/bad')).status).toBe(404);
  });

  test('rejects another name together with the other mistakes', async () => {
    const text = 'rules:\n  - { then: { refusee: no } }\nname: other\n';
    const type = { 'content-type': 'application/yaml' };
    const { status, body } = await sandbox.control('PUT', '/scenarios/one', text, type);
    expect([status, body.errors]).toEqual([
      400,
      [
        {
          path: expect.stringContaining('/rules/0/then'),
          message: expect.stringMatching(/^2:\d+ .*did you mean refuse/),
        },
        { path: '/name', message: '3:7 expected "one" as in the path, got "other"' },
      ],
    ]);
    const bare = await sandbox.control('PUT', '/scenarios/one', 'rules: [{ then: { refuse: no } }]', type);
    expect(bare.body.errors.map(({ path }: { path: string }) => path)).toEqual(['']);
  });
});

describe("a project's scenarios", () => {
  test('are named or inline, and listed', async () => {
    const project = freshProject();
    const answer = await activate(project, 'outage', refusing('inline', 'given inline'));
    expect(answer.body).toMatchObject({ scenarios: ['outage', 'inline'], serverScenarios: [], magicIds: true });
    expect((await sandbox.control('GET', `/projects/${project}/scenarios`)).body).toEqual(answer.body);
    expect(await reasonIn(project)).toBe('given inline');
    expect(await reasonIn(freshProject())).toBeUndefined();
  });

  test.each([
    ['unknown', 'nobody', '/scenarios/1', 'there is no scenario "nobody"; GET'],
    ['misspelled', 'outtage', '/scenarios/1', 'did you mean outage?'],
    ['inline and bad', { name: 'bad', rules: [{ then: { refuse: 3 } }] }, '/scenarios/1/rules/0/then/refuse', ''],
  ])('none is activated if one is %s', async (_, bad, path, message) => {
    const project = freshProject();
    await activate(project, refusing('before', 'as before'));
    const { status, body } = await activate(project, 'outage', bad);
    expect(status).toBe(400);
    expect(body.errors[0].path).toBe(path);
    expect(body.message).toContain(message);
    expect(await reasonIn(project)).toBe('as before');
  });

  test('keep the version that was activated', async () => {
    const project = freshProject();
    await sandbox.control('PUT', '/scenarios/versioned', refusing('versioned', 'first'));
    await activate(project, 'versioned');
    await sandbox.control('PUT', '/scenarios/versioned', refusing('versioned', 'second'));
    expect(await reasonIn(project)).toBe('first');
    expect(await reasonIn(project, { 'x-sandbox-scenario': 'versioned' })).toBe('second');
    await activate(project, 'versioned');
    expect(await reasonIn(project)).toBe('second');
    await sandbox.control('DELETE', '/scenarios/versioned');
    expect(await reasonIn(project)).toBe('second');
  });
});

describe('the header x-sandbox-scenario', () => {
  test('applies to one request only', async () => {
    const project = freshProject();
    const path = `/async/projects/${project}/orders`;
    const body = { orders: [{ id: 'A' }] };
    expect((await fetchStatus(path, body, { 'x-sandbox-scenario': 'maintenance' })).status).toBe(503);
    expect((await sandbox.api('POST', path, body)).status).toBe(202);
  });
});

/** A request whose answer the API's document does not have. */
function fetchStatus(path: string, body: object, headers: Record<string, string>): Promise<Response> {
  const all = { apikey: 'sandbox-key', 'content-type': 'application/json', ...headers };
  return fetch(sandbox.url() + path, { method: 'POST', headers: all, body: JSON.stringify(body) });
}
