/** A callback that is triggered: without a request, and otherwise like any other. */
import { describe, expect, test } from 'vitest';
import { writeProfile } from '../../harness/profile.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { freshProject, type TestSandbox, useSandbox } from '../../harness/sandbox.ts';
import { useFolders } from '../data-steps.ts';
import { replayProject } from '../replay-steps.ts';
import { useRules, verify } from './disturbance-steps.ts';
import { callbacksOf, failLater, frozenProject, onlyCallback, waits } from './steps.ts';

const sandbox = useSandbox({ clock: '2026-03-02T09:30:00Z' });
const receiver = useReceiver();
const folders = useFolders();

const type = 'jobs.import.failed';
const trigger = (project: string, body: object, client: TestSandbox = sandbox, headers: Record<string, string> = {}) =>
  client.control('POST', `/projects/${project}/callbacks`, body, headers);
const ofRecords = async (project: string) => (await sandbox.control('GET', `/projects/${project}/snapshot`)).body;

describe('a triggered callback', () => {
  test('reports the given entries, signed, and changes no record and no request', async () => {
    const project = await frozenProject(sandbox, receiver.url());
    await failLater(sandbox, project);
    await sandbox.advance(project);
    const before = await ofRecords(project);
    const failed = [{ id: 'ORD-1', reason: 'No such street' }, { id: 'ORD-2' }];
    const { status, body } = await trigger(project, { type, failed, operation: 'asyncImportJobsInSubproject' });
    expect(status).toBe(201);
    expect(body).toMatchObject({ type, state: 'scheduled', operation: 'asyncImportJobsInSubproject', triggered: true });
    await sandbox.advance(project);
    const got = receiver.received.at(-1) ?? expect.fail('nothing came');
    expect(JSON.parse(got.body)).toEqual({
      type,
      timestamp: body.body.timestamp,
      data: {
        projectId: project,
        operation: 'asyncImportJobsInSubproject',
        requestId: body.requestId,
        failed: [failed[0], { id: 'ORD-2', reason: 'Address could not be geocoded' }],
      },
    });
    expect([verify(got), got.headers['webhook-id']]).toEqual(['verified', body.id]);
    expect(await ofRecords(project)).toEqual(before);
    expect(await sandbox.items(project, 'requests')).toHaveLength(1);
    const listed = await sandbox.control('GET', `/projects/${project}/callbacks?triggered=true&view=rows`);
    expect(listed.body.items).toMatchObject([
      { id: body.id, state: 'delivered', triggered: true, ids: ['ORD-1', 'ORD-2'] },
    ]);
    const others = await sandbox.control('GET', `/projects/${project}/callbacks?triggered=false`);
    expect(others.body.items).toMatchObject([{ type, state: 'delivered' }]);
  });

  test('takes fields of `data`, beside the others or in their place', async () => {
    const project = await frozenProject(sandbox, receiver.url());
    const data = { subProjectId: 'north', failed: null, more: { nested: [1] } };
    const { body } = await trigger(project, { type, data });
    await sandbox.advance(project);
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toEqual(body.body);
    expect(body.body.data).toMatchObject({ projectId: project, operation: 'asyncImportJobs', ...data });
  });

  test.each([
    ['invalid', 'No matching signature found'],
    ['missing', 'Missing required headers'],
    ['stale', 'Message timestamp too old'],
  ])('forged as %s, a receiver refuses it at each attempt', async (forge, reason) => {
    receiver.answer(401, 401);
    const project = await frozenProject(sandbox, receiver.url());
    await trigger(project, { type, forge });
    await sandbox.advance(project, '5s');
    expect(receiver.received.map((one) => verify(one))).toEqual([reason, reason]);
  });

  test('is sent as often as `copies` says, with one id', async () => {
    const project = await frozenProject(sandbox, receiver.url());
    const { body } = await trigger(project, { type, copies: 3 });
    await sandbox.advance(project);
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([body.id, body.id, body.id]);
    const { attempts } = await onlyCallback(sandbox, project);
    expect(attempts.map(({ cause }) => cause)).toEqual(['schedule', 'copy', 'copy']);
  });

  test('is retried on the clock of its project, and ends with a reset', async () => {
    receiver.answer(500, 500);
    const project = await frozenProject(sandbox, receiver.url());
    await trigger(project, { type });
    await sandbox.advance(project, '34s');
    expect(await onlyCallback(sandbox, project)).toMatchObject({ state: 'scheduled', attempts: [{}, {}] });
    await sandbox.advance(project, '1s');
    expect(waits(await onlyCallback(sandbox, project))).toEqual([5, 30]);
    const { body } = await trigger(project, { type });
    expect((await sandbox.control('POST', `/projects/${project}/reset`)).status).toBe(200);
    expect(await callbacksOf(sandbox, project)).toEqual([]);
    await sandbox.freeze(project);
    expect((await trigger(project, { type })).body.id).not.toBe(body.id);
  });

  test('is disturbed by no scenario', async () => {
    const project = await frozenProject(sandbox, receiver.url());
    await useRules(sandbox, project, [{ then: { callback: { drop: true } } }]);
    await trigger(project, { type });
    await sandbox.advance(project);
    expect(await onlyCallback(sandbox, project)).toMatchObject({ state: 'delivered' });
    const { rules } = (await sandbox.control('GET', `/projects/${project}/scenarios`)).body;
    expect(rules[0]).toMatchObject({ scenario: 'disturbed', met: 0 });
  });

  test('has the same id in each run, and another than the callbacks before and after it', async () => {
    const project = freshProject();
    const run = async () => {
      await sandbox.freeze(project);
      const ids: string[] = [];
      for (const of of [type, 'jobs.update.failed', type]) ids.push((await trigger(project, { type: of })).body.id);
      await sandbox.control('POST', `/projects/${project}/reset`);
      return ids;
    };
    const first = await run();
    expect(new Set(first).size).toBe(3);
    expect(await run()).toEqual(first);
  });

  test('is a change of the recording, which replays it byte for byte', async () => {
    const project = await frozenProject(sandbox, receiver.url());
    await trigger(project, { type, failed: [{ id: 'A' }], data: { more: 1 }, forge: 'stale', copies: 2 });
    await failLater(sandbox, project);
    await sandbox.advance(project);
    const { body } = await sandbox.control('GET', `/projects/${project}/recording`);
    const kinds = body.changes.map(({ kind }: { kind: string }) => kind);
    expect(kinds.slice(2)).toEqual(['trigger', 'callback', 'request', 'callback', 'advance']);
    expect(await replayProject(sandbox, project)).toEqual({ requests: 1, callbacks: 2, differences: [] });
    const fork = `${project}-fork`;
    await sandbox.control('POST', `/projects/${project}/fork`, { to: fork, atChange: 4 });
    expect(await onlyCallback(sandbox, fork)).toMatchObject({ triggered: true, body: { data: { more: 1 } } });
  });

  test('is still sent after a restart with --data', async () => {
    const folder = folders.fresh();
    const first = await folders.start(folder);
    const path = '/projects/kept/callbacks';
    await first.control('PUT', '/projects/kept/clock', { mode: 'frozen' });
    await first.control('PUT', '/projects/kept/callback-endpoint', { url: receiver.url() });
    receiver.answer(500);
    const { body } = await first.control('POST', path, { type, forge: 'missing', data: { more: 1 } });
    await first.control('POST', '/projects/kept/clock/advance', { by: '1s' });
    await first.close();
    const second = await folders.start(folder);
    await second.control('POST', '/projects/kept/clock/advance', { until: 'idle' });
    const [sent, again] = receiver.received.map((one) => [verify(one), one.body]);
    expect(again).toEqual(sent);
    expect((await second.control('GET', `${path}/${body.id}`)).body).toMatchObject({
      state: 'delivered',
      triggered: true,
    });
    const next = (await second.control('POST', path, { type })).body;
    expect(next.id).not.toBe(body.id);
    await second.close();
  });
});

describe('under other options', () => {
  const adminToken = 'let-me-in';
  const guarded = useSandbox({ adminToken, apiKeys: ['sandbox-key', 'acme-key=acme'] });
  const small = useSandbox({ profile: writeProfile({ limits: { project: { pending: 2 } } }) });

  test('a key of projects triggers callbacks of these only, and a key of all of none', async () => {
    const at = async (project: string, headers: Record<string, string>) =>
      (await trigger(project, { type }, guarded, headers)).status;
    expect(await at('acme', { apikey: 'acme-key' })).toBe(201);
    expect(await at('other', { apikey: 'acme-key' })).toBe(403);
    expect(await at('acme', { apikey: 'sandbox-key' })).toBe(403);
    expect(await at('acme', {})).toBe(401);
    expect(await at('other', { authorization: `Bearer ${adminToken}` })).toBe(201);
  });

  test('a project with as much pending work as it may have gets no further callback', async () => {
    const project = freshProject();
    await small.freeze(project);
    await small.control('PUT', `/projects/${project}/callback-endpoint`, { url: receiver.url() });
    expect((await trigger(project, { type, copies: 3 }, small)).status).toBe(507);
    expect((await trigger(project, { type, copies: 2 }, small)).status).toBe(201);
    expect(await small.items(project, 'callbacks')).toHaveLength(1);
  });
});
