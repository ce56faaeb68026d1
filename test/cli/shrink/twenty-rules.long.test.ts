/** `field-sandbox shrink` as a process: the scenario that it writes, its output, and its exit code. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Scenario } from '../../../src/scenarios/types.ts';
import { runCommand } from '../../harness/cli.ts';
import { script } from '../run/script.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'field-sandbox-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Ten requests to a project of its own. Fails if one was answered 503 and one lost its callback. */
const client = `
  const { appendFileSync } = await import('node:fs');
  const project = 'run-' + process.hrtime.bigint();
  await control('PUT', '/projects/' + project + '/clock', { mode: 'frozen' });
  const statuses = [];
  for (let n = 1; n <= 10; n += 1) statuses.push((await jobs(3, project)).status);
  await control('POST', '/projects/' + project + '/clock/advance', { until: 'idle' });
  const { items } = await (await control('GET', '/projects/' + project + '/callbacks')).json();
  const lost = items.some(({ state }) => state === 'dropped');
  if (process.env.RUNS) appendFileSync(process.env.RUNS, 'x');
  console.log(statuses.join(' '), 'lost: ' + lost);
  process.exit(statuses.includes(503) && lost ? 1 : 0);
`;

/** Twenty rules, most of which fire and do no harm. */
const twenty = {
  name: 'chaos',
  seed: 'shrink',
  rules: Array.from({ length: 20 }, (_, index) => {
    if (index === 6) return { name: 'lost', chance: 0.4, then: { callback: { drop: true } } };
    if (index === 13) return { when: { operation: 'async*' }, chance: 0.2, then: { respond: { status: 503 } } };
    if (index % 3 === 0) return { when: { item: { every: 3 } }, then: { fail: 'no street', after: '5s' } };
    if (index % 3 === 1) return { when: { operation: 'sync*' }, then: { respond: { status: 500 } } };
    return { when: { request: { nth: 2 } }, chance: 0.5, then: { latency: '1ms' } };
  }),
  expect: [{ rule: 'lost' }],
};

const file = (name: string): string => path.join(folder, name);

function writeScenario(name: string, scenario: object): string {
  writeFileSync(file(name), JSON.stringify(scenario));
  return file(name);
}

test('a failure of two rules among twenty is found within 40 runs, and the written scenario repeats it', async () => {
  const scenario = writeScenario('chaos.json', twenty);
  const [out, runs] = [file('shrunk.yaml'), file('runs.txt')];
  const shrunk = await runCommand(['shrink', '--scenario', scenario, '--out', out, '--', ...script(client)], {
    RUNS: runs,
  });
  expect(shrunk.err).toContain('run 1: passes without the scenario');
  expect(shrunk.err).toContain('run 2: fails with 20 rules: exit code 1');
  expect(shrunk.code).toBe(0);
  const count = readFileSync(runs, 'utf8').length;
  expect(count).toBeLessThanOrEqual(40);
  expect(shrunk.out).toContain(`shrunk.yaml: 2 rules instead of 20, after ${count} runs of the command\n`);
  const text = readFileSync(out, 'utf8');
  expect(shrunk.out).toContain(text.split('\n').slice(2).join('\n'));
  const written = parse(text) as Scenario;
  const when = { operation: 'asyncImportJobs', request: { nth: 1 } };
  expect(written).toEqual({
    name: 'chaos',
    description: 'What is left of 20 rules of chaos: with it, the command fails.',
    rules: [
      { name: 'lost', when, then: { callback: { drop: true } } },
      { name: 'rule 14', when, then: { respond: { status: 503 } } },
    ],
  });
  const again = await runCommand(['run', '--scenario', out, '--', ...script(client)]);
  expect(again.code).toBe(1);
  expect(again.out).toContain('503 × 1');
  expect(again.out).toContain('dropped × 1');
}, 90_000);
