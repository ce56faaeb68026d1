/** The documentation under `/_sandbox`: a list for agents, pages as Markdown, and the paths of the running profile. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { shippedProfile } from '../../../src/openapi/profile/profile.ts';
import { writeProfile } from '../../harness/profile.ts';
import { useSandbox } from '../../harness/sandbox.ts';

const sandbox = useSandbox();
const changes = {
  basePath: '/v2',
  operations: { asyncImportJobs: { method: 'PUT', path: '/imports/{projectId}' } },
};
const moved = useSandbox({ profile: writeProfile(changes) }, { ...shippedProfile, ...changes } as never);

test('llms.txt lists every page, each with its title and a sentence', async () => {
  const { text, headers } = await sandbox.control('GET', '/llms.txt');
  const pages = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'));
  const listed = [...text.matchAll(/^- \[([^\]]+)\]\(\/_sandbox\/docs\/([^)]+)\): .+$/gm)].map(([, , page]) => page);
  expect(listed.toSorted()).toEqual(pages.toSorted());
  expect(listed[0]).toBe('index.md');
  expect(headers['content-type']).toBe('text/plain; charset=utf-8');
});

test('serves pages as they are in the package', async () => {
  const { text, headers } = await sandbox.control('GET', '/docs/guides/callbacks.md');
  expect(text).toBe(readFileSync('docs/guides/callbacks.md', 'utf8'));
  expect(headers['content-type']).toBe('text/markdown; charset=utf-8');
  expect((await sandbox.control('GET', '/docs/index.md')).text).toMatch(/^# Documentation\n/);
});

test('searches sections, the best first', async () => {
  const { body } = await sandbox.control('GET', '/docs?query=signature%20verify&limit=3');
  expect(body.items).toHaveLength(3);
  for (const { heading, text } of body.items) expect(`${heading} ${text}`.toLowerCase()).toMatch(/signature/);
  const all = await sandbox.control('GET', '/docs');
  expect(all.body.items[0]).toMatchObject({ page: 'index.md', heading: 'Documentation' });
});

test('pages have the methods and paths of the running profile', async () => {
  const { text } = await moved.control('GET', '/docs/reference/api.md');
  expect(text).toContain('| `asyncImportJobs` | `PUT /v2/imports/{projectId}` |');
  expect(text).toContain('| `asyncUpdateJobs` | `PATCH /v2/async/projects/{projectId}/jobs` |');
  expect(text).toContain('http://127.0.0.1:4600/v2/sync/projects/api-docs/jobs');
  expect(text).not.toMatch(/[^2]\/(async|sync)\/projects\//);
  const ci = await moved.control('GET', '/docs/guides/ci.md');
  expect(ci.text).toContain('"$SANDBOX_URL/v2/sync/projects/$base/jobs/batch"');
  const kit = await moved.control('GET', '/docs/guides/node-kit.md');
  expect(kit.text).toMatch(/\{url\}\/v2\/imports\/\$\{id\}`/);
  const control = await moved.control('GET', '/docs/reference/control-api.md');
  expect(control.text).toContain('/_sandbox/projects/control-docs/');
});
