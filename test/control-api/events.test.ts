/** Streams of events: many subscribers, keep-alive comments, and the end of the server. */
import { expect, test } from 'vitest';
import { shippedProfile } from '../../src/openapi/profile/profile.ts';
import { readEvents } from '../harness/event-reader.ts';
import { freshProject, useSandbox } from '../harness/sandbox.ts';
import { createTestWall } from '../harness/wall.ts';

const sandbox = useSandbox();
const wall = createTestWall(Date.parse('2026-03-02T09:30:00Z'));
const timed = useSandbox({ clock: 'frozen' }, shippedProfile, wall);

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
