/** What an identifier outside of the path costs a small request: processor time, in percent of that in the path. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { median } from '../rig/figures.ts';
import { reset } from './control.ts';
import { load, type Payload } from './load.ts';
import { type Bench, type Measurement, playRounds } from './measurement.ts';
import { oneLocation, project } from './payloads.ts';
import type { Goal, Row } from './row.ts';
import type { Server } from './servers.ts';

interface Kind {
  readonly place: string;
  readonly payload: (payload: Payload) => Payload;
}

/** The places, and the same request with the project there. */
const kinds: readonly Kind[] = [
  { place: 'query', payload: (payload) => ({ ...payload, path: () => `/projects/locations?projectId=${project}` }) },
  {
    place: 'header:x-project',
    payload: (payload) => ({ ...payload, path: () => '/projects/locations', headers: { 'x-project': project } }),
  },
  {
    place: 'body',
    payload: (payload) => ({
      ...payload,
      path: () => '/projects/locations',
      body: (n) => String(payload.body(n)).replace('{', `{"projectId":"${project}",`),
    }),
  },
];

/** Processor time of the sandbox. Linux only. */
export function identifierCost(name: string, goal: Goal): Measurement {
  return { name, run: (bench) => measure(name, goal, bench) };
}

async function measure(name: string, goal: Goal, bench: Bench): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const kind of kinds) rows.push(await compare(name, kind, goal, bench));
  return rows;
}

/** Both servers get their requests in turn, so that they share the state of the machine. */
async function compare(name: string, { place, payload }: Kind, goal: Goal, bench: Bench): Promise<Row> {
  const { servers, folder } = bench;
  const file = path.join(folder, 'identifiers.yaml');
  await writeFile(file, `identifiers: { projectId: "${place}" }\n`);
  const inPath = await oneLocation();
  const sides = [
    { server: await servers.sandbox(), payload: inPath },
    { server: await servers.sandbox('--profile', file), payload: payload(inPath) },
  ];
  const times = await playRounds(bench, `${name}, ${place}`, () => playRound(sides));
  for (const { server } of sides) await server.stop();
  const values = times.map(([base = Number.NaN, moved = Number.NaN]) => 100 * (moved / base - 1));
  const middle = (side: number): string => `${median(times.map((used) => used[side] ?? Number.NaN)).toFixed(0)} µs`;
  const from = `a request: ${middle(0)} in the path, ${middle(1)}`;
  return {
    what: `${name}, project in ${place.replace(/:.*/, '')}: processor time more`,
    values,
    unit: '%',
    goal,
    from,
  };
}

/** Requests in a row to one server: few, because the speed of a shared machine changes within a second. */
const inARow = 1000;

/** Returns the processor time of a request to each server, in microseconds. */
async function playRound(sides: readonly { readonly server: Server; readonly payload: Payload }[]): Promise<number[]> {
  const totals = sides.map(() => 0);
  const turns = (sides[0]?.payload.requests ?? 0) / inARow;
  for (let turn = 0; turn < turns; turn += 1) {
    for (const [index, { server, payload }] of sides.entries()) {
      const before = await processorTime(server.pid);
      await load(server.url, { ...payload, requests: inARow }, { from: 0, isOurs: true });
      totals[index] = (totals[index] ?? 0) + (await processorTime(server.pid)) - before;
    }
  }
  for (const { server } of sides) await reset(server.url);
  return totals.map((total) => total / (turns * inARow));
}

/** Processor time of all threads of a process, in microseconds. */
async function processorTime(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const texts = await Promise.all(threads.map((id) => readFile(`/proc/${pid}/task/${id}/schedstat`, 'utf8')));
  return texts.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0) / 1000;
}
