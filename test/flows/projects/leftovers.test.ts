/** A reset ends all that is under way: no timer, socket or promise of the old world is left. */
import { type Agent, request } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type RunningSandbox, startSandbox } from '../../../src/server.ts';
import { useReceiver } from '../../harness/receiver.ts';
import { createTestWall, type TestWall } from '../../harness/wall.ts';
import { startWith } from '../data-steps.ts';

const receiver = useReceiver();
let wall: TestWall;
let sandbox: RunningSandbox;

beforeEach(async () => {
  wall = createTestWall(Date.parse('2026-03-02T09:00:00Z'));
  ({ sandbox } = await startWith({}, wall, startSandbox));
});
afterEach(() => sandbox.close());

async function control(method: string, path: string, body?: unknown) {
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  const answer = await fetch(`${sandbox.url}/_sandbox${path}`, { method, headers, body: JSON.stringify(body) });
  return (await answer.json()) as Record<string, unknown>;
}

/** Sends a request on a connection of its own; resolves when that has gone, with the status if there was one. */
function send(path: string, body: unknown): Promise<number | 'none'> {
  const headers = { apikey: 'sandbox-key', 'content-type': 'application/json' };
  const sending = request(sandbox.url + path, { method: 'POST', headers, agent: false as unknown as Agent });
  sending.end(JSON.stringify(body));
  return new Promise((resolve) => {
    sending.on('error', () => resolve('none'));
    sending.on('response', (response) => {
      response.on('error', () => resolve('none'));
      response.on('close', () => resolve(response.complete ? (response.statusCode ?? 0) : 'none'));
      response.resume();
    });
  });
}

const rules = [
  {
    when: { where: { 'headers.x-none': { exists: false } }, item: { id: 'HANG' } },
    then: { connection: 'hang', processed: true },
  },
  { when: { item: { id: 'DRIP' } }, then: { connection: 'drip' } },
  { when: { item: { id: 'WAIT' } }, then: { latency: '10m' } },
  { when: { item: { id: 'LATER' } }, then: { fail: 'late', after: '1h' } },
];

test.each(['/projects/p/reset', '/reset'])('POST %s', async (reset) => {
  receiver.answer('hang');
  await control('PUT', '/projects/p/scenarios', { scenarios: [{ name: 'stuck', rules }] });
  await control('PUT', '/projects/p/callback-endpoint', { url: receiver.url() });
  const jobs = (id: string) => ({ jobs: [{ id }] });
  const asked = ['HANG', 'DRIP', 'WAIT', 'LATER'].map((id) => send('/async/projects/p/jobs', jobs(id)));
  expect(await asked[3]).toBe(202);
  await send('/async/projects/p/jobs', jobs('FAIL-1'));
  const came = receiver.waitFor(1);
  while (!wall.timers().some((ms) => ms <= 200)) await control('GET', '/health');
  wall.pass(200);
  await came;
  const awaiting = control('GET', '/projects/p/requests?await=10m&min=1000');
  // Once the last of them is held, the others are too: what they wait for is in the list.
  const held = () => wall.timers();
  while (!held().includes(600_000) || held().filter((ms) => ms === 600_000).length < 2) await control('GET', '/health');

  await control('POST', reset);
  expect(await awaiting).toMatchObject({ satisfied: false });
  expect(await asked[0]).toBe('none');
  expect(await asked[1]).toBe('none');
  expect(await asked[2]).toBe(202);
  while (held().length > 0) await control('GET', '/health');
  expect(held()).toEqual([]);
  expect(await control('GET', '/projects/p')).toMatchObject({ counts: { requests: 0, callbacks: 0, pending: 0 } });
  wall.pass(7_200_000);
  expect(receiver.received).toHaveLength(1);
});

test('closing the sandbox during all of that leaves nothing', async () => {
  await control('PUT', '/projects/p/scenarios', { scenarios: [{ name: 'stuck', rules }] });
  const asked = ['HANG', 'DRIP', 'WAIT'].map((id) => send('/async/projects/p/jobs', { jobs: [{ id }] }));
  while (!wall.timers().includes(600_000)) await control('GET', '/health');
  const { items } = (await control('GET', '/projects/p/requests?await=0s')) as { items: unknown[] };
  expect(items.length).toBeLessThanOrEqual(2);
  await sandbox.close();
  expect(await Promise.all(asked)).toEqual(['none', 'none', 202]);
  expect(wall.timers()).toEqual([]);
});
