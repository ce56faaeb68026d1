/** How long a start takes: from the process to the line that says ready, and to the first answer of the API. */
import { median } from './figures.ts';
import { load } from './load.ts';
import type { Bench, Measurement } from './measurement.ts';
import { oneLocation } from './payloads.ts';
import type { Goal, Row } from './row.ts';
import type { Launch, Server } from './servers.ts';

/** Floor, sandbox and others in turn. */
export function startTime(name: string, goal: Goal): Measurement {
  return { name, run: (bench) => measure(name, goal, bench) };
}

async function measure(name: string, goal: Goal, { rounds, servers, peers, say }: Bench): Promise<readonly Row[]> {
  const launches = await Promise.all(peers.map(async (peer) => ({ ...peer, launch: await peer.launch() })));
  const starters: { readonly name: string; run(): Promise<Server> }[] = [
    { name: 'floor', run: servers.floor },
    { name: 'sandbox', run: () => servers.sandbox() },
    ...launches.map(({ name: peer, launch }: { name: string; launch: Launch }) => ({
      name: peer,
      run: () => servers.start(launch),
    })),
  ];
  const ready = starters.map((): number[] => []);
  const answered = starters.map((): number[] => []);
  const once = { ...(await oneLocation()), connections: 1, requests: 1 };
  // They are short, and differ much.
  for (let round = 1; round <= rounds * 2; round += 1) {
    say(`${name}: round ${round} of ${rounds * 2}`);
    for (const [index, { name: who, run }] of starters.entries()) {
      const server = await run();
      const { times } = await load(server.url, once, { from: 0, isOurs: who === 'sandbox' });
      ready[index]?.push(server.startMs);
      answered[index]?.push(server.startMs + (times[0] ?? Number.NaN));
      await server.stop();
    }
  }
  const names = starters.map((starter) => starter.name);
  return [
    ...toRows(`${name} to ready`, goal, names, ready),
    ...toRows(`${name} to the first answer`, goal, names, answered),
  ];
}

/** Each but the floor, which comes first, as a ratio to it. */
function toRows(what: string, goal: Goal, names: readonly string[], times: readonly (readonly number[])[]): Row[] {
  const [floor = [], ...others] = times;
  return others.map((own, index) => {
    const who = names[index + 1] ?? '';
    const values = own.map((ms, round) => ms / (floor[round] ?? Number.NaN));
    const from = `floor ${median(floor).toFixed(0)} ms, ${who} ${median(own).toFixed(0)} ms`;
    const isOurs = who === 'sandbox';
    return {
      what: `${what}${isOurs ? '' : `: ${who}`} ÷ floor`,
      values,
      unit: 'ratio',
      goal: isOurs ? goal : undefined,
      from,
    };
  });
}
