/** The report of a run, its exit code, and the progress line. */
import { expect, test } from 'vitest';
import { showProgress } from '../../../src/cli/output/progress.ts';
import { type RunSummary, toExitCode, toReport } from '../../../src/cli/run/report.ts';
import { createTestWall } from '../../harness/wall.ts';
import { createRun, createScenario, createTotals, fired, idle, met, unlucky, unmet } from './values.ts';

const plain = (run: RunSummary): string => toReport(run, (_colour, text) => text);

test('lists the result of each scenario, the totals, and the verdict', () => {
  const totals = createTotals({
    requests: 5,
    statuses: new Map([
      ['GET /x', new Map([['404', 1]])],
      ['asyncImportJobs', new Map([['202', 3]]).set('400', 1)],
    ]),
    mistakes: new Map([['asyncImportJobs 400', new Map([['/jobs: expected an array', 1]])]]),
    callbacks: 1,
    states: new Map([['jobs.import.failed', new Map([['inbox', 1]])]]),
  });
  const scenarios = [createScenario([fired, idle, unlucky], [met, unmet])];
  expect(plain(createRun({ verdict: { scenarios, totals, pending: 2 } }))).toBe(`
it
  ✓ one: fired 2 times
  ✗ two: never fired; closest request: X
  – three: never fired (chance 0.1); closest request: Y
  ✓ requests: wanted 1, was 1
  ✗ callbacks: were 0

5 requests
  asyncImportJobs: 202 × 3, 400 × 1
  GET /x: 404 × 1
rejected
  1 × asyncImportJobs 400: /jobs: expected an array
1 callback
  jobs.import.failed: inbox × 1
commands and callback attempts still pending after a day: 2

failed: 1 rule never fired, 1 expectation not met (npm test, 1.2 s)
`);
});

test.each<[string, RunSummary, number]>([
  ['all passed', createRun({ verdict: { scenarios: [createScenario([fired, unlucky], [met])] } }), 0],
  ['a rule never fired', createRun({ verdict: { scenarios: [createScenario([idle])] } }), 1],
  ['an expectation is not met', createRun({ verdict: { scenarios: [createScenario([], [unmet])] } }), 1],
  ['the sandbox has a bug', createRun({ bugs: ['req_1: oops'] }), 1],
  ["the command's code comes first", createRun({ code: 7, bugs: ['req_1: oops'] }), 7],
])('the exit code: %s', (_, run, code) => {
  expect(toExitCode(run)).toBe(code);
  expect(plain(run)).toMatch(code === 0 ? /\npassed: npm test, 1\.2 s\n$/ : /\nfailed: /);
});

test('reports a bug in the sandbox', () => {
  expect(plain(createRun({ bugs: ['req_1: oops'] }))).toContain('bug in the sandbox, not in your code: req_1: oops\n');
});

test('lists scenarios of single projects on one line each, failed ones first, up to a maximum', () => {
  const many = Array.from({ length: 30 }, (_, n) =>
    createScenario([fired], [n < 25 ? met : unmet], { name: `s${n}`, projects: [`p${n}`] }),
  );
  const lines = plain(createRun({ verdict: { scenarios: many } })).split('\n');
  expect(lines.slice(1, 4)).toEqual([
    'active for single projects',
    '  ✗ s25 in project p25: rules fired 2 times, 0 of 1 expectation met',
    '    ✗ callbacks: were 0',
  ]);
  expect(lines).toContain('  and 10 more, 0 of them failed');
});

test('texts of a client are cut, without control characters', () => {
  const mistakes = new Map([['x 400', new Map([[`\u001b[2J\nfailed: ${'y'.repeat(5000)}`, 1]])]]);
  const totals = createTotals({ requests: 1, mistakes });
  const report = plain(createRun({ verdict: { totals } }));
  expect(report).not.toContain('\u001b');
  expect(Math.max(...report.split('\n').map(({ length }) => length))).toBeLessThan(310);
});

test('progress: a line in the last row of a terminal, updated twice a second, and cleared at the end', () => {
  const wall = createTestWall();
  const written: string[] = [];
  let count = 0;
  const terminal = { isTTY: true, rows: 24, columns: 80, write: (text: string) => void written.push(text) };
  const end = showProgress(terminal, wall, () => `drawn ${++count}`);
  wall.pass(1000);
  expect(written.join('')).toMatch(/drawn 1.*drawn 2.*drawn 3/s);
  // The command writes in the rows above, until the end.
  expect(written[0]).toContain('\u001b[1;23r');
  end();
  expect(written.at(-1)).toContain('\u001b[r');
  expect(wall.timers()).toEqual([]);
});

test('lists why callbacks were not delivered, and what to do if the receiver had ended', () => {
  const why = 'connection refused by http://127.0.0.1:1/; the command had ended';
  const failures = new Map([
    ['jobs.import.failed', new Map([['http://127.0.0.1:1/ responded with 500', 1]]).set(why, 2)],
  ]);
  const report = (hasLateFailure: boolean) =>
    plain(createRun({ verdict: { totals: createTotals({ callbacks: 3, failures, hasLateFailure }) } }));
  const lines = `not delivered
  2 × jobs.import.failed: ${why}
  1 × jobs.import.failed: http://127.0.0.1:1/ responded with 500
`;
  expect(report(false)).toContain(`${lines}\npassed: `);
  expect(report(true)).toContain(
    `${lines}  The receiver has to run until its callbacks are sent: in the test, freeze the`,
  );
});

test('equal counts are sorted by name', () => {
  const statuses = [['b', new Map([['400', 1]]).set('202', 1)] as const, ['a', new Map([['200', 2]])] as const];
  const mistakes = [['b 400', new Map([['y', 1]]).set('x', 1)] as const, ['a 400', new Map([['z', 1]])] as const];
  const toText = (one: typeof statuses, other: typeof mistakes): string =>
    plain(
      createRun({
        verdict: {
          totals: createTotals({ requests: 4, statuses: new Map(one), mistakes: new Map(other) }),
        },
      }),
    );
  const text = toText(statuses, mistakes);
  expect(text).toContain(
    '  a: 200 × 2\n  b: 202 × 1, 400 × 1\nrejected\n  1 × a 400: z\n  1 × b 400: x\n  1 × b 400: y\n',
  );
  expect(toText(statuses.toReversed(), mistakes.toReversed())).toBe(text);
});

test('progress: nothing without a terminal', () => {
  const wall = createTestWall();
  const written: string[] = [];
  showProgress({ write: (text) => void written.push(text) }, wall, () => 'drawn')();
  expect({ written, timers: wall.timers() }).toEqual({ written: [], timers: [] });
});

test('progress: nothing on a terminal of kind dumb', () => {
  const written: string[] = [];
  const terminal = { isTTY: true, rows: 24, columns: 80, write: (text: string) => void written.push(text) };
  showProgress(terminal, createTestWall(), () => 'drawn', 'dumb')();
  expect(written).toEqual([]);
});
