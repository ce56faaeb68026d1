/** How long a start takes, from the process to the line that says ready. */
import { median } from './figures.ts';
import type { Bench, Measurement } from './measurement.ts';
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
  const times = starters.map((): number[] => []);
  // They are short, and differ much.
  for (let round = 1; round <= rounds * 2; round += 1) {
    say(`${name}: round ${round} of ${rounds * 2}`);
    for (const [index, { run }] of starters.entries()) {
      const server = await run();
      times[index]?.push(server.startMs);
      await server.stop();
    }
  }
  const [floor = [], ...others] = times;
  return others.map((own, index) => {
    const who = starters[index + 1]?.name ?? '';
    const values = own.map((ms, round) => ms / (floor[round] ?? Number.NaN));
    const from = `floor ${median(floor).toFixed(0)} ms, ${who} ${median(own).toFixed(0)} ms`;
    const isOurs = who === 'sandbox';
    const what = `${name}${isOurs ? '' : `: ${who}`} ÷ floor`;
    return { what, values, unit: 'ratio', goal: isOurs ? goal : undefined, from };
  });
}
