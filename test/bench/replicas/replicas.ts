/** What servers that share a database cost, against one with `--data` in the same run. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Postgres, startPostgres } from '../../cluster/harness/postgres.ts';
import { postgresIsMissing } from '../../cluster/harness/postgres-binaries.ts';
import { mean, median } from '../../rig/figures.ts';
import { headers, load, type Payload } from '../load.ts';
import { type Bench, type Measurement, playRounds } from '../measurement.ts';
import { jobsBody, oneJob, project } from '../payloads.ts';
import type { Goal, Row } from '../row.ts';
import type { Server } from '../servers.ts';

/** What PostgreSQL has without a setting. The tests use less. */
const defaultBuffers = '128MB';
const inARow = 200;
const projectCount = 32;
const parallelRequests = 6000;
const importedJobs = 1000;

/** Measures replicas. Without PostgreSQL on this machine, the row says so. */
export function replicas(name: string): Measurement {
  return {
    name,
    run: async (bench) => {
      if (postgresIsMissing) return [{ what: name, values: [], unit: 'ratio', from: 'PostgreSQL is not installed' }];
      const postgres = await startPostgres({ settings: { shared_buffers: defaultBuffers } });
      try {
        return [
          ...(await compareWithData(name, postgres, bench)),
          ...(await compareCounts(name, postgres, bench)),
          await measureTakeover(name, postgres, bench),
          await measureManyProjects(name, postgres, bench),
        ];
      } finally {
        await postgres.stop();
      }
    },
  };
}

const toOptions = (database: string): readonly string[] => ['--postgres', database, '--cluster-port', '0'];

async function startThree(postgres: Postgres, database: string, { servers }: Bench): Promise<readonly Server[]> {
  const url = await postgres.createDatabase(database);
  const first = await servers.sandbox(...toOptions(url));
  return [first, await servers.sandbox(...toOptions(url)), await servers.sandbox(...toOptions(url))];
}

const stopAll = async (all: readonly Server[]): Promise<void> => {
  for (const one of all) await one.stop();
};

/** One request after another, many side by side, and a large import: at the owner, forwarded, and with `--data`. */
async function compareWithData(name: string, postgres: Postgres, bench: Bench): Promise<readonly Row[]> {
  const kept = await bench.servers.sandbox('--data', path.join(bench.folder, 'beside-replicas'));
  const three = await startThree(postgres, 'compared', bench);
  const [owner, other] = three as [Server, Server, Server];
  const small = { ...(await oneJob()), connections: 1, requests: inARow };
  const parallel: Payload = {
    ...(await oneJob()),
    connections: projectCount,
    requests: parallelRequests,
    path: (n) => `/sync/projects/${project}-${n % projectCount}/jobs`,
  };
  const batch = await jobsBody(importedJobs, 0);
  let batches = 0;
  const large = (): Payload => ({
    ...{ name: '', connections: 1, requests: 5, body: () => batch },
    path: () => `/sync/projects/${project}-batch-${batches++}/jobs/batch`,
  });
  // The owner gets the first request.
  const results = await playRounds(bench, name, async (round) => {
    const from = round * inARow * 2;
    const options = { from: round * parallelRequests * 2, isOurs: true };
    return {
      small: {
        data: median((await load(kept.url, small, { from, isOurs: true })).times),
        owner: median((await load(owner.url, small, { from, isOurs: true })).times),
        forwarded: median((await load(other.url, small, { from: from + inARow, isOurs: true })).times),
      },
      parallel: {
        data: (await load(kept.url, parallel, options)).perSecond,
        owner: (await load(owner.url, parallel, options)).perSecond,
        forwarded: (await load(other.url, parallel, { ...options, from: options.from + parallelRequests })).perSecond,
      },
      large: {
        data: median((await load(kept.url, large(), options)).times),
        owner: median((await load(owner.url, large(), options)).times),
      },
    };
  });
  await stopAll([kept, ...three]);
  const toRow = (what: string, kind: 'small' | 'parallel' | 'large', place: string, goal?: Goal): Row => {
    const all = results.map((one): Readonly<Record<string, number>> => one[kind]);
    const of = (which: string): readonly number[] => all.map((one) => one[which] ?? Number.NaN);
    const unit = kind === 'parallel' ? '/s' : ' ms';
    const from = `--data ${median(of('data')).toFixed(2)}${unit}, replicas ${median(of(place)).toFixed(2)}${unit}`;
    const values = of(place).map((value, round) => value / (of('data')[round] ?? Number.NaN));
    return { what, values, unit: 'ratio', goal, from };
  };
  return [
    toRow(`${name}: one job at its owner ÷ --data`, 'small', 'owner', { atMost: 1.2 }),
    toRow(`${name}: one job, forwarded ÷ --data`, 'small', 'forwarded', { atMost: 1.6 }),
    toRow(`${name}: ${projectCount} projects, per second ÷ --data`, 'parallel', 'owner', { atLeast: 1.5 }),
    toRow(`${name}: ${projectCount} projects, forwarded ÷ --data`, 'parallel', 'forwarded'),
    toRow(`${name}: import of 1,000 jobs ÷ --data`, 'large', 'owner'),
  ];
}

/** Clock ticks of Linux per second. */
const ticksPerSecond = 100;
const countedRequests = 6000;

/** Processor time of a process since its start, in milliseconds. */
function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond;
}

/**
 * The processor time of a request with one server and with three, to which the requests go in turn. With n servers, all but
 * every n-th request is forwarded, which tells what more servers give.
 */
async function compareCounts(name: string, postgres: Postgres, bench: Bench): Promise<readonly Row[]> {
  const alone = await bench.servers.sandbox(...toOptions(await postgres.createDatabase('alone')));
  const three = await startThree(postgres, 'three', bench);
  const used = await playRounds(bench, `${name}, processor time`, async (round) => ({
    alone: await useProcessor([alone], round),
    three: await useProcessor(three, round),
  }));
  await stopAll([alone, ...three]);
  const [one, few] = [median(used.map((each) => each.alone)), median(used.map((each) => each.three))];
  const forwarding = (few - one) * 1.5;
  const toGain = (count: number): string =>
    `${count} servers ${((count * one) / (one + forwarding * (1 - 1 / count))).toFixed(1)} times`;
  const from = `${one.toFixed(3)} ms and ${few.toFixed(3)} ms; so ${[3, 10, 100].map(toGain).join(', ')} the requests of one`;
  const values = used.map((each) => each.three / each.alone);
  return [{ what: `${name}: processor time with three servers ÷ one`, values, unit: 'ratio', from }];
}

/** Sends requests to the servers in turn; returns the milliseconds of processor time per request. */
async function useProcessor(all: readonly Server[], round: number): Promise<number> {
  const before = all.map(({ pid }) => processorMs(pid));
  const share = Math.floor(countedRequests / all.length);
  const job = await oneJob();
  await Promise.all(
    all.map(({ url }, index) => {
      const from = (round * all.length + index) * share;
      const path = (n: number): string => `/sync/projects/${project}-${n % projectCount}/jobs`;
      return load(url, { ...job, connections: 8, requests: share, path }, { from, isOurs: true });
    }),
  );
  const spent = all.map(({ pid }, index) => processorMs(pid) - (before[index] ?? 0));
  return spent.reduce((sum, ms) => sum + ms, 0) / (share * all.length);
}

/** From the end of a project's owner until another server has applied a request for the project. */
async function measureTakeover(name: string, postgres: Postgres, bench: Bench): Promise<Row> {
  const url = await postgres.createDatabase('takeover');
  const rest = await bench.servers.sandbox(...toOptions(url));
  const values: number[] = [];
  for (let round = 1; round <= bench.rounds; round += 1) {
    bench.say(`${name}, takeover: round ${round} of ${bench.rounds}`);
    const owner = await bench.servers.sandbox(...toOptions(url));
    const body = (): string => JSON.stringify({ id: `JOB-${values.length}` });
    const send = (to: Server): Promise<Response> =>
      fetch(`${to.url}/sync/projects/takeover-${round}/jobs`, { method: 'POST', headers, body: body() });
    await send(owner);
    process.kill(owner.pid, 'SIGKILL');
    const killed = performance.now();
    let response = await send(rest);
    // 502: the connection to the killed server broke while it had the request. A client sends such a request again.
    while (response.status === 502 && performance.now() - killed < 10_000) response = await send(rest);
    values.push((performance.now() - killed) / 1000);
    if (response.status >= 500) throw new Error(`the takeover failed: ${response.status} ${await response.text()}`);
  }
  await rest.stop();
  return { what: `${name}: takeover after a kill`, values, unit: 's', goal: { atMost: 2 }, from: 'one project' };
}

const storedProjects = 10_000;
const usedProjects = 1000;

/** One request after another to many projects in use, with far more in the database. */
async function measureManyProjects(name: string, postgres: Postgres, bench: Bench): Promise<Row> {
  const few = await bench.servers.sandbox(...toOptions(await postgres.createDatabase('few')));
  const many = await bench.servers.sandbox(...toOptions(await postgres.createDatabase('many')));
  const job = await oneJob();
  bench.say(`${name}: fills ${storedProjects.toLocaleString('en')} projects`);
  const fill = { ...job, connections: 32, requests: storedProjects, path: (n: number) => `/sync/projects/p-${n}/jobs` };
  await load(many.url, fill, { from: 0, isOurs: true });
  const times = await playRounds(bench, `${name}, many projects`, async (round) => {
    const from = (round + 1) * storedProjects;
    const play = async (to: Server, count: number): Promise<number> => {
      const path = (n: number): string => `/sync/projects/p-${storedProjects - 1 - (n % count)}/jobs`;
      return mean(
        (await load(to.url, { ...job, connections: 1, requests: usedProjects, path }, { from, isOurs: true })).times,
      );
    };
    return { few: await play(few, 1), many: await play(many, usedProjects) };
  });
  await stopAll([few, many]);
  const values = times.map((time) => time.many / time.few);
  const middle = (key: 'few' | 'many'): string => `${median(times.map((time) => time[key])).toFixed(2)} ms`;
  const from = `mean of a request ${middle('few')}, ${middle('many')}`;
  return { what: `${name}: 1,000 of 10,000 projects ÷ one`, values, unit: 'ratio', from };
}
