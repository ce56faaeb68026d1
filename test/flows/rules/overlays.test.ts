/** Overlays of a profile: added fields are stored, removed ones unknown, and limits of values explained. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createRecordingReader } from '../../../src/cli/replay/read.ts';
import type { Recording } from '../../../src/journal/recording.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { replay } from '../replay-steps.ts';

const overlay = `
overlay: 1.0.0
info: { title: What the real API accepts, version: "1" }
actions:
  - target: $.components.schemas.JobCreate.properties
    update:
      floor: { type: integer, minimum: 1, multipleOf: 2 }
      code: { type: string, pattern: "^[A-Z]{3}$", description: Three capital letters. }
      slow: { type: string, pattern: "^(a+)+$" }
      short: { type: string, minLength: 3, maxLength: 5 }
      link: { type: string, format: uri }
      labels: { type: array, items: { type: string }, uniqueItems: true }
      below: { type: number, exclusiveMaximum: 10, exclusiveMinimum: 0 }
      extra: { type: object, maxProperties: 1 }
  - target: $.components.schemas.JobCreate.properties.langCode
    remove: true
  - target: $.components.schemas.Password
    update: { pattern: '^(?=.*[A-Z])(?=.*\\d)(?!.*[ )])' }
  - target: $.components.schemas.JobStatus
    update: { enum: [LOST] }
  - target: $.paths['/sync/projects/{projectId}/orders'].post
    update:
      parameters: [{ name: X-Tenant, in: header, required: true, schema: { type: string, minLength: 3 } }]
  - target: $.components.schemas.JobCreate
    update: { type: [object, "null"] }
`;
const folder = mkdtempSync(join(tmpdir(), 'overlays-'));
writeFileSync(join(folder, 'changes.overlay.yaml'), overlay);
writeFileSync(join(folder, 'profile.yaml'), 'overlays: [changes.overlay.yaml]\n');

const sandbox = useSandbox({ profile: join(folder, 'profile.yaml') });
const importJob = (project: string, job: object) =>
  sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, { jobs: [{ id: 'J-1', ...job }] });

test('an added field and a new value of an enum are accepted and stored', async () => {
  const project = freshProject();
  const answer = await importJob(project, { floor: 4, code: 'ABC', status: 'LOST' });
  expect(answer.body.failed).toEqual([]);
  expect(answer.headers['x-sandbox-warnings']).toBeUndefined();
  expect(await sandbox.items(project, 'jobs')).toMatchObject([{ floor: 4, code: 'ABC', status: 'LOST' }]);
});

test('null in place of an entry is refused, though the document allows it', async () => {
  const project = freshProject();
  const { body } = await sandbox.api('POST', `/sync/projects/${project}/jobs/batch`, { jobs: [null, { id: 'J-1' }] });
  expect(body.failed).toEqual([{ id: '', reason: 'expected an object, got null' }]);
  expect(await sandbox.items(project, 'jobs')).toMatchObject([{ id: 'J-1' }]);
});

test('a header parameter is required and checked', async () => {
  const send = async (headers: Record<string, string>) => {
    const { status, body } = await sandbox.api(
      'POST',
      `/sync/projects/${freshProject()}/orders`,
      { orders: [] },
      headers,
    );
    return [status, body.message];
  };
  expect(await send({ 'x-tenant': 'acme' })).toEqual([200, undefined]);
  expect(await send({})).toEqual([400, 'header:x-tenant: required, but missing']);
  expect(await send({ 'x-tenant': 'a' })).toEqual([400, 'header:x-tenant: expected at least 3 characters, got 1']);
});

test('a removed field is unknown, and not stored', async () => {
  const project = freshProject();
  const answer = await importJob(project, { langCode: 'en' });
  expect(answer.headers['x-sandbox-warnings']).toBe('1');
  expect((await sandbox.items(project, 'jobs'))[0]).not.toHaveProperty('langCode');
});

test.each<[string, object, string]>([
  ['pattern', { code: 'abcd' }, 'code: expected a string that matches ^[A-Z]{3}$, got "abcd"'],
  ['minLength', { short: 'ab' }, 'short: expected at least 3 characters, got 2'],
  ['maxLength', { short: 'abcdef' }, 'short: expected at most 5 characters, got 6'],
  ['format', { link: 'none' }, 'link: expected a string of format uri, got "none"'],
  ['minimum', { floor: 0 }, 'floor: expected at least 1, got number 0'],
  ['multipleOf', { floor: 3 }, 'floor: expected a multiple of 2, got number 3'],
  ['exclusiveMaximum', { below: 10 }, 'below: expected less than 10, got number 10'],
  ['exclusiveMinimum', { below: 0 }, 'below: expected more than 0, got number 0'],
  ['uniqueItems', { labels: ['a', 'b', 'a'] }, 'labels: expected different items, got the same at 0 and 2'],
  ['maxProperties', { extra: { a: 1, b: 2 } }, 'extra: expected at most 1 field, got 2'],
  ['enum', { status: 'LSOT' }, 'did you mean LOST?'],
])('%s is explained', async (_keyword, job, reason) => {
  const answer = await importJob(freshProject(), job);
  expect(answer.body.failed).toEqual([{ id: 'J-1', reason: expect.stringContaining(reason) }]);
});

test('a pattern takes linear time', async () => {
  const answer = await importJob(freshProject(), { slow: `${'a'.repeat(100_000)}!` });
  expect(answer.body.failed[0].reason).toContain('slow: expected a string that matches ^(a+)+$, got "aaa');
});

test('a changed rule of a field is explained as it is now, in messages and in the served document', async () => {
  const user = { username: 'jo', type: 'driver', visibleBy: ['VIC-01'], access: 'DRIVER' };
  const register = async (password: string) => {
    const { status, body } = await sandbox.api('POST', `/projects/${freshProject()}/users`, { ...user, password });
    return [status, body.message];
  };
  const pattern = '^(?=.*[A-Z])(?=.*\\d)(?!.*[ )])';
  const refused = [400, `/password: expected a string that matches ${pattern}`];
  expect(await register('Sunrise2026')).toEqual([201, 'user jo created']);
  for (const password of ['Sunrise#', 'sunrise1', 'Sunrise 2026']) expect(await register(password)).toEqual(refused);
  const { body } = await sandbox.control('GET', '/openapi.json');
  expect(body.components.schemas.Password).toMatchObject({ pattern });
  expect(JSON.stringify(body.components.schemas.Password)).not.toContain('special character');
});

test('the settings name the overlays, and a recording holds them', async () => {
  const project = freshProject();
  await importJob(project, { floor: 4, status: 'LOST' });
  const settings = await sandbox.control('GET', '/settings');
  expect(settings.body.profile.overlays).toEqual(['changes.overlay.yaml']);
  const { body } = await sandbox.control('GET', `/projects/${project}/recording`);
  const recording = body as Recording;
  expect(recording.overlays).toEqual([{ name: 'changes.overlay.yaml', text: overlay }]);
  expect(await replay(JSON.parse(JSON.stringify(recording)))).toMatchObject({ requests: 1, differences: [] });
  const { overlays: _, ...without } = recording;
  const unread = await createRecordingReader().read(without, 'elsewhere.json');
  expect('mistakes' in unread ? unread.mistakes[0] : '').toContain('overlay "changes.overlay.yaml": missing');
});
