/** The longest time for which one request at a limit holds the event loop, as a probe in another process sees it. */
import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import { startBeside } from './beside.ts';
import { reset } from './control.ts';
import { holdCases } from './holds/cases.ts';
import { type Measurement, playRounds } from './measurement.ts';
import type { Goal } from './row.ts';

/** One measurement for each case, so that each can be run alone. */
export function maxHold(name: string, goal: Goal): readonly Measurement[] {
  return holdCases.map((hold) => {
    const what = `${name}: ${hold.name}`;
    return {
      name: what,
      run: async (bench) => {
        const options = hold.options?.(mkdtempSync(path.join(bench.folder, 'hold-'))) ?? [];
        const { url, stop } = await bench.servers.sandbox('--log', 'off', ...options);
        const probe = await startBeside('probe', url);
        const values = await playRounds(bench, what, async () => {
          const undo = await hold.before?.(url);
          await probe.begin();
          await hold.run(url);
          const maxMs = await probe.end();
          if (typeof undo === 'function') undo();
          await reset(url);
          return maxMs;
        });
        probe.stop();
        await stop();
        const from = `a probe of 10 ms in another process; at most ${Math.max(...values).toFixed(0)} ms`;
        return [{ what, values, unit: 'ms', goal, from }];
      },
    };
  });
}
