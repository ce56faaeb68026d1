/** How long it takes until all callbacks of a thousand instructions that come at once have arrived. */
import { median } from '../rig/figures.ts';
import { startReceiver } from '../rig/receiver.ts';
import { reset } from './control.ts';
import { load, type Payload } from './load.ts';
import { type Measurement, playRounds } from './measurement.ts';
import type { Goal } from './row.ts';

const projects = 50;
const wanted = 1000;
/** Waiting for longer is of no use. */
const maxMs = 60_000;

/** Each request imports one job that fails, over 50 projects, a connection for each. */
const payload: Payload = {
  ...{ name: '', connections: projects, requests: wanted },
  path: (n) => `/async/projects/burst-${n % projects}/jobs`,
  body: (n) => JSON.stringify({ jobs: [{ id: `FAIL-${n}` }] }),
};

export function callbackBurst(name: string, goal: Goal): Measurement {
  return {
    name,
    run: async (bench) => {
      const ids = new Set<string>();
      let finish = (): void => undefined;
      const receiver = await startReceiver(({ headers }) => {
        if (ids.add(String(headers['webhook-id'])).size === wanted) finish();
        return 200;
      });
      const { url, stop } = await bench.servers.sandbox('--callback-url', receiver.url);
      const bursts = await playRounds(bench, name, async () => {
        ids.clear();
        const began = performance.now();
        const arrived = new Promise<number>((resolve, reject) => {
          const fail = (): void => reject(new Error(`${ids.size} of ${wanted} callbacks came in a minute`));
          const timer = setTimeout(fail, maxMs);
          finish = () => {
            clearTimeout(timer);
            resolve(performance.now() - began);
          };
        });
        await load(url, payload, { from: 0, isOurs: true });
        const acceptedMs = performance.now() - began;
        const lastMs = await arrived;
        await reset(url);
        return { acceptedMs, lastMs };
      });
      await stop();
      await receiver.close();
      const values = bursts.map(({ lastMs }) => lastMs / 1000);
      const acceptedS = median(bursts.map(({ acceptedMs }) => acceptedMs / 1000));
      return [
        { what: `${name}, the last`, values, unit: 's', goal, from: `all accepted after ${acceptedS.toFixed(2)} s` },
      ];
    },
  };
}
