/** Data of a project in what another one sees. flows/transcripts/access.txt has what a key of one project opens. */
import { beforeAll, describe, expect, test } from 'vitest';
import source from '../../spec/control.yaml';
import { type ApiDocument, eachOperation } from '../../src/openapi/api-document.ts';
import { readEvents } from '../harness/event-reader.ts';
import { useSandbox } from '../harness/sandbox.ts';

const sandbox = useSandbox();
const frozen = useSandbox({ adminToken: 'token', apiKeys: ['mine=own', 'theirs=other'], clock: 'frozen' });

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

test('what a key reads does not depend on what others do', async () => {
  const reads = [...eachOperation(source as ApiDocument)]
    .filter(({ method, operation }) => method === 'get' && !/Events|Listener/.test(String(operation['operationId'])))
    .map(({ path }) => path.replace('/_sandbox', '').replace('{projectId}', 'own'));
  const mine = { apikey: 'mine' };
  const { headers } = await frozen.api('POST', '/async/projects/own/jobs', { jobs: [{ id: 'FAIL-1' }, {}] }, mine);
  const readAll = async () => {
    const id = (path: string) => (path.includes('/requests/') ? String(headers['x-request-id']) : 'FAIL-1');
    const urls = reads.flatMap((path) => ['', '?limit=1', '?counts=true', '?q=o'].map((query) => path + query));
    const toUrl = (url: string) => url.replace('{id}', id(url)).replace(/\{\w+\}/, 'outage');
    const read = async (url: string) =>
      [url, String((await frozen.control('GET', toUrl(url), undefined, mine)).text)] as const;
    return Object.fromEntries(await Promise.all(urls.map(read)));
  };
  const before = await readAll();
  for (let count = 0; count < 5; count += 1) {
    await frozen.api('POST', '/async/projects/other/jobs', { jobs: [{ id: 'FAIL-2' }, {}] }, { apikey: 'theirs' });
    await frozen.api('POST', '/async/projects/other/jobs', {}, { apikey: 'wrong' });
    await frozen.control('POST', '/projects/other/callbacks', { type: 'jobs.import.failed' }, { apikey: 'theirs' });
  }
  expect(await readAll()).toEqual(before);
  expect(Object.values(before).filter((text) => text.includes('FAIL-1')).length).toBeGreaterThan(10);
});

describe('the positions that a key receives', () => {
  const mine = { apikey: 'mine' };
  const shared = useSandbox({ adminToken: 'token', apiKeys: ['mine=own,own-2', 'theirs=other'] });
  const send = (project: string, apikey = 'mine') =>
    shared.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id: 'O-1' }] }, { apikey });
  const list = async (path: string, headers: Record<string, string> = mine) =>
    (await shared.control('GET', path, undefined, headers)).body as { items?: { id: string }[]; next?: string };

  test.each([
    '/projects?',
    '/requests?',
    '/requests?sort=status&',
    '/projects/own/requests?',
    '/projects/own/callbacks?',
  ])('in %s lead to the next page, and show no numbers', async (path) => {
    for (const project of ['own', 'own-2', 'own']) {
      await send('other', 'theirs');
      await send(project);
      await shared.control('POST', '/projects/own/callbacks', { type: 'jobs.import.failed' }, mine);
    }
    const { items = [] } = await list(path);
    const { next } = await list(`${path}limit=1`);
    const { next: shown } = await list(`${path}limit=1`, { authorization: 'Bearer token' });
    expect((await list(`${path}limit=1&cursor=${next}`)).items).toMatchObject([{ id: items[1]?.id }]);
    expect(next).toMatch(/^[\w-]{43,}$/);
    expect(await list(`${path}limit=1&cursor=${shown}`)).toMatchObject({ errors: [{ path: 'query:cursor' }] });
  });

  test('in events continue the stream, and differ though nothing happened', async () => {
    const follow = (lastId?: string) => readEvents(`${shared.url()}/_sandbox/events`, lastId, mine);
    const [one, other] = [await follow(), await follow()];
    expect(one.lastId()).toMatch(/^[\w-]{43,}$/);
    expect(one.lastId()).not.toBe(other.lastId());
    await send('other', 'theirs');
    const { headers } = await send('own');
    const [event] = await one.take(1);
    const again = await follow(other.lastId());
    expect(await again.take(1)).toMatchObject([{ kind: 'request', data: { id: headers['x-request-id'] } }]);
    expect(event?.id).not.toBe(again.lastId());
    for (const reader of [one, other, again]) reader.leave();
    const [gap] = await (await follow('abc-12')).take(1);
    expect(gap?.kind).toBe('gap');
  });
});
