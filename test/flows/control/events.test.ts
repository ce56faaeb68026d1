/** Server-sent events: requests, callbacks and changes in their order, by project, resumed without loss, ended with the sandbox. */
import { describe, expect, test } from 'vitest';
import { type EventReader, readEvents, type SeenEvent } from '../../harness/event-reader.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { failLater, frozenProject, onlyCallback } from '../callbacks/steps.ts';
import { startWith } from '../data-steps.ts';
import { sendPipelined } from '../pipeline.ts';

const sandbox = useSandbox();

/** Follows one project, or all; ends with the test. */
async function follow(project?: string, lastId?: string): Promise<EventReader> {
  const query = project === undefined ? '' : `?project=${project}`;
  return readEvents(`${sandbox.url()}/_sandbox/events${query}`, lastId);
}

const idsOf = (events: readonly SeenEvent[]) => events.map(({ id }) => id);
const toWhat = ({ data }: SeenEvent) => [data['what'], data['project']];

/** A request that changes nothing but the journal: no such path, so it is of no project. */
const astray = () => sandbox.api('GET', '/nowhere');
const geoJson = { type: 'Point', coordinates: [13.4, 52.5] };
const locate = async (project: string) => {
  const location = { deviceId: 'd', eventDateTime: '2026-03-02T09:30:00Z', geoJson };
  const response = await sandbox.api('POST', `/projects/${project}/locations`, location);
  expect(response.status).toBe(200);
  return response;
};

test('a request, an advance and its callback are sent as events in their order', async () => {
  const project = await frozenProject(sandbox);
  const events = await follow(project);
  const requestId = await failLater(sandbox, project);
  await sandbox.advance(project);
  const callback = await onlyCallback(sandbox, project);
  const [request, scheduled, inbox, clock] = await events.take(4);
  events.leave();
  const listed = (await sandbox.items(project, 'requests'))[0];
  expect(request).toMatchObject({ kind: 'request', data: { id: requestId } });
  expect(request?.data).toEqual({
    id: requestId,
    at: listed?.['at'],
    project,
    operation: 'asyncImportJobs',
    method: 'POST',
    path: `/async/projects/${project}/jobs`,
    status: 202,
    durationMs: listed?.['durationMs'],
    change: 2,
    warnings: 0,
    accepted: 1,
    refused: 0,
    rules: 1,
    scenarios: ['magic-ids'],
    ids: ['FAIL-1'],
    idCount: 1,
    fault: null,
  });
  const told = { id: callback.id, project, type: 'jobs.import.failed', requestId, failed: 1, dueAt: callback.dueAt };
  expect(scheduled).toMatchObject({ kind: 'callback', data: { ...told, state: 'scheduled', attempts: 0 } });
  expect(inbox).toMatchObject({ kind: 'callback', data: { ...told, state: 'inbox', attempts: 1 } });
  expect(clock).toMatchObject({ kind: 'change', data: { what: 'clock', project } });
});

test('an event counts warnings, omits the query and truncates a long path', async () => {
  const project = freshProject();
  const events = await follow();
  await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'J-1', colour: 'red' }] });
  await sandbox.api('GET', '/nowhere?apikey=sandbox-key');
  await sandbox.api('GET', `/${'x'.repeat(5000)}`);
  const [warned, queried, long] = await events.take(3);
  events.leave();
  expect(warned?.data).toMatchObject({ project, warnings: 1, status: 202 });
  expect(queried?.data).toMatchObject({ path: '/nowhere', status: 404 });
  expect(long?.data).toMatchObject({ project: null, operation: null, status: 404, rules: 0 });
  expect(String(long?.data['path'])).toHaveLength(300);
});

test('a subscriber of one project gets its events and those of all projects, but no others', async () => {
  const [own, other] = [freshProject(), freshProject()];
  const all = await follow();
  const events = await follow(own);
  await locate(other);
  await astray();
  await locate(own);
  const text = 'name: heard\nrules:\n  - then: { respond: { status: 503 } }\n';
  const put = await sandbox.control('PUT', '/scenarios/heard', text, { 'content-type': 'application/yaml' });
  expect(put.status).toBe(200);
  expect((await all.take(4)).map(({ data }) => data['project'])).toEqual([other, null, own, null]);
  const heard = await events.take(2);
  expect(heard.map(({ kind, data }) => [kind, data['project']])).toEqual([
    ['request', own],
    ['change', null],
  ]);
  all.leave();
  events.leave();
});

test('hints about later changes are sent only to subscribers that ask for them', async () => {
  const project = await frozenProject(sandbox);
  const [plain, hinted] = await Promise.all(
    ['', '&records=true'].map((more) => readEvents(`${sandbox.url()}/_sandbox/events?project=${project}${more}`)),
  );
  await sandbox.api('POST', `/async/projects/${project}/jobs`, { jobs: [{ id: 'J-1' }] });
  await sandbox.advance(project);
  const kinds = async (events: EventReader | undefined, count: number) =>
    (await (events ?? expect.fail('no events')).take(count)).map(({ kind }) => kind);
  expect(await kinds(hinted, 3)).toEqual(['request', 'records', 'change']);
  expect(await kinds(plain, 2)).toEqual(['request', 'change']);
  plain?.leave();
  hinted?.leave();
});

test('every change through the control API sends an event only after it succeeded', async () => {
  const project = freshProject();
  const events = await follow(project);
  const at = `/projects/${project}`;
  const inline = { name: 'inline', rules: [{ then: { latency: '1ms' } }] };
  const snapshot = (await sandbox.control('GET', `${at}/snapshot`)).body;
  const steps = [
    ['PUT', `${at}/clock`, { mode: 'frozen' }, 'clock'],
    ['PUT', `${at}/clock`, { mode: 'frozen', now: '2001-01-01T00:00:00Z' }, undefined],
    ['POST', `${at}/clock/advance`, { by: '1s' }, 'clock'],
    ['PUT', `${at}/scenarios`, { scenarios: ['outage'] }, 'scenarios'],
    ['PUT', `${at}/scenarios`, { scenarios: ['no-such'] }, undefined],
    ['PUT', `${at}/callback-endpoint`, { url: 'http://127.0.0.1:9/' }, 'callback-endpoint'],
    ['PUT', `${at}/callback-endpoint`, { url: 'http://169.254.169.254/' }, undefined],
    ['DELETE', `${at}/callback-endpoint`, undefined, 'callback-endpoint'],
    ['PUT', `${at}/snapshot`, snapshot, 'snapshot'],
    ['PUT', '/scenarios/inline', inline, 'library'],
    ['DELETE', '/scenarios/inline', undefined, 'library'],
    ['DELETE', '/scenarios/inline', undefined, undefined],
    ['POST', `${at}/reset`, undefined, 'reset'],
    ['POST', '/reset', undefined, 'reset'],
  ] as const;
  for (const [method, path, body, what] of steps) {
    const { status } = await sandbox.control(method, path, body);
    expect([method, path, status < 300]).toEqual([method, path, what !== undefined]);
  }
  const wanted = steps.flatMap(([, path, , what]) => (what ? [[what, path.startsWith(at) ? project : null]] : []));
  expect((await events.take(wanted.length)).map(toWhat)).toEqual(wanted);
  events.leave();
});

describe('a subscriber that reconnects', () => {
  test('misses no event and gets none twice', async () => {
    const project = freshProject();
    const seen: string[] = [];
    const sent: unknown[] = [];
    const send = async (count: number) => {
      for (let one = 0; one < count; one += 1) sent.push((await locate(project)).headers['x-request-id']);
    };
    let lastId: string | undefined;
    // How many requests it hears of at once, and how many come while it is away.
    const waves = [0, 1, 3].flatMap((heard) => [1, 0, 3].map((missed) => [heard, missed] as const));
    for (const [heard, missed] of [...waves, [0, 0] as const]) {
      const behind = sent.length - seen.length;
      const events = await follow(project, lastId);
      await send(heard);
      seen.push(...(await events.take(behind + heard)).map(({ data }) => String(data['id'])));
      lastId = events.lastId() ?? lastId;
      events.leave();
      await send(missed);
    }
    expect(seen).toEqual(sent);
  });

  test('with the id of the first line gets all later events', async () => {
    const project = freshProject();
    const before = await follow(project);
    const lastId = before.lastId();
    before.leave();
    await locate(project);
    const after = await follow(project, lastId);
    expect((await after.take(1))[0]).toMatchObject({ kind: 'request', data: { project } });
    after.leave();
  });

  test('gets a request of a project that was reset meanwhile', async () => {
    const project = freshProject();
    const lone = await follow(freshProject());
    const id = (await locate(project)).headers['x-request-id'];
    await sandbox.control('POST', `/projects/${project}/reset`);
    // Its first request has the id of that before the reset.
    expect((await locate(project)).headers['x-request-id']).toBe(id);
    const after = await follow(project, lone.lastId());
    const [lost, reset, first] = await after.take(3);
    expect(lost?.data).toMatchObject({ id, status: 200, rules: 0, idCount: 1 });
    expect(reset?.data['what']).toBe('reset');
    expect(first?.data).toMatchObject({ id, rules: 0 });
    lone.leave();
    after.leave();
  });

  test.each(['', 'nonsense', 'abc-1', '-1', '0-0'])('gets a gap for the foreign id %j', async (foreign) => {
    const project = freshProject();
    await locate(project);
    const events = await follow(project, foreign);
    await locate(project);
    const [first] = await events.take(1);
    if (foreign === '') {
      expect(first).toMatchObject({ kind: 'request' });
    } else {
      expect(first).toMatchObject({ kind: 'gap', data: { reason: expect.stringContaining('restarted') } });
      // All that is kept follows, with the changes of all projects.
      let [next] = await events.take(1);
      while (next?.data['project'] === null) [next] = await events.take(1);
      expect(next).toMatchObject({ kind: 'request', data: { project } });
    }
    events.leave();
  });

  test('with an id that is too old gets a gap, then the latest thousand events', async () => {
    const project = freshProject();
    const before = await follow(project);
    const lastId = before.lastId();
    before.leave();
    const astrays = Array.from({ length: 1001 }, () => ({ method: 'GET', path: '/nowhere' }));
    expect(await sendPipelined(sandbox.url(), astrays)).toHaveLength(1001);
    const after = await follow(undefined, lastId);
    const [gap, ...kept] = await after.take(1001);
    after.leave();
    expect(gap).toMatchObject({ kind: 'gap', data: { reason: expect.stringContaining('latest 1,000') } });
    expect(new Set(idsOf(kept)).size).toBe(1000);
    const numbers = kept.map(({ id }) => Number(id.split('-')[1]));
    expect(numbers).toEqual(numbers.map((_number, index) => (numbers[0] ?? 0) + index));
    // Who comes back with the gap's id has seen all that is kept.
    const again = await follow(undefined, gap?.id);
    expect(idsOf(await again.take(1000))).toEqual(idsOf(kept));
    again.leave();
  });
});

describe('the sandbox', () => {
  test('ends all streams when it closes, without waiting for them', async () => {
    const own = await startWith();
    const readers = await Promise.all([1, 2, 3].map(() => readEvents(`${own.sandbox.url}/_sandbox/events`)));
    await own.close();
    expect(await Promise.all(readers.map(({ ended }) => ended))).toEqual([[], [], []]);
  });

  test('does not know event ids of an earlier process', async () => {
    const before = await startWith();
    const reader = await readEvents(`${before.sandbox.url}/_sandbox/events`);
    const lastId = reader.lastId();
    await before.close();
    const after = await startWith();
    const again = await readEvents(`${after.sandbox.url}/_sandbox/events`, lastId);
    expect((await again.take(1))[0]?.kind).toBe('gap');
    await after.close();
  });

  test('requires the admin token for events too', async () => {
    const own = await startWith({ adminToken: 'secret-token' });
    expect((await own.control('GET', '/events', undefined, { apikey: '' })).status).toBe(401);
    await own.close();
  });

  test('rejects an empty project name', async () => {
    expect((await sandbox.control('GET', '/events?project=')).status).toBe(400);
  });
});
