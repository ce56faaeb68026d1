/** The longest time for which one request at a limit holds the event loop, as a probe in another process sees it. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import { reset } from './control.ts';
import { type HoldCase, holdCases } from './holds/cases.ts';
import { type Bench, type Measurement, playRounds } from './measurement.ts';
import type { Goal, Row } from './row.ts';

/** One measurement for each case, so that each can be run alone. */
export function maxHold(name: string, goal: Goal): readonly Measurement[] {
  return holdCases.map((hold) => {
    const what = `${name}: ${hold.name}`;
    return { name: what, run: (bench) => measure(what, hold, goal, bench) };
  });
}

async function measure(what: string, hold: HoldCase, goal: Goal, bench: Bench): Promise<readonly Row[]> {
  const options = hold.options?.(mkdtempSync(path.join(bench.folder, 'hold-'))) ?? [];
  const { url, stop } = await bench.servers.sandbox('--log', 'off', ...options);
  const probe = fork('dist/bench/probe.mjs', [url]);
  try {
    await once(probe, 'message');
    const values = await playRounds(bench, what, () => playRound(hold, url, probe));
    const from = `a probe of 10 ms in another process; at most ${Math.max(...values).toFixed(0)} ms`;
    return [{ what, values, unit: 'ms', goal, from }];
  } finally {
    probe.kill();
    await stop();
  }
}

async function playRound(hold: HoldCase, url: string, probe: ChildProcess): Promise<number> {
  const undo = await hold.before?.(url);
  probe.send('begin');
  await hold.run(url);
  probe.send('end');
  const [maxMs] = (await once(probe, 'message')) as [number];
  undo?.();
  await reset(url);
  return maxMs;
}
