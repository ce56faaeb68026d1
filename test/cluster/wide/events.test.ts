/** Streams of events at any replica, while replicas come and go and projects move. */
import { describe, expect, test } from 'vitest';
import { type EventReader, readEvents } from '../../harness/event-reader.ts';
import { postgresIsMissing } from '../harness/postgres-binaries.ts';
import { useDatabase } from '../harness/use-postgres.ts';
import { importDone, type TestReplica, useReplicas } from './replicas.ts';

describe.skipIf(postgresIsMissing)('events', () => {
  const start = useReplicas(useDatabase());
  const follow = ({ url }: TestReplica, query = '', lastId?: string): Promise<EventReader> =>
    readEvents(`${url}/_sandbox/events${query}`, lastId);

  async function takePaths(reader: EventReader, count: number): Promise<readonly unknown[]> {
    return (await reader.take(count)).map(({ kind, data }) => (kind === 'request' ? data['path'] : kind));
  }

  test('a stream has the events of all replicas, once each', async () => {
    const replicas = [await start(), await start(), await start()] as const;
    const [one, two, three] = replicas;
    const readers = await Promise.all(replicas.map((replica) => follow(replica)));
    for (const [index, replica] of replicas.entries()) await replica.api('GET', `/from-${index}`);
    await two.control('POST', '/reset');
    await three.control('PUT', '/server-scenarios', { scenarios: [] });
    for (const reader of readers) {
      const seen = await reader.take(5);
      const requests = seen.filter(({ kind }) => kind === 'request').map(({ data }) => data['path']);
      expect(requests.sort()).toEqual(['/from-0', '/from-1', '/from-2']);
      const changes = seen.filter(({ kind }) => kind === 'change').map(({ data }) => data);
      expect(changes).toEqual(
        expect.arrayContaining([
          { project: null, what: 'reset' },
          { project: null, what: 'scenarios' },
        ]),
      );
      expect(new Set(seen.map(({ id }) => id)).size).toBe(5);
    }
    await one.api('GET', '/last');
    for (const reader of readers) expect(await takePaths(reader, 1)).toEqual(['/last']);
    for (const reader of readers) reader.leave();
  });

  test('an id of a replica that has ended gives a gap, and then all that is stored', async () => {
    const [one, two] = [await start(), await start()];
    await one.api('GET', '/a');
    const first = await follow(two);
    const lastId = first.lastId();
    first.leave();
    await one.close();
    await two.api('GET', '/b');
    const second = await follow(two, '', lastId);
    const [gap, event] = await second.take(2);
    expect(gap).toMatchObject({ kind: 'gap', data: { reason: expect.stringContaining('ended') } });
    expect(event?.data['path']).toBe('/b');
    second.leave();
  });

  test('a stream goes on while a replica ends as asked and another one joins', async () => {
    const [one, two] = [await start(), await start()];
    const reader = await follow(one);
    await two.api('GET', '/a');
    await two.close();
    const three = await start();
    await three.api('GET', '/b');
    expect(await takePaths(reader, 2)).toEqual(['/a', '/b']);
    reader.leave();
  });

  test('a stream of one project goes on when the project moves, and has changes of all', async () => {
    const [one, two, three] = [await start(), await start(), await start()];
    await importDone(one, 'mine', 'J-1');
    const reader = await follow(three, '?project=mine');
    await one.control('PUT', '/projects/other/clock', { mode: 'frozen' });
    await one.control('PUT', '/projects/mine/clock', { mode: 'frozen' });
    await one.close();
    await two.control('PUT', '/projects/mine/scenarios', { scenarios: [] });
    await two.control('POST', '/reset');
    const seen = await reader.take(3);
    expect(seen.map(({ data }) => data)).toEqual([
      { project: 'mine', what: 'clock' },
      { project: 'mine', what: 'scenarios' },
      { project: null, what: 'reset' },
    ]);
    reader.leave();
  });
});
