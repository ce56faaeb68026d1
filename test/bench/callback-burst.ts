/** How long it takes until all callbacks of a thousand instructions that come at once have arrived. */
import { Client } from 'undici';
import { median } from '../rig/figures.ts';
import { type HttpReceiver, startReceiver } from '../rig/receiver.ts';
import { reset } from './control.ts';
import { headers } from './load.ts';
import { type Bench, type Measurement, playRounds } from './measurement.ts';
import type { Goal, Row } from './row.ts';

const projects = 50;
const perProject = 20;
const wanted = projects * perProject;
/** Waiting for longer is of no use. */
const maxMs = 60_000;

/** What one burst came to, in milliseconds from the first request. */
interface Burst {
  readonly acceptedMs: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

export function callbackBurst(name: string, goal: Goal): Measurement {
  return { name, run: (bench) => measure(name, goal, bench) };
}

async function measure(name: string, goal: Goal, bench: Bench): Promise<readonly Row[]> {
  const receiver = await createReceiver();
  const sandbox = await bench.servers.sandbox('--callback-url', receiver.url);
  const bursts = await playRounds(bench, name, async () => {
    const burst = await play(sandbox.url, receiver);
    await reset(sandbox.url);
    return burst;
  });
  await sandbox.stop();
  await receiver.close();
  const middle = (key: keyof Burst): string => `${(median(bursts.map((burst) => burst[key])) / 1000).toFixed(2)} s`;
  const from = `all accepted after ${middle('acceptedMs')}, first callback after ${middle('firstMs')}`;
  return [{ what: `${name}, the last`, values: bursts.map(({ lastMs }) => lastMs / 1000), unit: 's', goal, from }];
}

/** Each of them imports one job that fails, over 50 projects, a connection for each. */
async function play(url: string, receiver: Receiver): Promise<Burst> {
  const clients = Array.from({ length: projects }, () => new Client(url, { pipelining: 1 }));
  const began = performance.now();
  const arrived = receiver.all();
  const accepted = clients.flatMap((client, index) =>
    Array.from({ length: perProject }, async (_, n) => {
      const body = JSON.stringify({ jobs: [{ id: `FAIL-${n}` }] });
      const path = `/async/projects/burst-${index}/jobs`;
      const answer = await client.request({ method: 'POST', path, body, headers });
      const text = await answer.body.text();
      if (answer.statusCode !== 202) throw new Error(`${answer.statusCode} ${text.slice(0, 300)}`);
    }),
  );
  await Promise.all(accepted);
  const acceptedMs = performance.now() - began;
  const { firstAt, lastAt } = await arrived;
  await Promise.all(clients.map((client) => client.close()));
  return { acceptedMs, firstMs: firstAt - began, lastMs: lastAt - began };
}

interface Receiver extends Pick<HttpReceiver, 'url' | 'close'> {
  /** When the first and the last of all have come, counted from this call; each callback counts once. */
  all(): Promise<{ readonly firstAt: number; readonly lastAt: number }>;
}

async function createReceiver(): Promise<Receiver> {
  let come = (_id: string): void => undefined;
  const { url, close } = await startReceiver(({ headers }) => {
    come(String(headers['webhook-id']));
    return 200;
  });
  const all: Receiver['all'] = () =>
    new Promise((resolve, reject) => {
      const ids = new Set<string>();
      let firstAt = Number.NaN;
      const timer = setTimeout(() => reject(new Error(`${ids.size} of ${wanted} callbacks came in a minute`)), maxMs);
      come = (id) => {
        if (ids.size === 0) firstAt = performance.now();
        ids.add(id);
        if (ids.size < wanted) return;
        clearTimeout(timer);
        resolve({ firstAt, lastAt: performance.now() });
      };
    });
  return { url, close, all };
}
