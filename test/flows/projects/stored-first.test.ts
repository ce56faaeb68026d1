/**
 * With `--data` on a slow disk: no response and no event of a request leaves before its change is stored. Callbacks wait only
 * in a database, see test/cluster/stored-first.test.ts: one server that ends too early sends them again with their ids.
 */
import { expect, test } from 'vitest';
import { type EventReader, readEvents } from '../../harness/event-reader.ts';
import { useHeldWrites } from '../../harness/held-writes.ts';
import { type KeptSandbox, useFolders } from '../data-steps.ts';

const { fresh, start } = useFolders();
const writes = useHeldWrites();
const jobs = (...ids: readonly string[]) => ({ jobs: ids.map((id) => ({ id })) });

/** A project that is stored, with its events from now on. */
async function begin(): Promise<{ readonly kept: KeptSandbox; readonly events: EventReader }> {
  const kept = await start(fresh());
  await kept.api('POST', '/sync/projects/p/jobs/batch', jobs('FIRST'));
  return { kept, events: await readEvents(`${kept.sandbox.url}/_sandbox/events`) };
}

/** Remembers which of the promises have resolved, in their order. */
function watch(promises: Readonly<Record<string, Promise<unknown>>>): readonly string[] {
  const done: string[] = [];
  for (const [name, promise] of Object.entries(promises)) void promise.then(() => done.push(name));
  return done;
}

/** Gives the sandbox the time to send what it would send too early. */
async function giveTime({ control }: KeptSandbox): Promise<void> {
  await writes.reached();
  for (let n = 0; n < 10; n += 1) expect((await control('GET', '/health')).status).toBe(200);
}

test.each([
  ['synchronous', '/sync/projects/p/jobs/batch', 200],
  ['asynchronous', '/async/projects/p/jobs', 202],
])('the responses and events of %s requests, in their order', async (_, path, status) => {
  const { kept, events } = await begin();
  const event = events.take(1);
  const seen = watch({ event });
  writes.hold();
  const sent = { first: kept.api('POST', path, jobs('A')), second: kept.api('POST', path, jobs('B')) };
  const answered = watch(sent);
  await giveTime(kept);
  expect([answered, seen]).toEqual([[], []]);
  expect((await kept.control('GET', '/requests')).body.items).toHaveLength(1);
  writes.release();
  const answers = await Promise.all(Object.values(sent));
  expect(answers.map((answer) => answer.status)).toEqual([status, status]);
  const { items } = (await kept.control('GET', '/projects/p/requests')).body;
  const ids = items.map(({ id }: { id: string }) => id);
  expect(items.map(({ change }: { change: number }) => change)).toEqual([1, 2, 3]);
  expect([...(await event), ...(await events.take(1))].map(({ data }) => data['id'])).toEqual(ids.slice(1));
});

test('the first request of a project, whose file is created', async () => {
  const { kept } = await begin();
  writes.hold();
  const sent = kept.api('POST', '/sync/projects/new/jobs/batch', jobs('A'));
  const answered = watch({ sent });
  await giveTime(kept);
  expect(answered).toEqual([]);
  writes.release();
  expect((await sent).status).toBe(200);
});

test('a change through the control API', async () => {
  const { kept, events } = await begin();
  const seen = watch({ event: events.take(1) });
  writes.hold();
  const sent = kept.control('PUT', '/projects/p/clock', { mode: 'frozen', now: '2099-01-01T00:00:00Z' });
  const answered = watch({ sent });
  await giveTime(kept);
  expect([answered, seen]).toEqual([[], []]);
  writes.release();
  expect((await sent).status).toBe(200);
});
