/**
 * `npm run bench`: compares the sandbox with the floor (bare Express that only parses JSON), each in its own process, in the
 * same run. The sandbox does all its work: key, validation, scenarios with magic ids, records, journal, log.
 * docs/contributing/benchmark.md describes the rows.
 */
import os from 'node:os';
import { endOnSignals } from '../rig/process.ts';
import { callbackBurst } from './callback-burst.ts';
import { type BenchOptions, isSelected, parseBenchOptions } from './command-line.ts';
import { greedyProject } from './greedy-project.ts';
import { identifierCost } from './identifier-cost.ts';
import { importGrowth } from './import-growth.ts';
import { keptCost } from './kept-cost.ts';
import { kitTime } from './kit-time.ts';
import { maxHold } from './longest-hold.ts';
import type { Measurement } from './measurement.ts';
import { memory } from './memory.ts';
import { asyncJobBatch, jobBatch, oneJob, oneLocation } from './payloads.ts';
import { createProgress } from './progress.ts';
import { replicas } from './replicas/replicas.ts';
import { head, toRowLine } from './row.ts';
import { ruleCost } from './rule-cost.ts';
import { createFolder, servers } from './servers.ts';
import { startTime } from './start-time.ts';
import { throughput } from './throughput.ts';

/** The measurements with their goals. */
const measurements: readonly Measurement[] = [
  startTime('start', { atMost: 1 }),
  kitTime('startSandbox() of the kit', { atMost: 100 }),
  throughput({ name: 'one location', payload: oneLocation, goal: { atLeast: 2 } }),
  throughput({ name: 'one job', payload: oneJob, goal: { atLeast: 1.6 } }),
  // A template may cost 10 % of a small request.
  throughput({
    name: 'one job, with a template',
    payload: async () => ({ ...(await oneJob()), name: 'one job, with a template' }),
    goal: { atLeast: 1.44 },
    profile: 'bodies: { syncCreateJob: { id: "{id}", text: "{message} as {status}", at: "{timestamp}" } }',
  }),
  throughput({ name: '100 jobs', payload: jobBatch(100, 400), goal: { atLeast: 0.85 } }),
  throughput({ name: '1,000 jobs', payload: jobBatch(1000, 60), goal: { atLeast: 0.85 }, p99Goal: { atMost: 2 } }),
  throughput({
    name: '1,000 jobs, asynchronous',
    payload: asyncJobBatch(1000, 60),
    goal: { atLeast: 0.75 },
    profile: 'downstream: { processing: 0ms }',
  }),
  callbackBurst('1,000 callbacks over 50 projects', { atMost: 2 }),
  ruleCost('1,000 rules', { atMost: 10 }),
  identifierCost('moved identifier', { atMost: 10 }),
  importGrowth('10,000 ÷ 1,000', { atMost: 11 }),
  memory('memory', { idle: { atMost: 80 }, held: { atMost: 220 } }),
  keptCost('--data'),
  replicas('replicas'),
  greedyProject('beside a greedy project', { atMost: 3 }),
  ...maxHold('longest hold', { atMost: 100 }),
];

async function run({ rounds, only }: BenchOptions): Promise<void> {
  endOnSignals();
  const progress = createProgress(process.stderr);
  const machine = `Node ${process.version}, ${os.availableParallelism()} cores`;
  process.stdout.write(`${machine}; the figure is the median of the rounds.\n\n${head}`);
  const bench = { rounds, servers, folder: createFolder(), ...progress };
  for (const measurement of measurements.filter(({ name }) => isSelected(name, only))) {
    const rows = await measurement.run(bench);
    progress.clear();
    process.stdout.write(rows.map(toRowLine).join(''));
  }
}

const options = parseBenchOptions(
  process.argv.slice(2),
  measurements.map(({ name }) => name),
  (text) => void process.stdout.write(text),
  (text) => void process.stderr.write(text),
);
if (typeof options === 'number') process.exitCode = options;
else await run(options);
