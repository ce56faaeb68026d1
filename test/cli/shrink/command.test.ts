/** `field-sandbox shrink` as a process: the scenario that it writes, its output, and its exit code. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Scenario } from '../../../src/scenarios/types.ts';
import { useProgram } from '../../harness/program.ts';
import { script } from '../run/script.ts';

const program = useProgram();

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

const file = (name: string): string => path.join(program.folder, name);

function writeScenario(name: string, scenario: object): string {
  writeFileSync(file(name), JSON.stringify(scenario));
  return file(name);
}

test('a failure of two rules among twenty is found within 40 runs, and the written scenario repeats it', async () => {
  const scenario = writeScenario('chaos.json', twenty);
  const [out, runs] = [file('shrunk.yaml'), file('runs.txt')];
  const shrunk = await program.run(['shrink', '--scenario', scenario, '--out', out, '--', ...script(client)], {
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
  const again = await program.run(['run', '--scenario', out, '--', ...script(client)]);
  expect(again.code).toBe(1);
  expect(again.out).toContain('lost: true');
}, 90_000);

test('a command that passes with the scenario, or fails without it, is wrong use', async () => {
  const out = file('none.yaml');
  const passing = ['shrink', '--scenario', 'geocoder-rejects-third-job', '--out', out, '--'];
  const passed = await program.run([...passing, ...script("console.log('fine', (await jobs(1)).status)")]);
  expect(passed.code).toBe(2);
  expect(passed.err).toContain('with the scenario, the command passes too, so there is no failure to shrink;');
  expect(passed.err).toContain('; only its exit code counts, not the expectations of the scenario. ');
  expect(passed.err).toContain('Its last lines:\nfine 202\n');
  const failed = await program.run([...passing, ...script("console.log('never'); process.exit(3)")]);
  expect(failed.code).toBe(2);
  expect(failed.err).toContain(
    'without the scenario, the command fails too: it ended with 3; expected 0. Its last lines:\nnever\n',
  );
  const unconnected = await program.run([...passing, ...script('')]);
  expect(unconnected.err).toContain('it sent no request to the sandbox: does it use SANDBOX_URL?');
  expect(existsSync(out)).toBe(false);
}, 60_000);

/** Fails once, at the first run under the scenario. */
const flaky = `
  const { existsSync, writeFileSync } = await import('node:fs');
  const { status } = await jobs(1);
  if (status === 202 || existsSync(process.env.MARK)) process.exit(0);
  writeFileSync(process.env.MARK, '');
  process.exit(1);
`;

test('a failure that does not happen again is written, and reported', async () => {
  const scenario = writeScenario('down.json', { name: 'down', rules: [{ then: { respond: { status: 503 } } }] });
  const out = file('flaky.yaml');
  const args = ['shrink', '--scenario', scenario, '--out', out, '--', ...script(flaky)];
  const { code, err } = await program.run(args, { MARK: file('mark') });
  expect(code).toBe(1);
  expect(err).toContain('one more run passed: with this scenario, the command does not fail every time\n');
  expect(parse(readFileSync(out, 'utf8'))).toMatchObject({ rules: [{ then: { respond: { status: 503 } } }] });
}, 60_000);

/** Fails under any failure. */
const strict = 'process.exit((await jobs(1)).status === 202 ? 0 : 1);';

test('after the budget, and after a signal, the smallest scenario so far is written', async () => {
  const scenario = writeScenario('both.json', {
    name: 'both',
    rules: [{ then: { latency: '1ms' } }, { then: { respond: { status: 503 } } }],
  });
  const out = file('budget.yaml');
  const args = ['shrink', '--scenario', scenario, '--out', out];
  const budget = await program.run([...args, '--budget', '1ms', '--', ...script(strict)]);
  expect(budget.code).toBe(0);
  expect(budget.err).toContain('ended early: a smaller scenario may fail too\n');
  expect(budget.out).toContain('budget.yaml: 2 rules instead of 2, after 2 runs of the command\n');
  rmSync(out);
  const running = program.start([...args, '--', ...script(strict)]);
  running.child.stderr?.on('data', (text) => {
    if (String(text).includes('run 2: fails')) running.child.kill('SIGINT');
  });
  const stopped = await running.ended;
  expect(stopped.code).toBe(130);
  expect(parse(readFileSync(out, 'utf8'))).toMatchObject({ name: 'both' });
}, 60_000);

test('mistakes of the options are reported all at once', async () => {
  const { code, err } = await program.run(['shrink', '--budget', 'soon', '--', 'true']);
  expect(code).toBe(2);
  expect(err).toContain('expected --scenario FILE: the scenario with which the command fails\n');
  expect(err).toContain('--budget: expected a duration longer than 0');
  const scenario = writeScenario('same.yaml', twenty);
  const same = await program.run(['shrink', '--scenario', scenario, '--out', scenario, '--', 'true']);
  expect(same).toMatchObject({ code: 2, err: `--out: ${scenario} is the scenario to shrink; expected another file\n` });
  const bare = await program.run(['shrink', '--scenario', scenario]);
  expect(bare).toMatchObject({ code: 2, err: expect.stringContaining('expected a command after --') });
});
