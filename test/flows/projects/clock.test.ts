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

test('a frozen clock can be set to any later time, in any offset', async () => {
  const project = freshProject();
  const { body } = await put(project, { mode: 'frozen', now: '2040-06-01T10:00:00+10:00' });
  expect(body.now).toBe('2040-06-01T00:00:00.000Z');
  expect((await put(project, { mode: 'frozen', now: '2040-06-01T00:00:00Z' })).status).toBe(200);
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

  test.each([
    [{}, ''],
    [{ by: '1s', until: 'idle' }, ''],
    [{ by: '10 minutes' }, '/by'],
    [{ by: '-1s' }, '/by'],
    [{ by: 5 }, '/by'],
    [{ to: 'tomorrow' }, '/to'],
    [{ to: '2040-01-01T00:00:00' }, '/to'],
    [{ until: 'idel' }, '/until'],
    [{ by: '1s', then: 'stop' }, ''],
  ])('advance %j', async (body, path) => {
    const project = await frozenProject(sandbox);
    const before = await clock(project);
    const answer = await advance(project, body);
    expect(answer.status).toBe(400);
    expect(answer.body.errors.map((error: { path: string }) => error.path)).toContainEqual(
      expect.stringContaining(path),
    );
    expect(await clock(project)).toEqual(before);
  });

  test.each([
    [{}, '/mode'],
    [{ mode: 'paused' }, '/mode'],
    [{ mode: 'frozen', now: '2040-02-30T00:00:00Z' }, '/now'],
    [{ mode: 'frozen', at: 1 }, '/at'],
  ])('PUT %j', async (body, path) => {
    const answer = await put(freshProject(), body);
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ path }] } });
  });
});

describe('advance', () => {
  test('ends exactly at the given duration or time', async () => {
    const project = freshProject();
    await put(project, { mode: 'frozen', now: '2040-06-01T00:00:00Z' });
    expect((await advance(project, { by: '1.5m' })).body.now).toBe('2040-06-01T00:01:30.000Z');
    const to = await advance(project, { to: '2040-06-01T12:00:00+02:00' });
    expect(to.body).toEqual({ now: '2040-06-01T10:00:00.000Z', processed: 0, delivered: 0, pending: 0 });
    expect((await advance(project, { by: '0s' })).body.now).toBe('2040-06-01T10:00:00.000Z');
  });

  test('runs what is due at its very end, and nothing later', async () => {
    const project = await frozenProject(sandbox);
    await failLater(sandbox, project);
    expect((await advance(project, { by: '199ms' })).body).toMatchObject({ processed: 0, pending: 1 });
    expect((await advance(project, { by: '1ms' })).body).toMatchObject({ processed: 1, delivered: 1, pending: 0 });
  });

  test('until idle stops at the last due work, and does not move without any', async () => {
    const project = await frozenProject(sandbox);
    const { now } = await clock(project);
    expect((await advance(project, { until: 'idle' })).body.now).toBe(now);
    await failLater(sandbox, project, 'LATE-1');
    await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'A' }] });
    const done = (await advance(project, { until: 'idle' })).body;
    expect(done).toMatchObject({ delivered: 1, pending: 0 });
    expect(done.processed).toBeGreaterThanOrEqual(2);
    expect((await callbacksOf(sandbox, project))[0]?.dueAt).toBe(done.now);
  });

  test('until idle moves at most one day', async () => {
    const project = await frozenProject(sandbox);
    const then = { fail: 'much later', after: '2d' };
    const scenario = { name: 'later', rules: [{ when: { operation: 'asyncImportJobs' }, then }] };
    await sandbox.control('PUT', `/projects/${project}/scenarios`, { scenarios: [scenario] });
    await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'A' }] });
    expect((await advance(project, { until: 'idle' })).body).toMatchObject({ delivered: 0, pending: 1 });
    expect((await advance(project, { by: '3d' })).body).toMatchObject({ processed: 1, delivered: 1, pending: 0 });
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

  test('is the limit of every advance', async () => {
    const project = freshProject();
    await put(project, { mode: 'frozen', now: '9998-12-31T23:59:00Z' });
    const now = '9998-12-31T23:59:00.000Z';
    expect((await advance(project, { by: '99999999d' })).body).toEqual({
      message: 'must be at most 36500d, got 99999999d',
      errors: [{ path: '/by', message: 'must be at most 36500d, got 99999999d' }],
    });
    expect(await advance(project, { by: '1d' })).toMatchObject(tooLate('/by', `1d after ${now}`));
    const to = '9999-06-01T00:00:00Z';
    expect(await advance(project, { to })).toMatchObject(tooLate('/to', to));
    expect((await clock(project)).now).toBe(now);
    expect((await advance(project, { by: '1m' })).body.now).toBe(latest);
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
