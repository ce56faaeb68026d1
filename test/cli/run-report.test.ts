/** The report of a run, its exit code, and the line that tells how far it is. */
import { expect, test } from 'vitest';
import { showProgress } from '../../src/cli/progress.ts';
import { type RunSummary, toExitCode, toReport } from '../../src/cli/run/report.ts';
import { createTestWall } from '../harness/wall.ts';
import { createRun, createScenario, fired, idle, met, unlucky, unmet } from './run-values.ts';

const plain = (run: RunSummary): string => toReport(run, (_colour, text) => text);

test('what each scenario came to, what there was, and the verdict', () => {
  const totals = {
    requests: 5,
    statuses: new Map([
      ['GET /x', new Map([['404', 1]])],
      ['asyncImportJobs', new Map([['202', 3]]).set('400', 1)],
    ]),
    mistakes: new Map([['asyncImportJobs 400', new Map([['/jobs: expected an array', 1]])]]),
    callbacks: 1,
    states: new Map([['jobs.import.failed', new Map([['inbox', 1]])]]),
  };
  const scenarios = [createScenario([fired, idle, unlucky], [met, unmet])];
  expect(plain(createRun({ verdict: { scenarios, totals, pending: 2 } }))).toBe(`
it
  ✓ one: acted 2 times
  ✗ two: never fired; nearest: X
  – three: never fired by chance; nearest: Y
  ✓ requests: wanted 1, was 1
  ✗ callbacks: were 0

5 requests
  asyncImportJobs: 202 × 3, 400 × 1
  GET /x: 404 × 1
refused
  1 × asyncImportJobs 400: /jobs: expected an array
1 callback
  jobs.import.failed: inbox × 1
2 still to come after a day

failed: 1 rule never fired, 1 expectation not met (npm test, 1.2 s)
`);
});

test.each<[string, RunSummary, number]>([
  ['all is well', createRun({ verdict: { scenarios: [createScenario([fired, unlucky], [met])] } }), 0],
  ['a rule never fired', createRun({ verdict: { scenarios: [createScenario([idle])] } }), 1],
  ['an expectation is not met', createRun({ verdict: { scenarios: [createScenario([], [unmet])] } }), 1],
  ['the sandbox failed itself', createRun({ bugs: ['req_1: oops'] }), 1],
  ["the command's code comes first", createRun({ code: 7, bugs: ['req_1: oops'] }), 7],
])('the exit code: %s', (_, run, code) => {
  expect(toExitCode(run)).toBe(code);
  expect(plain(run)).toMatch(code === 0 ? /\npassed: npm test, 1\.2 s\n$/ : /\nfailed: /);
});

test('a bug of the sandbox is told as such', () => {
  expect(plain(createRun({ bugs: ['req_1: oops'] }))).toContain('a bug of the sandbox, not of yours: req_1: oops\n');
});

test('many scenarios of single projects are a line each, those that failed first, and not all of them', () => {
  const many = Array.from({ length: 30 }, (_, n) =>
    createScenario([fired], [n < 25 ? met : unmet], { name: `s${n}`, projects: [`p${n}`] }),
  );
  const lines = plain(createRun({ verdict: { scenarios: many } })).split('\n');
  expect(lines.slice(1, 4)).toEqual([
    'switched on for single projects',
    '  ✗ s25 in project p25: rules acted 2 times, 0 of 1 expectation met',
    '    ✗ callbacks: were 0',
  ]);
  expect(lines).toContain('  and 10 more, of which 0 failed');
});

test('what comes from a client is cut, and moves no cursor', () => {
  const mistakes = new Map([['x 400', new Map([[`\u001b[2J\nfailed: ${'y'.repeat(5000)}`, 1]])]]);
  const totals = { requests: 1, statuses: new Map(), mistakes, callbacks: 0, states: new Map() };
  const report = plain(createRun({ verdict: { totals } }));
  expect(report).not.toContain('\u001b');
  expect(Math.max(...report.split('\n').map(({ length }) => length))).toBeLessThan(310);
});

test('progress: a line at the foot of a terminal, redrawn as time goes, and gone in the end', () => {
  const wall = createTestWall();
  const written: string[] = [];
  let count = 0;
  const terminal = { isTTY: true, rows: 24, columns: 80, write: (text: string) => void written.push(text) };
  const end = showProgress(terminal, wall, () => `drawn ${++count}`);
  wall.pass(1000);
  expect(written.join('')).toMatch(/drawn 1.*drawn 2.*drawn 3/s);
  // The command writes in the rows above, which are given back.
  expect(written[0]).toContain('\u001b[1;23r');
  end();
  expect(written.at(-1)).toContain('\u001b[r');
  expect(wall.timers()).toEqual([]);
});

test('what is equally frequent stands in one order, whichever came first', () => {
  const statuses = [['b', new Map([['400', 1]]).set('202', 1)] as const, ['a', new Map([['200', 2]])] as const];
  const mistakes = [['b 400', new Map([['y', 1]]).set('x', 1)] as const, ['a 400', new Map([['z', 1]])] as const];
  const toText = (one: typeof statuses, other: typeof mistakes): string =>
    plain(
      createRun({
        verdict: {
          totals: { requests: 4, statuses: new Map(one), mistakes: new Map(other), callbacks: 0, states: new Map() },
        },
      }),
    );
  const text = toText(statuses, mistakes);
  expect(text).toContain(
    '  a: 200 × 2\n  b: 202 × 1, 400 × 1\nrefused\n  1 × a 400: z\n  1 × b 400: x\n  1 × b 400: y\n',
  );
  expect(toText(statuses.toReversed(), mistakes.toReversed())).toBe(text);
});

test('progress: nothing where there is no terminal', () => {
  const wall = createTestWall();
  const written: string[] = [];
  showProgress({ write: (text) => void written.push(text) }, wall, () => 'drawn')();
  expect({ written, timers: wall.timers() }).toEqual({ written: [], timers: [] });
});

test('progress: nothing on a terminal that knows no cursor', () => {
  const written: string[] = [];
  const terminal = { isTTY: true, rows: 24, columns: 80, write: (text: string) => void written.push(text) };
  showProgress(terminal, createTestWall(), () => 'drawn', 'dumb')();
  expect(written).toEqual([]);
});
