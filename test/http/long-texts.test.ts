/** Texts of megabytes are read back as they were sent, although responses are written in pieces. */
import { expect, test } from 'vitest';
import { freshProject, useSandbox } from '../harness/sandbox.ts';

const sandbox = useSandbox();

test.each(['', 'x'])('no character is split after %j', async (before) => {
  const project = freshProject();
  const note = `${before}${'😀"\\\n'.repeat(250_000)}`;
  const jobs = [{ id: 'J-1', attributes: { note } }];
  expect((await sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, { jobs })).status).toBe(200);
  for (const what of ['jobs', 'snapshot']) {
    const { text } = await sandbox.control('GET', `/projects/${project}/${what}`);
    // Texts are compared many times faster than values.
    expect(text.includes(JSON.stringify(note)), what).toBe(true);
  }
});

const megabyte = 1024 ** 2;

test.each([megabyte - 1, megabyte, 3 * megabyte])('a search finds an id at the character %i of a body', async (at) => {
  const project = freshProject();
  const [start, end] = ['{"jobs":[{"note":"', '","id":"mE-1","tags":7}]}'];
  const text = start + 'x'.repeat(at - start.length - '","id":"'.length) + end;
  expect((await sandbox.api('POST', `/async/projects/${project}/jobs`, text)).status).toBe(202);
  const { body } = await sandbox.control('GET', `/search?q=Me-1&project=${project}`);
  expect(body.items).toEqual([{ kind: 'entity', id: 'mE-1', project, collection: 'jobs' }]);
});

test.each([
  ['names', 'x'],
  ['parts of secret names', 'pas'],
])('a body that is no JSON, with too many %s to examine, is not recorded', async (_, prefix) => {
  const project = freshProject();
  for (const count of [1000, 20_001]) {
    const names = Array.from({ length: count }, (_one, index) => `${prefix}${index}:`).join('');
    const { headers } = await sandbox.api('POST', `/async/projects/${project}/jobs`, `{"compas${names}`);
    const { body } = await sandbox.control('GET', `/projects/${project}/requests/${headers['x-request-id']}`);
    expect(body.request.body.startsWith('(omitted: ')).toBe(count > 1000);
  }
});
