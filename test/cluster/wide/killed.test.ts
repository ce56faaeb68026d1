/** Lists and events at a replica while another one is killed. */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { readEvents } from '../../harness/event-reader.ts';
import { postgresIsMissing } from '../harness/postgres-binaries.ts';
import { type Replicas, startReplicas } from '../harness/replicas.ts';
import { useDatabase } from '../harness/use-postgres.ts';

describe.skipIf(postgresIsMissing)('a replica that is killed', () => {
  const database = useDatabase();
  let replicas: Replicas;

  beforeAll(async () => {
    const shared = { postgresUrl: database(), program: inject('program'), options: { SANDBOX_LOG: 'off' } };
    replicas = await startReplicas({ count: 2, ...shared });
  });
  afterAll(() => replicas?.stop());

  test('its projects stay in the list, and streams report that events may be missing', async () => {
    const [url = '', other = ''] = replicas.urls().map(({ origin }) => origin);
    const headers = { apikey: 'sandbox-key', 'content-type': 'application/json' };
    const body = JSON.stringify({ mode: 'frozen' });
    for (const [server, project] of [
      [url, 'here'],
      [other, 'there'],
    ] as const)
      await fetch(`${server}/_sandbox/projects/${project}/clock`, { method: 'PUT', headers, body });
    const reader = await readEvents(`${url}/_sandbox/events`);
    await fetch(`${other}/unknown`, { headers });
    expect((await reader.take(1))[0]?.kind).toBe('request');
    await replicas.all[1]?.kill();
    const listed = await fetch(`${url}/_sandbox/projects`);
    const { items } = (await listed.json()) as { items: { id: string; clock: { mode: string } }[] };
    expect(items.map(({ id, clock }) => [id, clock.mode])).toEqual([
      ['here', 'frozen'],
      ['there', 'frozen'],
    ]);
    const reset = await fetch(`${url}/_sandbox/reset`, { method: 'POST' });
    expect(await reset.json()).toMatchObject({ projects: 2 });
    const seen = await reader.take(2);
    expect(seen.map(({ kind }) => kind).toSorted()).toEqual(['change', 'gap']);
    reader.leave();
  });
});
