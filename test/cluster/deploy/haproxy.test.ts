/** deploy/haproxy.cfg in front of three replicas: what clients send and receive passes unchanged, and updates fail nothing. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findFreePort } from '../harness/free-port.ts';
import { postgresIsMissing } from '../harness/postgres-binaries.ts';
import { useOwnPostgres } from '../harness/use-postgres.ts';
import { checkHaproxy, haproxyIsMissing, startHaproxy } from './haproxy.ts';
import { useSharedSetup } from './shared-setup.ts';

const token = 'of-the-operator';
const key = 'of-all-projects';
const json = { 'content-type': 'application/json' };

describe.skipIf(postgresIsMissing || haproxyIsMissing)('three replicas behind HAProxy', () => {
  const postgres = useOwnPostgres();
  const setup = useSharedSetup(postgres, {
    variables: {
      DATABASE_PASSWORD: 'of-the-database',
      SANDBOX_ADMIN_TOKEN: token,
      SANDBOX_CALLBACK_SECRET: `whsec_${Buffer.alloc(24).toString('base64')}`,
      SANDBOX_API_KEY: key,
    },
  });
  const urls = () => Object.fromEntries(setup().replicas.all.map(({ url }, index) => [`sandbox-${index + 1}`, url]));

  async function control(method: string, path: string, body?: unknown): Promise<Response> {
    const headers = { authorization: `Bearer ${token}`, connection: 'close', ...json };
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    return fetch(`${setup().balancer.url}/_sandbox${path}`, { method, headers, ...text });
  }

  test('HAProxy finds no mistake in the file, and nothing to warn of', () => {
    expect(checkHaproxy(urls())).toBe('');
  });

  const toPost = (project: string): string => {
    const body = '{"jobs":[{"id":"ORD-1"}]}';
    const head = `POST /sync/projects/${project}/jobs/batch HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nApiKey: ${key}\r\n`;
    return `${head}Content-Type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  };

  test.each([
    ['close', { connection: 'close' }, '<end>'],
    // HAProxy cannot pass a reset on.
    ['reset', { connection: 'reset' }, '<end>'],
    ['hang', { connection: 'hang' }, '<open>'],
    ['truncate', { connection: 'truncate' }, undefined],
    ['respond', { respond: { status: 599, headers: { 'X-Odd': 'a' }, body: 'odd' } }, undefined],
  ])('a client sees the effect %s', async (name, then, expected) => {
    const project = `effect-${name}`;
    const { status } = await control('PUT', `/projects/${project}/scenarios`, {
      scenarios: [{ name, rules: [{ then }] }],
    });
    expect(status).toBe(200);
    const maxMs = name === 'hang' ? 500 : undefined;
    const direct = exchange(setup().replicas.all[0]?.url ?? '', toPost(project), maxMs);
    const balanced = exchange(setup().balancer.url, toPost(project), maxMs);
    expect(await balanced).toBe(expected ?? (await direct));
  });

  test('a malformed request reaches a replica, which explains it', async () => {
    const answer = await exchange(setup().balancer.url, 'GET / HTTP/1.1\r\nhost: x\r\ncontent-length: ten\r\n\r\n');
    expect(answer).toContain('content-length must be a single decimal number');
  });

  test('no request fails while one replica after the other is updated', async () => {
    const load = startLoad();
    for (const replica of setup().replicas.all) await replica.restart();
    const { answered, failures } = await load.stop();
    expect(failures).toEqual([]);
    expect(answered).toBeGreaterThan(50);
  });

  /** Lets clients import jobs, each request on a connection of its own. */
  function startLoad(): { stop(): Promise<{ answered: number; failures: readonly string[] }> } {
    let isStopping = false;
    let answered = 0;
    const failures: string[] = [];
    const headers = { ...json, apikey: key, connection: 'close' };
    const work = async (client: number): Promise<void> => {
      const url = `${setup().balancer.url}/sync/projects/load-${client}/jobs/batch`;
      for (let n = 0; !isStopping; n += 1) {
        const body = JSON.stringify({ jobs: [{ id: `J-${n}` }] });
        const result = await fetch(url, { method: 'POST', headers, body }).then(
          (response) => response.text().then((text) => (response.ok ? undefined : `${response.status} ${text}`)),
          (error: Error) => `${client}/${n}: ${error.message}: ${String(error.cause)}`,
        );
        if (result === undefined) answered += 1;
        else failures.push(result);
      }
    };
    const done = Promise.all([0, 1, 2, 3].map(work));
    return {
      stop: async () => {
        isStopping = true;
        await done;
        return { answered, failures };
      },
    };
  }

  test('new connections avoid a paused replica', async () => {
    const [replica] = setup().replicas.all;
    replica?.pause();
    onTestFinished(() => replica?.resume());
    let inARow = 0;
    const before = performance.now();
    while (inARow < 10) {
      const signal = AbortSignal.timeout(1000);
      const isReady = await fetch(`${setup().balancer.url}/_sandbox/ready`, { signal }).then(
        ({ ok }) => ok,
        () => false,
      );
      inARow = isReady ? inARow + 1 : 0;
    }
    expect(performance.now() - before).toBeLessThan(10_000);
  });

  test('HAProxy stops only when the requests in progress have their responses', async () => {
    const own = await startHaproxy(urls(), await findFreePort());
    onTestFinished(own.stop);
    const response = fetch(`${own.url}/_sandbox/projects/stop/callbacks?await=1s`, {
      headers: { authorization: `Bearer ${token}`, connection: 'close' },
    });
    await setTimeout(200);
    own.signal('SIGUSR1');
    expect((await response).status).toBe(200);
    expect(await own.ended).toBe(0);
  });
});

/** Sends bytes, and returns the response without what differs each time, and how the connection ends. */
async function exchange(url: string, text: string, maxMs = 20_000): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  socket.write(text);
  const end = once(socket, 'end').then(
    () => 'end',
    ({ code }: NodeJS.ErrnoException) => String(code),
  );
  const how = await Promise.race([end, setTimeout(maxMs, 'open', { ref: false })]);
  return `${received.replace(/^(date|x-request-id|x-sandbox-[\w-]+): .*\r\n/gim, '').replace(/req_\w+/g, 'req_ID')}<${how}>`;
}
