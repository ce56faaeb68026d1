/** Rules that are pinned to what fired in a run do the same in the next run. */
import { expect, test } from 'vitest';
import { findPins, pinRule } from '../../../src/cli/shrink/pins.ts';
import { joinScenarios, parseRules } from '../../../src/cli/shrink/scenario.ts';
import { runTrial, type TrialResult } from '../../../src/cli/trial/trial.ts';
import { readSandboxFiles } from '../../../src/config/sandbox-files.ts';
import { createWallClock } from '../../../src/lib/time.ts';
import { type CompiledScenario, compileScenario } from '../../../src/scenarios/compile.ts';
import type { Rule } from '../../../src/scenarios/types.ts';
import { readOptions } from '../../harness/start-sandbox.ts';
import { script } from '../run/script.ts';

/** The same requests to two projects, and again to one of them after its reset. All clocks are frozen. */
const client = script(`
  for (const project of ['p', 'q', 'p']) {
    await control('POST', '/projects/' + project + '/reset');
    await control('PUT', '/projects/' + project + '/clock', { mode: 'frozen' });
    for (const count of [3, 1, 6, 4, 2]) await jobs(count, project);
    await control('POST', '/projects/' + project + '/clock/advance', { until: 'idle' });
    for (const id of ['S-1', 'S-2', 'S-3']) {
      await send('POST', '/sync/projects/' + project + '/jobs', { jobs: [{ id }] });
      await jobs(5, project);
    }
  }
`);

async function run(scenario: CompiledScenario): Promise<TrialResult> {
  const options = readOptions();
  return runTrial({
    ...{
      options,
      command: client,
      io: process,
      bugs: new Set<string>(),
      environment: {},
      scenarios: [scenario],
      wall: createWallClock(),
    },
    files: await readSandboxFiles(options),
    signal: new AbortController().signal,
  });
}

/** What clients observe: responses, and failed entries of callbacks. */
const toObserved = ({ requests, lives }: TrialResult): readonly string[] => [
  ...requests.map(({ project, evidence, status }) => `${project} ${evidence.change}: ${status}`).toSorted(),
  ...lives.map(({ project, callbacks }) => {
    const shown = callbacks.map(({ change, state, body }) => [change, state, body.data.failed]);
    return JSON.stringify([project, shown]);
  }),
];

test.each<[string, Rule]>([
  ['requests by chance', { chance: 0.4, then: { respond: { status: 503 } } }],
  ['requests by chance, over all projects', { scope: 'server', chance: 0.4, then: { respond: { status: 503 } } }],
  ['entries by chance', { when: { operation: 'async*', item: { every: 1 } }, chance: 0.3, then: { fail: 'x' } }],
  ['entries by id and chance', { when: { item: { id: ['J-2', 'J-4'] } }, chance: 0.5, then: { refuse: 'x' } }],
  ['callbacks by chance', { chance: 0.4, then: { callback: { drop: true } } }],
  ['the nth of several operations', { when: { request: { from: 6, to: 9 } }, then: { respond: { status: 503 } } }],
])('%s', async (_, rule) => {
  const joined = joinScenarios([await compileScenario({ name: 'abc', rules: [rule] })]);
  const compiled = await compileScenario({ name: 'abc', rules: joined.rules });
  const first = await run(compiled);
  const pins = findPins(first, compiled).get('rule 1') ?? [];
  expect(pins.length).toBeGreaterThan(0);
  expect(pins.length).toBeLessThan(first.requests.length);
  const [named] = joined.rules;
  const scenario = named && parseRules(joined.frame, pinRule(named, pins));
  if (!scenario) throw new Error('the pinned rules are not valid');
  const second = await run(await compileScenario(scenario));
  expect(toObserved(second)).toEqual(toObserved(first));
});
