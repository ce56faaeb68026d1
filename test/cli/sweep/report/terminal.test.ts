/** The report of a sweep in a terminal: readable without colour, within the width, and cut if it is long. */
import { expect, test } from 'vitest';
import { type TerminalOptions, toTerminalReport } from '../../../../src/cli/sweep/report/terminal.ts';
import { operationIds } from '../../../../src/operations/index.ts';
import { failureKinds } from '../../../../src/scenarios/failure-kinds.ts';
import type { SweepReport } from '../../../../src/sweep-report/report.ts';
import { verdictNames } from '../../../../src/sweep-report/verdicts.ts';
import { createCase, createReport, sample } from '../../../sweep-report/sample.ts';

const kinds = failureKinds({ byCallback: true, listsFailures: true, statuses: [400, 401, 403, 404, 409, 429] });

function show(report: SweepReport, more: Partial<TerminalOptions> = {}): string {
  return toTerminalReport(report, { command: 'npm test', paint: (_colour, text) => text, width: 80, ...more });
}

/** Creates a sweep of many operations, in which every kind is bad for each of them. */
const createLarge = (count: number): SweepReport => {
  const ids = operationIds.slice(0, count).flatMap((id) => kinds.map(({ kind }) => `${id}/${kind}/1`));
  return createReport(ids.map((id) => createCase(id, 'unnoticed', 'a job is missing', { scenario: 'a.yaml' })));
};

test('shows the verdicts, the matrix, the bad cases and the totals', async () => {
  await expect(show(sample)).toMatchFileSnapshot('./terminal.txt');
});

test('passes without bad cases, and with known ones only', () => {
  const good = createReport([createCase('getDriver/latency/1', 'recovered', 'passed')]);
  expect(show(good)).toBe(`1 case of 1 operation; the baseline had 12 requests in 1.2 s

1 ✓ recovered  the command passed, with the records of the baseline

         getDriver
latency  ✓

passed: no bad case, 1 good, 0 neutral, 0 not tried
`);
  const bad = ['a/latency/1', 'a/status-503/1'].map((id) => createCase(id, 'failed', 'exited with 1'));
  const same = createCase('a/status-502/1', 'failed', 'exited with 1', { sameAs: 'a/status-503/1' });
  const report = createReport([...bad, same]);
  const some = show(report, { known: new Set(['a/latency/1']) });
  expect(some).toMatch(/F a\/status-503\/1: failed\n[\s\S]*F a\/latency\/1: failed \(known\)\n/);
  expect(some).toContain('\nfailed: 3 bad cases (3 failed, 1 of them known), ');
  const all = show(report, { known: new Set(['a/latency/1', 'a/status-503/1']) });
  expect(all).toContain('\npassed: 3 bad cases (3 failed, 3 of them known), ');
});

test('a sweep without cases has no matrix', () => {
  expect(show(createReport([], { notTried: 12 }))).toBe(`0 cases of 0 operations; the baseline had 12 requests in 1.2 s


12 cases not tried: the sweep ended first
passed: no bad case, 0 good, 0 neutral, 12 not tried
`);
});

test.each([1, 2, 10, 29])(
  'the matrix of %i operations has at most 24 lines before it, and fits 80 columns',
  (count) => {
    const ids = operationIds.slice(0, count).flatMap((id) => verdictNames.map((verdict) => ({ id, verdict })));
    const all = ids.map(({ id, verdict }, at) => createCase(`${id}/${kinds[at % kinds.length]?.kind}/1`, verdict, ''));
    const lines = show(createReport(all)).split('\n');
    expect(lines.findIndex((line) => line.trim() === operationIds[0])).toBeLessThanOrEqual(24);
    const beforeBad = lines.slice(0, lines.indexOf('bad cases by kind, the worst first'));
    expect(Math.max(...beforeBad.map(({ length }) => length))).toBeLessThanOrEqual(80);
    for (const id of operationIds.slice(0, count)) expect(beforeBad.some((line) => line.endsWith(id))).toBe(true);
  },
);

test('bad cases are grouped by kind and verdict, and cut, with the number of the others', () => {
  const report = createLarge(10);
  const text = show(report, { file: 'sweep/sweep.json' });
  expect(text.match(/field-sandbox run /g)).toHaveLength(20);
  expect(text).toMatch(/\n {2}also: (\S+, ){3}and 6 more\n/);
  expect(text).toContain(`\nand ${report.cases.length - 20 * 10} more bad cases\n\nall cases: sweep/sweep.json\n`);
});

test('bad verdicts are red, neutral ones yellow, good ones green; colour changes no text', () => {
  const painted = show(sample, { paint: (colour, text) => `<${colour}>${text}</${colour}>` });
  expect(painted).toContain('1 <red>H</red> hung');
  expect(painted).toContain('1 <yellow>?</yellow> flaky');
  expect(painted).toContain('9 <green>+</green> reported');
  expect(painted).toContain('<red>failed</red>: 8 bad cases');
  expect(painted.replace(/<\/?\w+>/g, '')).toBe(show(sample));
});

test('texts of the sweep cannot control the terminal', () => {
  const nasty = 'a\u001b[31m\nZ';
  const bad = createCase(`${nasty}/${nasty}/1`, 'failed', nasty, { scenario: nasty });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  expect(show(createReport([bad]), { command: nasty })).not.toMatch(/\u001b|\nZ/);
});
