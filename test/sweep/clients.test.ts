/** The reference clients pass where nothing fails; the robust one survives or reports every kind of failure. */
import { spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, test } from 'vitest';
import { isFull, sampleOf } from '../harness/amounts.ts';
import { weaknesses } from './clients/weaknesses.mjs';
import { type FailureCase, failureCases } from './failure-cases.ts';
import { type ClientRun, runClient } from './run-client.ts';

/** Time that the robust client takes at most, on a busy machine. */
const maxMs = 10_000;

const folder = 'test/sweep/clients';
const weaknessesElsewhere = ['ignores-status', 'no-timeout', 'retries-with-new-ids'];
const robust = [process.execPath, `${folder}/robust.mjs`];

/** Commands by name; a language is skipped, and reported, where the machine lacks it. */
const clients: readonly (readonly [name: string, command: readonly string[]])[] = [
  ['robust', robust],
  ...Object.keys(weaknesses).map((name) => [name, [process.execPath, `${folder}/weak.mjs`, name]] as const),
  ...commandsOf('python3', `${folder}/python/suite.py`, ['robust', 'random-ids', ...weaknessesElsewhere]),
  ...commandsOf('java', `${folder}/java/Suite.java`, ['robust', ...weaknessesElsewhere]),
];

function commandsOf(program: string, file: string, variants: readonly string[]) {
  if (spawnSync(program, ['--version']).status !== 0) {
    console.warn(`${file} is not tried: this machine has no ${program}`);
    return [];
  }
  return variants.map((variant) => [`${program} ${variant}`, [program, file, variant]] as const);
}

let baseline: ClientRun;
beforeAll(async () => {
  baseline = await runClient(robust);
}, 60_000);

describe('without a failure, a client passes', () => {
  test.each(sampleOf(clients, 0))('%s', async (_name, command) => {
    const { code, out } = await runClient(command);
    expect({ code, out }).toEqual({ code: 0, out: 'passed\n' });
  });
});

/** One of each mode. The robust client also survives the failures of the other eight operations. */
const operations = ['asyncImportJobs', 'syncCreateJob'];

describe.runIf(isFull)('the robust client recovers from a failure or reports it', () => {
  test.each(operations)('of %s', { timeout: 120_000 }, async (operation) => {
    const waiting = [...(await failureCases(operation))];
    expect(waiting.length).toBeGreaterThan(20);
    const bad: string[] = [];
    const work = async (): Promise<void> => {
      for (let one = waiting.shift(); one; one = waiting.shift()) bad.push(...(await judge(one)));
    };
    await Promise.all([work(), work(), work()]);
    expect(bad).toEqual([]);
  });
});

async function judge({ name, expects, scenario }: FailureCase): Promise<readonly string[]> {
  const { code, out, ms, records } = await runClient(robust, [scenario]);
  const isRecovered = code === 0 && records.join() === baseline.records.join();
  const isReported = expects === 'report' && code === 1 && out.startsWith('failed: ');
  return (isRecovered || isReported) && ms < maxMs
    ? []
    : [`${name}: exit ${code} after ${ms} ms, ${out}${records.join('\n')}`];
}
