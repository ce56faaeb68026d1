/** A project's clock: frozen it stands and is advanced, real it runs on from where it stood; it never goes back. */
import { describe, expect, test } from 'vitest';
import { createRecordingReader } from '../../../src/cli/replay/read.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { callbacksOf, failLater, frozenProject } from '../callbacks/steps.ts';

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

test('setting the clock runs the work that was due meanwhile, at its due times', async () => {
  const project = await frozenProject(sandbox);
  const { now } = await clock(project);
  await failLater(sandbox, project);
  await put(project, { mode: 'frozen', now: new Date(Date.parse(now) + 3_600_000).toISOString() });
  await sandbox.control('GET', `/projects/${project}/callbacks?await=10s&state=inbox`);
  const [callback] = await callbacksOf(sandbox, project);
  expect(callback?.body.timestamp).toBe(new Date(Date.parse(now) + 200).toISOString());
});

describe('rejects', () => {
  test('setting the clock back by PUT or advance: 409 without a change', async () => {
    const project = freshProject();
    const now = '2040-06-01T00:00:00.000Z';
    await put(project, { mode: 'frozen', now });
    const earlier = '2040-05-31T23:59:59.999Z';
    for (const answer of [
      await put(project, { mode: 'frozen', now: earlier }),
      await advance(project, { to: earlier }),
    ]) {
      expect([answer.status, answer.body.message]).toEqual([
        409,
        `the clock only moves forward: it shows ${now}, got ${earlier}`,
      ]);
    }
    expect(await clock(project)).toEqual({ mode: 'frozen', now, pending: 0 });
    const unseen = freshProject();
    expect((await put(unseen, { mode: 'real', now: '2020-01-01T00:00:00Z' })).status).toBe(409);
    expect((await sandbox.control('GET', '/projects?limit=1000')).text).not.toContain(`"${unseen}"`);
  });

  test('an advance of a real clock: 409 with a remedy', async () => {
    const project = freshProject();
    const answer = await advance(project, { by: '1s' });
    expect([answer.status, answer.body.message]).toEqual([409, expect.stringContaining('freeze it first')]);
  });
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

describe('the latest time of a clock', () => {
  const latest = '9999-01-01T00:00:00.000Z';
  const tooLate = (path: string, got: string) => {
    const message = `must be at most ${latest}, the latest time of a clock; got ${got}`;
    return { status: 400, body: { message, errors: [{ path, message }] } };
  };

  test.each(['real', 'frozen'])('can be set, but no later time: %s', async (mode) => {
    const project = freshProject();
    for (const now of ['9999-01-01T00:00:00.001Z', '9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59-14:00']) {
      expect(await put(project, { mode, now })).toMatchObject(tooLate('/now', now));
    }
    expect((await put(project, { mode, now: latest })).status).toBe(200);
    expect(await put(project, { mode: 'frozen' })).toMatchObject({ status: 200 });
  });

  test('later timestamps are valid, and its recording can be replayed', async () => {
    const project = freshProject();
    await put(project, { mode: 'frozen', now: latest });
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
});
