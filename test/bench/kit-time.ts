/** How long a test waits for `startSandbox()`, with the import where it is the first of its process. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { median } from '../rig/figures.ts';
import type { Measurement } from './measurement.ts';
import type { Goal } from './row.ts';

export function kitTime(name: string, goal: Goal): Measurement {
  return {
    name,
    run: async ({ rounds, say }) => {
      const first: number[] = [];
      const later: number[] = [];
      for (let round = 1; round <= rounds; round += 1) {
        say(`${name}: round ${round} of ${rounds}`);
        // Where SANDBOX_URL is set, the kit attaches to that sandbox.
        const { stdout } = await promisify(execFile)(process.execPath, ['dist/bench/kit-start.mjs'], { env: {} });
        const { firstMs, laterMs } = JSON.parse(stdout) as { firstMs: number; laterMs: number[] };
        first.push(firstMs);
        later.push(median(laterMs));
      }
      return [
        { what: `${name}, first`, values: first, unit: 'ms', goal, from: 'import and startSandbox() in a new process' },
        { what: `${name}, later`, values: later, unit: 'ms', from: 'startSandbox() in the same process' },
      ];
    },
  };
}
