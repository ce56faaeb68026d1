/** A project's clock: frozen it stands and is advanced, real it runs on from where it stood; it never goes back. */
import { expect, test } from 'vitest';
import { createRecordingReader } from '../../../src/cli/replay/read.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { failLater, frozenProject } from '../callbacks/steps.ts';

const sandbox = useSandbox();
const clock = async (project: string) => (await sandbox.control('GET', `/projects/${project}/clock`)).body;
const put = (project: string, body: object) => sandbox.control('PUT', `/projects/${project}/clock`, body);
const advance = (project: string, body: object) => sandbox.control('POST', `/projects/${project}/clock/advance`, body);

test('a frozen clock stays at its time', async () => {
  const project = freshProject();
  const before = new Date().toISOString();
  const { body } = await put(project, { mode: 'frozen' });
  expect(body).toEqual({ mode: 'frozen', now: expect.any(String), pending: 0 });
  expect(body.now >= before && body.now <= new Date().toISOString()).toBe(true);
  expect(await clock(project)).toEqual(body);
});

test('a resumed clock continues from its frozen time', async () => {
  const project = freshProject();
  await put(project, { mode: 'frozen', now: '2040-06-01T00:00:00Z' });
  expect((await put(project, { mode: 'real' })).body.mode).toBe('real');
  const { mode, now } = await clock(project);
  expect([mode, now.slice(0, 17)]).toEqual(['real', '2040-06-01T00:00:']);
  const { body } = await put(project, { mode: 'frozen' });
  expect(body.now >= now).toBe(true);
});

test('a parallel advance starts where the first one ended', async () => {
  const project = await frozenProject(sandbox);
  const start = Date.parse((await clock(project)).now);
  await failLater(sandbox, project);
  const answers = await Promise.all([1, 2, 3].map(() => advance(project, { by: '150ms' })));
  const results = answers.map(({ body }) => body);
  expect(results.map(({ now }) => Date.parse(now) - start).toSorted((a, b) => a - b)).toEqual([150, 300, 450]);
  expect(results.reduce((sum, { processed }) => sum + processed, 0)).toBe(1);
});

test('timestamps after the latest time of a clock are valid, and its recording can be replayed', async () => {
  const project = freshProject();
  await put(project, { mode: 'frozen', now: '9999-01-01T00:00:00Z' });
  const rules = [{ then: { fail: 'in a hundred years', after: '36500d' } }];
  await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [{ name: 'late', rules }] });
  expect((await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'J' }] })).status).toBe(202);
  await put(project, { mode: 'real' });
  const pending = await sandbox.control('GET', `/projects/${project}/pending`);
  expect(pending.body.items.map(({ dueAt }: { dueAt: string }) => dueAt)).toContain('9999-12-31T23:59:59.999Z');
  const { text } = await sandbox.control('GET', `/projects/${project}/recording`);
  expect(text).not.toMatch(/"\+\d/);
  expect(await createRecordingReader().read(JSON.parse(text), 'r.json')).not.toHaveProperty('mistakes');
});
