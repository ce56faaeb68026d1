/** What is kept has bounds, and each says what happens beyond: callbacks, scenarios, attempts, those who wait. */
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCallback, dropEnded, maxCallbacks } from '../../src/callbacks/callback.ts';
import { defaultSecret } from '../../src/callbacks/signature.ts';
import { type KeptSandbox, startWith } from '../flows/data-steps.ts';
import { toFailures } from '../harness/failures.ts';
import { useSandbox } from '../harness/sandbox.ts';

let own: KeptSandbox;
beforeAll(async () => {
  own = await startWith({ clock: 'frozen' });
});
afterAll(() => own.close());

const toCallback = (n: number, projectId = 'p') =>
  createCallback(toFailures({ change: n, projectId, requestId: `req_${n}`, atMs: n }));

describe('callbacks of a project', () => {
  const fill = (count: number, isWaiting: (n: number) => boolean) => {
    const callbacks = new Map<string, ReturnType<typeof toCallback>>();
    for (let n = 1; n <= count; n += 1) {
      const callback = toCallback(n);
      if (!isWaiting(n)) callback.state = 'inbox';
      callbacks.set(callback.id, callback);
      dropEnded(callbacks);
    }
    return [...callbacks.values()];
  };

  test('beyond 10,000 the oldest finished ones are deleted, 100 at a time', () => {
    const kept = fill(maxCallbacks + 300, () => false);
    expect(kept).toHaveLength(maxCallbacks);
    expect(kept[0]?.change).toBe(301);
    expect(fill(maxCallbacks + 99, () => false)).toHaveLength(maxCallbacks + 99);
  });

  test('pending ones and copies are not deleted', () => {
    const kept = fill(maxCallbacks + 200, (n) => n <= 150);
    expect(kept.filter(({ state }) => state === 'scheduled')).toHaveLength(150);
    expect(kept[150]?.change).toBe(351);
    expect(fill(maxCallbacks + 200, () => true)).toHaveLength(maxCallbacks + 200);
    const copied = { ...toCallback(1_000_000), state: 'delivered' as const, copiesLeft: 1 };
    const callbacks = new Map(fill(maxCallbacks - 1, () => false).map((one) => [one.id, one]));
    const all = new Map([[copied.id, copied], ...callbacks]);
    for (let n = maxCallbacks; all.size !== maxCallbacks + 100; n += 1) all.set(`more-${n}`, toCallback(n));
    dropEnded(all);
    expect(all.has(copied.id)).toBe(true);
  });

  test('pages continue, deleted callbacks are not found, and the recording is incomplete', async () => {
    const { state } = own.sandbox.projects.open('full');
    for (let n = 1; n < maxCallbacks + 200; n += 1) {
      const callback = toCallback(n);
      callback.state = 'inbox';
      state.callbacks.set(callback.id, callback);
    }
    state.changeCount = maxCallbacks + 199;
    const get = (path: string) => own.control('GET', `/projects/full${path}`);
    const first = await get('/callbacks?limit=150');
    await own.api('POST', '/async/projects/full/jobs', { jobs: [{ id: 'FAIL-1' }] });
    expect((await own.control('POST', '/projects/full/clock/advance', { by: '1s' })).status).toBe(200);
    expect((await get('')).body).toMatchObject({ counts: { callbacks: maxCallbacks } });
    const [gone, oldest] = [toCallback(200).id, toCallback(201).id];
    expect((await get(`/callbacks/${gone}`)).status).toBe(404);
    expect((await get(`/callbacks/${oldest}`)).status).toBe(200);
    expect((await get(`/callbacks?since=${gone}`)).status).toBe(400);
    expect((await get(`/callbacks?limit=1&cursor=${first.body.next}`)).body.items).toMatchObject([{ id: oldest }]);
    expect((await get('/recording')).body).toMatchObject({ complete: false });
  });

  test('one callback is sent at most 1,000 times, also by parallel redeliveries', async () => {
    const { state } = own.sandbox.projects.open('p');
    const callback = toCallback(2_000_000);
    callback.state = 'inbox';
    const attempt = { at: callback.dueAt, cause: 'redelivery', headers: {}, sent: '' } as const;
    callback.attempts.push(...Array.from({ length: 990 }, () => attempt));
    state.callbacks.set(callback.id, callback);
    state.endpoint = { url: 'http://127.0.0.1:1/', secret: defaultSecret, disabled: false };
    const redeliver = () => own.control('POST', `/projects/p/callbacks/${callback.id}/redeliver`);
    const answers = await Promise.all(Array.from({ length: 40 }, redeliver));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(30);
    for (const { status, body } of refused)
      expect([status, body.message]).toEqual([409, expect.stringContaining('1,000 times')]);
    expect(callback.attempts).toHaveLength(1000);
  });
});

test('a waiting client that disconnects is removed', async () => {
  const { hostname, port } = new URL(own.sandbox.url);
  const waiting = async () => (await own.control('GET', '/projects/waiting')).body.usage.waiting;
  const socket = connect(Number(port), hostname);
  socket.write('GET /_sandbox/projects/waiting/callbacks?await=10m HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await expect.poll(waiting).toBe(1);
  socket.destroy();
  await expect.poll(waiting).toBe(0);
});

describe('one API key with any number of projects', () => {
  const shared = useSandbox({ adminToken: 'token' });
  const admin = { authorization: 'Bearer token' };
  let acme = { apikey: '' };
  let beta = { apikey: '' };
  const most = 5000;
  beforeAll(async () => {
    const create = async (pattern: string) => {
      const { body } = await shared.control('POST', '/keys', { label: pattern, projects: [pattern] }, admin);
      return { apikey: String(body.key) };
    };
    [acme, beta] = await Promise.all([create('acme-*'), create('beta-*')]);
  });

  /** Sends requests of acme that wait in projects of their own, 1,000 each, on one connection. */
  function wait(path: string, count: number): Socket {
    const { hostname, port } = new URL(shared.url());
    const socket = connect(Number(port), hostname);
    const lines = Array.from(
      { length: count },
      (_, n) =>
        `GET /_sandbox${path.replace('$', `acme-${Math.floor(n / 1000)}`)} HTTP/1.1\r\nhost: localhost\r\napikey: ${acme.apikey}\r\n\r\n`,
    );
    socket.write(lines.join(''));
    return socket.resume();
  }

  async function countWaiting(): Promise<number> {
    const projects = Array.from({ length: 5 }, (_, n) =>
      shared.control('GET', `/projects/acme-${n}`, undefined, admin),
    );
    return (await Promise.all(projects)).reduce((sum, { body }) => sum + body.usage.waiting, 0);
  }

  test('takes at most half of all waiting requests, and the other half is for others', async () => {
    const sockets = [wait('/projects/$/requests?await=1h&min=1000', most)];
    await expect.poll(countWaiting).toBe(most);
    const message = 'the server accepts at most 5,000 waiting requests of one API key. Wait until some get a response.';
    const next = (project: string, headers: Record<string, string>) =>
      shared.control('GET', `/projects/${project}/requests?await=1ms`, undefined, headers);
    const refused = await next('acme-9', acme);
    expect(refused).toMatchObject({ status: 429, body: { message } });
    expect(refused.headers['retry-after']).toBe('1');
    expect((await next('beta-1', beta)).status).toBe(200);
    expect((await next('acme-9', admin)).status).toBe(200);
    const rules = [{ then: { latency: '1ms' } }];
    for (const project of ['acme-9', 'beta-1']) {
      const scenarios = { scenarios: [{ name: 'slow', rules }] };
      expect((await shared.control('PUT', `/projects/${project}/scenarios`, scenarios, admin)).status).toBe(200);
    }
    const jobs = (project: string, headers: Record<string, string>) =>
      shared.api('POST', `/async/projects/${project}/jobs`, { jobs: [] }, headers);
    expect(await jobs('acme-9', acme)).toMatchObject({ status: 429, body: { message } });
    expect((await jobs('beta-1', beta)).status).toBe(202);
    for (const socket of sockets) socket.destroy();
    await expect.poll(countWaiting).toBe(0);
    expect((await next('acme-9', acme)).status).toBe(200);
  });
});
