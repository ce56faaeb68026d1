/** The requests whose longest hold is measured, each with what has to be there before it. */
import { Client, request } from 'undici';
import { headers } from '../load.ts';
import * as bodies from './bodies.ts';

/** One request at a limit. */
export interface HoldCase {
  readonly name: string;
  /** Options of the server. */
  readonly options?: (folder: string) => readonly string[];
  /** Brings the server to where the request is made; what ends that is returned as a function. */
  before?(url: string): Promise<unknown>;
  /** Makes the request, and waits until all that comes of it has happened. */
  run(url: string): Promise<void>;
}

const project = '/_sandbox/projects/hold';

/** Sends one request and reads its whole answer, whatever its status but 500. */
async function send(url: string, method: 'GET' | 'POST' | 'PUT', path: string, body?: Buffer | object): Promise<void> {
  const sent = body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const answer = await request(`${url}${path}`, { method, headers, ...(sent !== undefined && { body: sent }) });
  for await (const _chunk of answer.body);
  if (answer.statusCode >= 500) throw new Error(`${method} ${path}: ${answer.statusCode}`);
}

const batch = '/sync/projects/hold/jobs/batch';
const post = (body: Buffer | Promise<Buffer>) => async (url: string) => send(url, 'POST', batch, await body);

/** Accepts so many asynchronous imports of one job, one instruction each. */
async function accept(url: string, count: number, id: string): Promise<void> {
  await send(url, 'PUT', `${project}/clock`, { mode: 'frozen' });
  const client = new Client(url, { pipelining: 100 });
  let next = 0;
  const run = async (): Promise<void> => {
    while (next < count) {
      const body = `{"jobs":[{"id":"${id}-${next++}"}]}`;
      const answer = await client.request({ method: 'POST', path: '/async/projects/hold/jobs', headers, body });
      await answer.body.dump();
    }
  };
  await Promise.all(Array.from({ length: 100 }, run));
  await client.close();
}

/** Imports jobs of 16 MB each time. */
async function importTimes(url: string, times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) await send(url, 'POST', batch, await bodies.typicalJobs(n * 10_000));
}

/** Follows the events so many times. */
async function follow(url: string, count: number): Promise<() => void> {
  const clients: Client[] = [];
  for (let n = 0; n < count; n += 1) {
    const client = new Client(url, { pipelining: 1, bodyTimeout: 0 });
    const { body } = await client.request({ method: 'GET', path: '/_sandbox/events' });
    body.on('error', () => undefined).resume();
    clients.push(client);
  }
  return () => {
    for (const client of clients) void client.destroy();
  };
}

const advance = (url: string): Promise<void> => send(url, 'POST', `${project}/clock/advance`, { until: 'idle' });

/** Waits until nothing is due any more. */
async function untilIdle(url: string): Promise<void> {
  for (;;) {
    const answer = await request(`${url}${project}/clock`);
    if (((await answer.body.json()) as { pending: number }).pending === 0) return;
    await new Promise((next) => setTimeout(next, 500));
  }
}

function toRules(count: number, rule: (n: number) => object): object {
  return { scenarios: [{ name: 'many', rules: Array.from({ length: count }, (_, n) => rule(n)) }] };
}

function toExpectations(count: number): object {
  const expect = Array.from({ length: count }, (_, n) => ({
    requests: { item: { where: { customerName: `nobody*${n}` } } },
  }));
  return { scenarios: [{ name: 'many', rules: [{ then: { latency: '0ms' } }], expect }] };
}

const fieldRule = (n: number): object => ({
  when: { operation: 'syncCreateJobs', item: { where: { customerName: `Nobody ${n}` } } },
  then: { fail: { reason: 'never' } },
});

export const holdCases: readonly HoldCase[] = [
  { name: '16 MB: an unknown field of 90-deep lists', run: post(bodies.deepLists()) },
  { name: '16 MB: entries that are 90-deep lists', run: post(bodies.deepEntries()) },
  { name: '16 MB: a million unknown fields', run: post(bodies.unknownFields()) },
  { name: '16 MB: []', run: post(bodies.emptyLists()) },
  { name: '16 MB: {}', run: post(bodies.emptyObjects()) },
  { name: '16 MB: 10,000 jobs', run: async (url) => post(bodies.typicalJobs())(url) },
  {
    name: '16 MB: 10,000 jobs, asynchronous',
    run: async (url) => {
      await send(url, 'POST', '/async/projects/hold/jobs', await bodies.typicalJobs());
      await untilIdle(url);
    },
  },
  {
    name: 'PUT snapshot: a million jobs',
    run: (url) => send(url, 'PUT', `${project}/snapshot`, bodies.snapshotOfJobs()),
  },
  {
    name: 'PUT snapshot: 16 MB of {}',
    run: (url) => send(url, 'PUT', `${project}/snapshot`, bodies.snapshotOfObjects()),
  },
  {
    name: 'GET snapshot: 94 MB',
    before: (url) => importTimes(url, 6),
    run: (url) => send(url, 'GET', `${project}/snapshot`),
  },
  {
    name: 'GET recording: 64 MB',
    before: (url) => importTimes(url, 4),
    run: (url) => send(url, 'GET', `${project}/recording`),
  },
  {
    name: 'GET requests: 1,000 of 100 kB',
    before: async (url) => {
      for (let n = 0; n < 1000; n += 1) await post(bodies.paddedJob(n, 100_000))(url);
    },
    run: (url) => send(url, 'GET', `${project}/requests?limit=1000`),
  },
  { name: 'advance: 100,000 due', before: (url) => accept(url, 100_000, 'JOB'), run: advance },
  { name: 'advance: 50,000 that fail', before: (url) => accept(url, 50_000, 'FAIL'), run: advance },
  {
    name: 'PUT clock real: 50,000 failures due',
    before: (url) => accept(url, 50_000, 'FAIL'),
    run: async (url) => {
      const now = new Date(Date.now() + 3_600_000).toISOString();
      await send(url, 'PUT', `${project}/clock`, { mode: 'real', now });
      await untilIdle(url);
    },
  },
  {
    name: 'PUT 4,900 rules',
    run: (url) => send(url, 'PUT', `${project}/scenarios`, toRules(4900, fieldRule)),
  },
  {
    name: '10,000 jobs under 3,500 field rules',
    before: (url) => send(url, 'PUT', `${project}/scenarios`, toRules(3500, fieldRule)),
    run: async (url) => post(bodies.typicalJobs())(url),
  },
  {
    name: '10,000 jobs under 1,200 expectations of entries',
    before: (url) => send(url, 'PUT', `${project}/scenarios`, toExpectations(1200)),
    run: async (url) => post(bodies.typicalJobs())(url),
  },
  {
    name: '--data: 900,000 jobs written whole',
    options: (folder) => ['--data', folder],
    run: (url) => send(url, 'PUT', `${project}/snapshot`, bodies.smallSnapshot(900_000)),
  },
  {
    name: 'a request beside 1,000 followers',
    before: (url) => follow(url, 1000),
    run: (url) => send(url, 'POST', batch, { jobs: [{ id: 'A' }] }),
  },
];
