/** A key that is for one project opens no other, however its path is written; and projects see nothing of each other. */
import { beforeAll, describe, expect, test } from 'vitest';
import { send } from '../flows/refusals.ts';
import { readEvents } from '../harness/event-reader.ts';
import { useSandbox } from '../harness/sandbox.ts';

const sandbox = useSandbox({ apiKeys: ['mine=own', 'aussie@au', 'sandbox-key'] });

const json = { 'content-type': 'application/json' };

/** What differs from the project's name by a letter, an escape or what is not seen. */
const lookalikes = [
  ...['Own', 'OWN', 'own ', ' own', 'own.', 'own/', '/own', './own', 'own/.', 'own/../other', '../own', 'own,other'],
  ...[
    'own\u0000',
    'own\u0000other',
    'own\r\n',
    'own\u200b',
    '\ufeffown',
    '\u043ewn',
    'ｏｗｎ',
    'own%00',
    '%6fwn',
    'own\u0301',
  ],
];

describe('a key of one project', () => {
  test.each(lookalikes.map((name) => [encodeURIComponent(name)]))('is rejected for the path %s', async (name) => {
    const headers = { ...json, apikey: 'mine' };
    const answer = await send(sandbox, { method: 'POST', path: `/async/projects/${name}/jobs`, headers, body: '{}' });
    expect(answer).toMatchObject({ status: 403, body: { code: 'foreign_api_key' } });
    const { body } = await sandbox.control('GET', '/projects');
    expect((body.items as { id: string }[]).map(({ id }) => encodeURIComponent(id))).not.toContain(name);
  });

  test.each(['own/../other', 'own//../other', 'own/%2e%2e/other', './other', 'other;own', 'other?projectId=own'])(
    'opens no other project by the path %s',
    async (path) => {
      const headers = { ...json, apikey: 'mine' };
      const whole = `/async/projects/${path}/jobs`;
      const answer = await send(sandbox, { method: 'POST', path: whole, headers, body: '{"jobs":[{"id":"J"}]}' });
      expect([401, 403, 404, 405]).toContain(answer.status);
      const { body } = await sandbox.control('GET', '/projects');
      expect((body.items as { id: string }[]).map(({ id }) => id)).not.toContain('other');
    },
  );

  test('opens its own project, also with an escaped letter', async () => {
    for (const name of ['own', '%6Fwn']) {
      const path = `/async/projects/${name}/jobs`;
      const answer = await sandbox.api('POST', path, { jobs: [] }, { apikey: 'mine' });
      expect(answer.status, name).toBe(202);
    }
    expect((await sandbox.control('GET', '/projects/own')).body.counts.requests).toBeGreaterThan(1);
  });

  test.each(['x-forwarded-host', 'x-original-url', 'x-rewrite-url', 'forwarded', 'x-http-method-override'])(
    'does not open another project by the header %s',
    async (header) => {
      const headers = { ...json, apikey: 'mine', [header]: '/async/projects/own/jobs' };
      const path = '/async/projects/other/jobs';
      expect((await send(sandbox, { method: 'POST', path, headers, body: '{"jobs":[]}' })).status).toBe(403);
    },
  );
});

test('a key of one region is rejected in another, whatever a proxy header says', async () => {
  const headers = { ...json, apikey: 'aussie', host: 'eu.localhost', 'x-forwarded-host': 'au.localhost' };
  const answer = await send(sandbox, { method: 'POST', path: '/async/projects/p/jobs', headers, body: '{"jobs":[]}' });
  expect(answer.status).toBe(403);
});

describe('data of another project', () => {
  let requestId = '';

  beforeAll(async () => {
    await sandbox.freeze('secretive');
    const sent = await sandbox.api('POST', '/async/projects/secretive/jobs', { jobs: [{ id: 'FAIL-HUSH' }] });
    requestId = String(sent.headers['x-request-id']);
    await sandbox.advance('secretive');
    await sandbox.api('POST', '/async/projects/curious/jobs', { jobs: [] });
  });

  test.each([
    '',
    '/requests',
    '/callbacks',
    '/jobs',
    '/snapshot',
    '/recording',
    '/expectations',
    '/coverage',
    '/scenarios',
  ])('is not in the response of %s', async (path) => {
    const { text } = await sandbox.control('GET', `/projects/curious${path}`);
    expect(text).not.toMatch(/secretive|HUSH/);
    expect(text).not.toContain(requestId);
  });

  test('is not in the metrics', async () => {
    const { text } = await sandbox.control('GET', '/metrics');
    expect(text).toContain('asyncImportJobs');
    expect(text).not.toMatch(/secretive|curious|HUSH/);
  });

  test('is not faked by a project name with line breaks', async () => {
    const name = 'p\n\nevent: request\ndata: {"project":"curious"}\n\n';
    const reader = await readEvents(`${sandbox.url()}/_sandbox/events?project=curious`);
    await sandbox.api('POST', `/async/projects/${encodeURIComponent(name)}/jobs`, { jobs: [] });
    await sandbox.api('POST', '/async/projects/curious/jobs', { jobs: [] });
    const [event] = await reader.take(1);
    reader.leave();
    expect(event).toMatchObject({ kind: 'request', data: { operation: 'asyncImportJobs' } });
  });
});
