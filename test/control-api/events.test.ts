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
  const sent: unknown[] = [];
  for (let n = 0; n < 4; n += 1) {
    const answer = await sandbox.api('POST', `/sync/projects/${project}/orders`, { orders: [{ id: `O-${n}` }] });
    sent.push(answer.headers['x-request-id']);
  }
  for (const reader of readers) {
    expect((await reader.take(4)).map(({ data }) => data['id'])).toEqual(sent);
    reader.leave();
  }
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
