/** A project of the kit: scenarios, clock, records, journal, callbacks, reset. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Project, Recording, Scenario } from '../../../src/index.ts';
import { createFolder } from '../../harness/folder.ts';
import { importJobs, post, useKit } from '../kit.ts';

const sandbox = useKit();
const folder = createFolder();

async function frozenProject(): Promise<Project> {
  const project = sandbox().project();
  await project.clock.freeze();
  return project;
}

describe('useOnly', () => {
  const refusing: Scenario = { name: 'refusing', rules: [{ then: { refuse: 'written out' } }] };

  test('replaces the active scenarios by names, files and objects; without arguments, by none', async () => {
    const project = sandbox().project();
    const file = path.join(folder, 'from-file.yaml');
    writeFileSync(file, 'name: from-file\nrules:\n  - then: { refuse: from a file }\n');
    expect((await project.useOnly('outage')).scenarios).toEqual(['outage']);
    expect((await project.useOnly(file, refusing)).scenarios).toEqual(['from-file', 'refusing']);
    expect(await (await importJobs(project, 'J-1')).text()).toContain('from a file');
    expect((await project.useOnly()).scenarios).toEqual([]);
    expect(await (await importJobs(project, 'J-1')).text()).not.toContain('from a file');
  });

  test('every mistake is reported with its path in an object, or its line and column in a text', async () => {
    const project = sandbox().project();
    const unknown = project.use('outtage');
    await expect(unknown).rejects.toThrow('use: scenarios[0]: there is no scenario "outtage", did you mean outage?');
    await expect(unknown).rejects.toMatchObject({
      name: 'SandboxError',
      status: 400,
      code: 'invalid_request',
      violations: [{ path: 'scenarios[0]' }],
    });
    const bad = { name: 'bad', rules: [{ thn: {} }, { then: { refuse: 3 } }] } as unknown as Scenario;
    const both = project.use('outage', bad);
    await expect(both).rejects.toThrow('unknown key "thn", did you mean then?');
    await expect(both).rejects.toThrow('  scenarios[1].rules[1].then.refuse: ');
    await expect(both).rejects.toMatchObject({ violations: { length: 2 } });
    const yaml = 'name: text\nrules:\n  - then: { refuse: a text }\n';
    expect((await project.use(yaml)).scenarios).toEqual(['text']);
    expect(await (await importJobs(project, 'J-1')).text()).toContain('a text');
    const file = path.join(folder, 'bad.yaml');
    writeFileSync(file, yaml.replace('then', 'thn'));
    for (const [given, where] of [
      [yaml.replace('then', 'thn'), 'scenario'],
      [file, file],
    ] as const)
      await expect(project.use(given)).rejects.toThrow(`${where}:3:5  unknown key "thn", did you mean then?`);
  });
});

describe('the clock', () => {
  test('can be frozen, advanced by a duration or milliseconds, and resumed at a rate', async () => {
    const project = sandbox().project();
    expect((await project.clock.read()).mode).toBe('real');
    const at = new Date('2050-01-01T00:00:00Z');
    expect(await project.clock.freeze(at)).toEqual({ mode: 'frozen', now: at.toISOString(), pending: 0 });
    expect((await project.clock.advance('10s')).now).toBe('2050-01-01T00:00:10.000Z');
    expect((await project.clock.advance(500)).now).toBe('2050-01-01T00:00:10.500Z');
    expect((await project.clock.freeze('2050-01-02T00:00:00Z')).now).toBe('2050-01-02T00:00:00.000Z');
    expect(await project.clock.resume('20x')).toMatchObject({ mode: 'real', rate: 20 });
    expect(await project.clock.resume(0.5)).toMatchObject({ mode: 'real', rate: 0.5 });
    expect((await project.clock.resume()).rate).toBe(1);
  });
});

describe('records', () => {
  test('can be listed over all pages, filtered, and read one by one', async () => {
    const project = await frozenProject();
    const ids = Array.from({ length: 2100 }, (_, index) => `J-${index}`);
    await importJobs(project, ...ids);
    await project.clock.advance('idle');
    expect((await project.jobs.list()).map(({ id }) => id)).toEqual(ids);
    expect(await project.jobs.list({ status: 'NONE' })).toEqual([]);
    expect(await project.jobs.get('J-7')).toMatchObject({ id: 'J-7' });
    await expect(project.jobs.get('J/7?')).rejects.toThrow('this project has no job J/7?');
  });

  test('of the other collections can be read', async () => {
    const project = await frozenProject();
    const { url, id } = project;
    await post(url, `/async/projects/${id}/orders`, { orders: [{ id: 'O-1' }] });
    await post(url, `/async/projects/${id}/routes`, { routes: [{ id: 'R-1', jobs: [] }] });
    await project.clock.advance('idle');
    expect(await project.orders.list()).toMatchObject([{ id: 'O-1' }]);
    expect(await project.orders.get('O-1')).toMatchObject({ id: 'O-1' });
    expect((await project.routes.list()).map((route) => route.id)).toEqual(['R-1']);
    expect(await project.users.list()).toEqual([]);
    await expect(project.users.get('jo')).rejects.toThrow('this project has no user jo');
  });

  test("include a device's complete trail", async () => {
    const project = sandbox().project();
    const event = (index: number) => ({
      deviceId: 'van-7',
      eventDateTime: new Date(Date.UTC(2026, 2, 2) + index * 1000).toISOString(),
      geoJson: { type: 'Point', coordinates: [153, -27] },
    });
    for (const index of [0, 1, 2]) await post(project.url, `/projects/${project.id}/locations`, event(index));
    expect(await project.locations.list()).toMatchObject([{ deviceId: 'van-7' }]);
    const trail = await project.locations.get('van-7');
    expect(trail.deviceId).toBe('van-7');
    expect(trail.items).toHaveLength(3);
    expect(trail.next).toBeUndefined();
  });
});

test('requests and callbacks can be listed, filtered and read one by one', async () => {
  const project = await frozenProject();
  const answer = await importJobs(project, 'FAIL-1');
  await post(project.url, `/async/projects/${project.id}/jobs`, { jobs: 'none' });
  await project.clock.advance('idle');
  expect((await project.requests.list()).map(({ status }) => status)).toEqual([202, 400]);
  expect(await project.requests.list({ status: 400 })).toHaveLength(1);
  expect(await project.requests.list({ operation: 'asyncImportJobs', record: 'jobs/FAIL-1' })).toHaveLength(1);
  const id = answer.headers.get('x-request-id') ?? '';
  expect(await project.requests.get(id)).toMatchObject({ id, status: 202 });
  const [callback] = await project.callbacks.list({ state: 'inbox', type: 'jobs.import.failed' });
  expect(callback?.body.data.failed).toMatchObject([{ id: 'FAIL-1' }]);
  expect(await project.callbacks.get(callback?.id ?? '')).toMatchObject({ ...callback });
  expect(await project.callbacks.list({ state: 'delivered' })).toEqual([]);
  await expect(project.requests.list({ stauts: 400 } as object)).rejects.toThrow('did you mean status?');
});

test('requests that did not reach the project are listed only on request', async () => {
  const project = await frozenProject();
  await post(project.url, `/projects/${project.id}/nowhere`, {});
  expect(await project.requests.list()).toEqual([]);
  await expect(project.requests.waitFor({ timeout: 0 })).rejects.toThrow('1 request');
  expect((await project.requests.list({ strays: true })).map(({ status }) => status)).toEqual([404]);
  expect(await project.requests.waitFor({ strays: true, timeout: 0 })).toHaveLength(1);
});

test('a snapshot restores all records, and a reset deletes everything', async () => {
  const project = await frozenProject();
  await importJobs(project, 'J-1');
  await project.clock.advance('idle');
  const snapshot = await project.snapshot();
  expect(snapshot.jobs).toMatchObject([{ id: 'J-1' }]);
  await importJobs(project, 'J-2');
  expect(await project.reset()).toEqual({ cancelled: { instructions: 1, callbacks: 0 } });
  expect(await project.jobs.list()).toEqual([]);
  expect(await project.requests.list()).toEqual([]);
  expect((await project.restore(snapshot)).restored.jobs).toBe(1);
  expect(await project.jobs.list()).toMatchObject([{ id: 'J-1' }]);
  await expect(project.restore({ version: 2 } as never)).rejects.toThrow(/^restore: (.|\n)*version: /);
});

test.each(['north/1 ü', '..', '.'])('a project can have any id, such as %j', async (id) => {
  const [other, project] = [await frozenProject(), sandbox().project(id)];
  await importJobs(other, 'J-1');
  await project.clock.freeze();
  expect((await project.clock.read()).mode).toBe('frozen');
  expect((await project.send('asyncImportJobs', { jobs: [{ id: 'J-2' }] })).status).toBe(202);
  expect(await project.reset()).toEqual({ cancelled: { instructions: 1, callbacks: 0 } });
  expect(await other.requests.list()).toHaveLength(1);
  expect(sandbox().project().id).not.toBe(other.id);
});

describe('fork', () => {
  test('returns a project with a new or the given id, which goes on alone', async () => {
    const project = await frozenProject();
    await importJobs(project, 'J-1', 'FAIL-1');
    const fork = await project.fork();
    expect(fork).toMatchObject({ id: expect.stringMatching(/^test-/), url: project.url, apiKey: project.apiKey });
    expect(fork.id).not.toBe(project.id);
    await fork.clock.advance('idle');
    expect((await fork.jobs.list()).map(({ id }) => id)).toEqual(['J-1']);
    expect(await project.jobs.list()).toEqual([]);
    const named = await fork.fork(`${project.id}-named`);
    expect(named.id).toBe(`${project.id}-named`);
    expect(await named.callbacks.list()).toHaveLength(1);
  });

  test('copies the project as it was after a request', async () => {
    const project = await frozenProject();
    await importJobs(project, 'J-1');
    await importJobs(project, 'J-2');
    await project.clock.advance('idle');
    const [, second] = await project.requests.list();
    const fork = await project.fork(undefined, { atChange: second?.change ?? 0 });
    expect([await fork.jobs.list(), (await fork.clock.read()).pending]).toEqual([[], 2]);
  });

  test('fails with the reason', async () => {
    const project = await frozenProject();
    await expect(project.fork(project.id)).rejects.toMatchObject({ status: 409, violations: [{ path: 'to' }] });
    await expect(project.fork('', { atChange: 2 })).rejects.toMatchObject({ name: 'SandboxError', status: 400 });
    await expect(sandbox().project().fork()).rejects.toThrow('there is no project');
  });
});

test('recording returns what changed the project, complete and with its requests and callbacks', async () => {
  const project = await frozenProject();
  await importJobs(project, 'FAIL-1');
  await project.clock.advance('idle');
  const recording: Recording = await project.recording();
  expect(recording).toMatchObject({ recording: 1, project: project.id, complete: true });
  expect(recording.changes.map(({ kind }) => kind)).toEqual(['clock', 'request', 'callback', 'advance']);
});
