/** `rate` and `limits.journal`: what a profile allows a project. */
import { describe, expect, test } from 'vitest';
import { parseOptions } from '../../../src/config/options.ts';
import { writeProfile } from '../../harness/profile.ts';
import { freshProject } from '../../harness/sandbox.ts';
import { startSandbox } from '../../harness/start-sandbox.ts';
import { withProfile } from '../profile-steps.ts';

describe('rate: { requests: 3, per: 1m }', () => {
  const sandbox = withProfile('rate: { requests: 3, per: 1m }');
  const send = (project: string, body: object = { jobs: [{ id: 'J-1' }] }) =>
    sandbox.api('POST', `/async/projects/${project}/jobs`, body);

  test('more requests in a window get 429 and the seconds until its end', async () => {
    const project = freshProject();
    expect((await send(project)).status).toBe(202);
    await sandbox.advance(project, '20500ms');
    expect([(await send(project, {})).status, (await send(project)).status]).toEqual([400, 202]);
    const limited = await send(project);
    expect([limited.status, limited.headers['retry-after']]).toEqual([429, '40']);
    expect(limited.body.message).toBe('too many requests: expected at most 3 in 1m, try again in 40 s');
    expect((await send(freshProject())).status).toBe(202);
    await sandbox.advance(project, '40s');
    expect((await send(project)).status).toBe(202);
    expect((await sandbox.items(project, 'requests')).map(({ status }) => status)).toEqual([202, 400, 202, 429, 202]);
  });

  test('the control API is not counted, and a reset begins anew', async () => {
    const project = freshProject();
    for (let count = 0; count < 4; count += 1) await send(project);
    expect((await sandbox.control('GET', `/projects/${project}/jobs`)).status).toBe(200);
    await sandbox.control('POST', `/projects/${project}/reset`);
    expect((await send(project)).status).toBe(202);
  });

  test('a rejected request uses up no rule, and counts in expectations', async () => {
    const project = freshProject();
    const scenario = {
      name: 'down-once',
      rules: [{ name: 'down', when: { operation: 'asyncUpdateJobs' }, times: 1, then: { respond: { status: 500 } } }],
      expect: [{ requests: { status: 429, count: 1 } }],
    };
    const active = await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [scenario] });
    expect(active.status, JSON.stringify(active.body)).toBe(200);
    for (let count = 0; count < 3; count += 1) await send(project);
    const update = () => sandbox.api('PATCH', `/async/projects/${project}/jobs`, { jobs: [] });
    expect((await update()).status).toBe(429);
    await sandbox.advance(project, '1m');
    expect((await update()).status).toBe(500);
    const { body } = await sandbox.control('GET', `/projects/${project}/expectations`);
    expect(body.items).toMatchObject([{ met: true, count: 1 }]);
  });
});

test('run keeps all requests, so that recordings are complete', async () => {
  const parsed = parseOptions({ port: '0', log: 'off', profile: writeProfile({ limits: { journal: 2 } }) }, {});
  if (!('options' in parsed)) throw new Error('no options');
  const notices = { reportError: () => undefined, warn: () => undefined, keepsAllRequests: true };
  const sandbox = await startSandbox(parsed.options, notices);
  const headers = { apikey: 'sandbox-key', 'content-type': 'application/json' };
  for (let count = 0; count < 3; count += 1) {
    await fetch(`${sandbox.url}/sync/projects/p/orders`, { method: 'POST', headers, body: '{"orders":[]}' });
  }
  expect(sandbox.journal.size('p')).toBe(3);
  await sandbox.close();
});

describe('limits.journal: 2', () => {
  const sandbox = withProfile('limits: { journal: 2 }');

  test('keeps the latest two requests of a project', async () => {
    const project = freshProject();
    for (const id of ['J-1', 'J-2', 'J-3']) {
      await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id }] });
    }
    expect(await sandbox.items(project, 'requests')).toHaveLength(2);
    const recording = await sandbox.control('GET', `/projects/${project}/recording`);
    expect(recording.body.complete).toBe(false);
  });
});
