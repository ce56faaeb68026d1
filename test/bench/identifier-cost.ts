/** What an identifier outside of the path costs a small request: processor time, in percent of that in the path. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { reset } from './control.ts';
import { median } from './figures.ts';
import { load, type Payload } from './load.ts';
import type { Bench, Measurement } from './measurement.ts';
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
  const { rounds, servers, folder, say } = bench;
  const file = path.join(folder, 'identifiers.yaml');
  await writeFile(file, `identifiers: { projectId: "${place}" }\n`);
  const inPath = await oneLocation();
  const sides = [
    { server: await servers.sandbox(), payload: inPath, times: [] as number[] },
    { server: await servers.sandbox('--profile', file), payload: payload(inPath), times: [] as number[] },
  ] as const;
  for (let round = 0; round <= rounds; round += 1) {
    say(`${name}, ${place}: ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}`);
    const used = await playRound(sides);
    if (round > 0) for (const [index, side] of sides.entries()) side.times.push(used[index] ?? Number.NaN);
  }
  for (const { server } of sides) await server.stop();
  const [base, moved] = sides;
  const values = moved.times.map((time, round) => 100 * (time / (base.times[round] ?? Number.NaN) - 1));
  const from = `a request: ${median(base.times).toFixed(0)} µs in the path, ${median(moved.times).toFixed(0)} µs`;
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
