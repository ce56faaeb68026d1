/** Server-sent events are resumed without loss, and end with the sandbox. flows/transcripts/events.txt has what they say. */
import { connect } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { shippedProfile } from '../../../src/openapi/profile/profile.ts';
import { type EventReader, readEvents, type SeenEvent } from '../../harness/event-reader.ts';
import { writeProfile } from '../../harness/profile.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { createTestWall } from '../../harness/wall.ts';
import { startWith } from '../data-steps.ts';
import { sendPipelined } from '../pipeline.ts';

const sandbox = useSandbox();
const wall = createTestWall(Date.parse('2026-03-02T09:30:00Z'));
const few = useSandbox({ profile: writeProfile({ limits: { project: { followers: 2 } } }) });
const timed = useSandbox({ clock: 'frozen' }, shippedProfile, wall);

/** Follows one project, or all; ends with the test. */
async function follow(project?: string, lastId?: string): Promise<EventReader> {
  const query = project === undefined ? '' : `?project=${project}`;
  return readEvents(`${sandbox.url()}/_sandbox/events${query}`, lastId);
}

const idsOf = (events: readonly SeenEvent[]) => events.map(({ id }) => id);

const geoJson = { type: 'Point', coordinates: [13.4, 52.5] };
const locate = async (project: string) => {
  const location = { deviceId: 'd', eventDateTime: '2026-03-02T09:30:00Z', geoJson };
  const response = await sandbox.api('POST', `/projects/${project}/locations`, location);
  expect(response.status).toBe(200);
  return response;
};

test('streams that are asked for in one packet stay within their limit', async () => {
  const socket = connect(Number(new URL(few.url()).port), '127.0.0.1');
  socket.write('GET /_sandbox/events?project=p HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(6));
  const refused = 'sandbox_refused_total{limit="followers"} 4';
  await expect.poll(async () => (await few.control('GET', '/metrics')).text).toContain(refused);
  socket.destroy();
});

test('many streams on one connection are no reason for a warning of Node', async () => {
  const warned = vi.fn();
  process.on('warning', warned);
  const socket = connect(Number(new URL(sandbox.url()).port), '127.0.0.1');
  socket.write('GET /_sandbox/events HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(12));
  await expect
    .poll(async () => (await sandbox.control('GET', '/metrics')).text)
    .toContain('sandbox_event_followers 12');
  socket.destroy();
  await expect.poll(async () => (await sandbox.control('GET', '/metrics')).text).toContain('sandbox_event_followers 0');
  process.off('warning', warned);
  expect(warned.mock.calls).toEqual([]);
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
});

test('more than fifty subscribers receive all events, each in order', async () => {
  const project = freshProject();
  const url = `${sandbox.url()}/_sandbox/events?project=${project}`;
  const readers = await Promise.all(Array.from({ length: 120 }, () => readEvents(url)));
  const send = (_: unknown, n: number) =>
    sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id: `O-${n}` }] });
  const answers = await Promise.all(Array.from({ length: 20 }, send));
  const sent = answers.map(({ headers }) => headers['x-request-id']);
  const received = await Promise.all(readers.map((reader) => reader.take(20)));
  const [first = [], ...others] = received.map((events) => events.map(({ data }) => data['id']));
  expect(first.toSorted()).toEqual(sent.toSorted());
  for (const other of others) expect(other).toEqual(first);
  for (const reader of readers) reader.leave();
});

test('a comment every 15 s keeps the connection alive', async () => {
  const reader = await readEvents(`${timed.url()}/_sandbox/events`);
  const report = async (): Promise<void> => {
    await timed.control('PUT', '/projects/p/scenarios', { scenarios: [] });
    await reader.take(1);
  };
  wall.pass(14_999);
  await report();
  expect(reader.comments).toEqual(['connected']);
  wall.pass(1);
  wall.pass(15_000);
  await report();
  expect(reader.comments).toEqual(['connected', 'keep-alive', 'keep-alive']);
  reader.leave();
});
