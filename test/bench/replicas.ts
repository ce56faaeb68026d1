/** What servers that share a database cost, against one with `--data` in the same run. */
import path from 'node:path';
import { type Postgres, startPostgres } from '../cluster/harness/postgres.ts';
import { postgresIsMissing } from '../cluster/harness/postgres-binaries.ts';
import { median } from '../rig/figures.ts';
import { headers, load, type Payload } from './load.ts';
import { type Bench, compare, type Measurement, type Side } from './measurement.ts';
import { oneJob, project } from './payloads.ts';
import type { Goal, Row } from './row.ts';
import type { Server } from './servers.ts';

/** What PostgreSQL has without a setting. The tests use less. */
const defaultBuffers = '128MB';
const projectCount = 32;

/** Measures replicas. Without PostgreSQL on this machine, the row says so. */
export function replicas(name: string): Measurement {
  return {
    name,
    run: async (bench) => {
      if (postgresIsMissing) return [{ what: name, values: [], unit: 'ratio', from: 'PostgreSQL is not installed' }];
      const postgres = await startPostgres({ settings: { shared_buffers: defaultBuffers } });
      try {
        return [...(await compareWithData(name, postgres, bench)), await measureTakeover(name, postgres, bench)];
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

/** The middle of the times of requests, or how many there were per second. */
type Figure = 'median' | 'perSecond';

function toSide(name: string, { url }: Server, figure: Figure, payload: Payload): Side {
  let from = 0;
  return {
    name,
    play: async () => {
      const { times, perSecond } = await load(url, payload, { from, isOurs: true });
      from += payload.requests;
      return figure === 'perSecond' ? perSecond : median(times);
    },
  };
}

/** One request after another, and many side by side: at the owner, forwarded, and with `--data`. */
async function compareWithData(name: string, postgres: Postgres, bench: Bench): Promise<readonly Row[]> {
  const kept = await bench.servers.sandbox('--data', path.join(bench.folder, 'beside-replicas'));
  const three = await startThree(postgres, 'compared', bench);
  // The owner gets the first request.
  const [owner, other] = three as [Server, Server, Server];
  const job = await oneJob();
  /** Both sides that share a database send to the same projects, and no id comes twice. */
  const compareOne = async (
    [what, goal]: readonly [string, Goal],
    [forwarded, forwardedGoal]: readonly [string, Goal | undefined],
    { figure, ...load }: Pick<Payload, 'connections' | 'requests' | 'path'> & { readonly figure: Figure },
  ): Promise<readonly Row[]> => {
    const later = { ...job, ...load, body: (n: number) => job.body(n + 1_000_000) };
    return compare(bench, name, {
      ...{ way: 'ratio', of: figure === 'median' ? ' ms' : '/s' },
      base: toSide('--data', kept, figure, later),
      others: [
        { ...toSide('owner', owner, figure, { ...job, ...load }), what: `${name}: ${what} ÷ --data`, goal },
        {
          ...toSide('forwarded', other, figure, later),
          ...{ what: `${name}: ${forwarded} ÷ --data`, goal: forwardedGoal },
        },
      ],
    });
  };
  const rows = [
    await compareOne(['one job at its owner', { atMost: 1.2 }], ['one job, forwarded', { atMost: 1.6 }], {
      ...{ figure: 'median', connections: 1, requests: 200, path: job.path },
    }),
    await compareOne(
      [`${projectCount} projects, per second`, { atLeast: 1.5 }],
      [`${projectCount} projects, forwarded`, undefined],
      {
        ...{ figure: 'perSecond', connections: projectCount, requests: 6000 },
        path: (n) => `/sync/projects/${project}-${n % projectCount}/jobs`,
      },
    ),
  ];
  await stopAll([kept, ...three]);
  return rows.flat();
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
