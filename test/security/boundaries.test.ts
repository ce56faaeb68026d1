/** Data of a project in what another one sees. flows/transcripts/access.txt has what a key of one project opens. */
import { beforeAll, describe, expect, test } from 'vitest';
import { readEvents } from '../harness/event-reader.ts';
import { useSandbox } from '../harness/sandbox.ts';

const sandbox = useSandbox();

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
