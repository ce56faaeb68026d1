/** What an identifier outside of the path costs a small request: processor time, in percent of that in the path. */
import { readFile, writeFile } from 'node:fs/promises';
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
    for (const side of sides) {
      const used = await microsecondsEach(side.server, side.payload);
      if (round > 0) side.times.push(used);
    }
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

async function microsecondsEach({ url, pid }: Server, payload: Payload): Promise<number> {
  const before = await processorMs(pid);
  await load(url, payload, { from: 0, isOurs: true });
  const used = (await processorMs(pid)) - before;
  await reset(url);
  return (1000 * used) / payload.requests;
}

/** A tick of /proc, on every Linux. */
const msPerTick = 10;

/** Processor time of a process, in milliseconds. */
async function processorMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * msPerTick;
}
