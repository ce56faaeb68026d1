/**
 * `npm run bench`: compares the sandbox with the floor (bare Express that only parses JSON), each in its own process, in the
 * same run. The sandbox does all its work: key, validation, scenarios with magic ids, records, journal, log.
 * docs/contributing/benchmark.md describes the rows.
 */
import os from 'node:os';
import { Command, InvalidArgumentError } from 'commander';
import { endOnSignals } from '../rig/process.ts';
import { callbackBurst } from './callback-burst.ts';
import { identifierCost, importGrowth, keptCost, ruleCost, startTime, throughput } from './costs.ts';
import { greedyProject } from './greedy-project.ts';
import { kitTime } from './kit-time.ts';
import { maxHold } from './longest-hold.ts';
import type { Measurement } from './measurement.ts';
import { memory } from './memory.ts';
import { asyncJobBatch, jobBatch, oneJob, oneLocation } from './payloads.ts';
import { createProgress } from './progress.ts';
import { replicas } from './replicas.ts';
import { head, toRowLine } from './row.ts';
import { createFolder, servers } from './servers.ts';

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

/** Parses a whole number of an option. */
function toCount(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new InvalidArgumentError(`expected a whole number from 1 to 999, got ${JSON.stringify(text)}`);
}

const names = measurements.map(({ name }) => name);
const command = new Command('npm run bench --')
  .description(
    'Measure the sandbox against bare Express in the same run. The table goes to stdout, progress to stderr.',
  )
  .option('--rounds <number>', 'rounds of each measurement', toCount, 5)
  .option('--only <text>', 'only measurements whose names contain the text')
  .addHelpText('after', `\nMeasurements:\n${names.map((name) => `  ${name}\n`).join('')}`)
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .parse();
const { rounds, only = '' } = command.opts<{ readonly rounds: number; readonly only?: string }>();
const selected = measurements.filter(({ name }) => name.toLowerCase().includes(only.toLowerCase()));
if (selected.length === 0)
  command.error(`--only: no measurement contains ${JSON.stringify(only)}; the measurements are ${names.join('; ')}`);

endOnSignals();
const progress = createProgress(process.stderr);
const machine = `Node ${process.version}, ${os.availableParallelism()} cores`;
process.stdout.write(`${machine}; the figure is the median of the rounds.\n\n${head}`);
const bench = { rounds, servers, folder: createFolder(), say: progress.say };
for (const measurement of selected) {
  const rows = await measurement.run(bench);
  progress.clear();
  process.stdout.write(rows.map(toRowLine).join(''));
}
