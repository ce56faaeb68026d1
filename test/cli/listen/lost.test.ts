/** `listen`, also after a lost connection or a restart of the sandbox: every attempt is forwarded once, in its order. */
import supertest from 'supertest';
import { describe, expect, test } from 'vitest';
import type { ListenTexts } from '../../../src/cli/listen/command.ts';
import type { AttemptNotice } from '../../../src/cli/listen/notice.ts';
import { useListeners } from '../../harness/listener.ts';
import { freshProject } from '../../harness/sandbox.ts';
import { startOne } from '../../harness/start-sandbox.ts';
import { useTcpProxy } from '../../harness/tcp-proxy.ts';
import type { TestWall } from '../../harness/wall.ts';
import { failedIds, useListenSteps } from './steps.ts';

const { sandbox, receiver, project, failOnce, receivedIds } = useListenSteps();
const gate = useTcpProxy(sandbox.url);
const start = useListeners();
const listener = (texts: ListenTexts) => start({ answer: 'show', ...texts });

/** Creates two callbacks with failing attempts in turn: A, B, A, B. */
async function failInTurn(): Promise<void> {
  const endpoint = { url: `${receiver.url()}/own` };
  await sandbox.control('PUT', `/projects/${project()}/callback-endpoint`, endpoint);
  receiver.handle(({ path }) => (path === '/own' ? 503 : 204));
  await sandbox.freeze(project());
  for (const id of ['FAIL-A', 'FAIL-B']) {
    await sandbox.api('POST', `/async/projects/${project()}/jobs`, { jobs: [{ id }] });
    await sandbox.advance(project(), '1s');
  }
  await sandbox.advance(project(), '10s');
}

test('attempts of one project are forwarded one after another, independent of other projects', async () => {
  const other = freshProject();
  let release = (): void => undefined;
  receiver.handle(({ body }) =>
    body.includes('FAIL-SLOW')
      ? new Promise((answer) => {
          release = () => answer(204);
        })
      : 204,
  );
  const { waitFor, attempts } = await listener({ url: sandbox.url(), forwardTo: receiver.url() });
  await waitFor('listening', 1);
  await failOnce('FAIL-SLOW');
  for (const n of [1, 2, 3]) await failOnce(`FAIL-${n}`);
  await failOnce('FAIL-OTHER', other);
  await waitFor('callback', 1);
  expect(failedIds(attempts())).toEqual(['FAIL-OTHER']);
  release();
  await waitFor('callback', 5);
  expect(receivedIds().filter((id) => id !== 'FAIL-OTHER')).toEqual(['FAIL-SLOW', 'FAIL-1', 'FAIL-2', 'FAIL-3']);
});

describe('a lost connection', () => {
  const turnsOf = (attempts: readonly AttemptNotice[]) =>
    attempts.map(({ failed, attempt }) => `${failed[0]?.id} ${attempt}`);

  /** Advances the time until `isBack`: requests that were open when the connection broke wait as well. */
  const comesBack = (wall: TestWall, isBack: () => boolean) =>
    expect
      .poll(() => {
        wall.pass(500);
        return isBack();
      })
      .toBe(true);

  test('attempts are forwarded in their order after a reconnect', async () => {
    const { waitFor, attempts, wall } = await listener({
      url: gate().url,
      project: project(),
      forwardTo: receiver.url(),
    });
    await waitFor('listening', 1);
    // The first listing has ended then.
    await failOnce('FAIL-0');
    await waitFor('callback', 1);
    await gate().cut();
    await waitFor('waiting', 1);
    await failInTurn();
    await gate().restore();
    await comesBack(wall, () => attempts().length === 5);
    await sandbox.advance(project());
    await waitFor('callback', 11);
    const turns = [1, 2, 3, 4, 5].flatMap((number) => [`FAIL-A ${number}`, `FAIL-B ${number}`]);
    expect(turnsOf(attempts()).slice(1)).toEqual(turns);
  });

  test('an attempt between the listing and the event stream is forwarded', async () => {
    let lists = 0;
    await failOnce();
    const { text } = await sandbox.control('GET', `/projects/${project()}/callbacks`);
    receiver.handle(({ path }) => {
      const headers = { 'content-type': path.includes('/events') ? 'text/event-stream' : 'application/json' };
      if (path.includes('/events')) return { status: 200, headers, body: Buffer.from(': connected\nid: a-1\n\n') };
      lists += 1;
      // The first request lists the existing callbacks.
      return { status: 200, headers, body: Buffer.from(lists === 1 ? '{"items":[]}' : text) };
    });
    const { waitFor, attempts } = await listener({ url: receiver.url(), project: project() });
    await waitFor('callback', 1);
    expect(failedIds(attempts())).toEqual(['FAIL-1']);
  });

  test('is restored after growing delays, and missed attempts are forwarded once', async () => {
    const { waitFor, attempts, notices, wall } = await listener({
      url: gate().url,
      project: project(),
      forwardTo: receiver.url(),
    });
    await waitFor('listening', 1);
    await failOnce('FAIL-1');
    await waitFor('callback', 1);
    await gate().cut();
    await waitFor('waiting', 1);
    await failOnce('FAIL-2');
    for (const wait of [500, 1000, 2000, 4000, 8000]) {
      const before = notices.filter(({ event }) => event === 'waiting').length;
      await expect.poll(() => wall.timers()).toEqual([wait]);
      wall.pass(wait);
      await waitFor('waiting', before + 1);
    }
    await failOnce('FAIL-3');
    await gate().restore();
    await expect.poll(() => wall.timers()).toEqual([15_000]);
    wall.pass(15_000);
    await waitFor('callback', 3);
    await failOnce('FAIL-4');
    await waitFor('callback', 4);
    expect(failedIds(attempts())).toEqual(['FAIL-1', 'FAIL-2', 'FAIL-3', 'FAIL-4']);
    expect(receivedIds()).toEqual(['FAIL-1', 'FAIL-2', 'FAIL-3', 'FAIL-4']);
    expect(notices.map(({ event }) => event).filter((event) => event !== 'callback')).toEqual([
      'listening',
      ...Array.from({ length: 6 }, () => 'waiting'),
      'listening',
    ]);
  });

  test('all callbacks are listed if the sandbox no longer has all missed events', async () => {
    await failOnce('FAIL-BEFORE');
    const { waitFor, attempts, notices, wall } = await listener({ url: gate().url, forwardTo: receiver.url() });
    await waitFor('listening', 1);
    await failOnce('FAIL-1');
    await waitFor('callback', 1);
    await gate().cut();
    await waitFor('waiting', 1);
    const other = freshProject();
    await failOnce('FAIL-OTHER', other);
    await failOnce('FAIL-2');
    const clock = async () => {
      const body = JSON.stringify({ mode: 'frozen' });
      const headers = { 'content-type': 'application/json' };
      const url = `${sandbox.url()}/_sandbox/projects/${other}/clock`;
      expect((await fetch(url, { method: 'PUT', headers, body })).status).toBe(200);
    };
    for (let n = 0; n < 20; n += 1) await Promise.all(Array.from({ length: 50 }, clock));
    await gate().restore();
    await comesBack(wall, () => notices.some(({ event }) => event === 'missed'));
    await waitFor('callback', 3);
    await failOnce('FAIL-3');
    await waitFor('callback', 4);
    expect(failedIds(attempts().filter((one) => one.project === project()))).toEqual(['FAIL-1', 'FAIL-2', 'FAIL-3']);
    expect(receivedIds().toSorted()).toEqual(['FAIL-1', 'FAIL-2', 'FAIL-3', 'FAIL-OTHER']);
  });
});

describe('a restarted sandbox', () => {
  const startOn = (port: string) => startOne({ port, clock: '2026-03-02T09:00:00Z' });

  async function fail(url: string, id: string): Promise<void> {
    const post = (path: string, body: object) => supertest(url).post(path).set('apikey', 'sandbox-key').send(body);
    await post('/async/projects/p/jobs', { jobs: [{ id }] });
    await post('/_sandbox/projects/p/clock/advance', { until: 'idle' });
  }

  test('`listen` waits for it, also at the start, and forwards the attempts that it missed', async () => {
    const first = await startOn('0');
    const { url } = first;
    const { port } = new URL(url);
    await first.close();
    const { waitFor, attempts, notices, wall } = await listener({ url, forwardTo: receiver.url() });
    await waitFor('waiting', 1);
    // A port that was closed just now may still accept a connection, and reset it.
    const reason = expect.stringMatching(/^connection (refused|reset)$/) as string;
    expect(notices[0]).toEqual({ event: 'waiting', reason, againInMs: 500 });
    const second = await startOn(port);
    wall.pass(500);
    await waitFor('listening', 1);
    await fail(url, 'FAIL-1');
    await waitFor('callback', 1);
    await second.close();
    await waitFor('waiting', 2);
    await startOn(port);
    await fail(url, 'FAIL-2');
    await fail(url, 'FAIL-3');
    wall.pass(500);
    await waitFor('callback', 3);
    await fail(url, 'FAIL-4');
    await waitFor('callback', 4);
    expect(failedIds(attempts())).toEqual(['FAIL-1', 'FAIL-2', 'FAIL-3', 'FAIL-4']);
    expect(receivedIds()).toEqual(['FAIL-1', 'FAIL-2', 'FAIL-3', 'FAIL-4']);
    expect(notices).toContainEqual({ event: 'missed', reason: expect.stringContaining('restarted') });
  });
});
