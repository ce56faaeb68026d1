/** Texts of the coverage reports: their warnings, and that no foreign text becomes markup. */
import { expect, test } from 'vitest';
import { toMarkdown } from '../../../src/cli/coverage/markdown.ts';
import { toTable } from '../../../src/cli/coverage/table.ts';
import { nextOf, toSummary } from '../../../src/cli/coverage/texts.ts';
import { toExitCode, toReport } from '../../../src/cli/run/report.ts';
import { createCoverageCounts, operationMarks } from '../../../src/coverage/marks.ts';
import { type CoverageReport, toCoverageReport } from '../../../src/coverage/report.ts';
import { createRun } from '../run/values.ts';

const condition = (kind: string) => ({ kind, about: `about ${kind}`, provoke: `do ${kind}` });
const nasty = 'a|b <img> \u001b[31m`x`\n**bold** &amp; [y](z)';

function create(kind = 'limit', taken = 0): CoverageReport {
  const counted = createCoverageCounts();
  const first = { project: 'p', request: 'r' };
  operationMarks(counted, 'one').calls = 1;
  const mark = { count: 3, taken, first };
  counted.callbacks.set('jobs.import.failed', new Map([['callback-signature-invalid', mark]]));
  const operation = { operation: 'one', method: 'POST', path: '/one', mode: 'async' } as const;
  const disturbances = [condition('callback-signature-invalid')];
  return toCoverageReport(
    {
      operations: [{ ...operation, failures: [condition(kind)] }],
      callbacks: [{ type: 'jobs.import.failed', disturbances }],
    },
    counted,
  );
}

test('a forged callback that was accepted is an alarm, and a rejected one is not', () => {
  const alarm = 'the receiver accepted 2 of 3 jobs.import.failed with an invalid signature';
  expect(toTable(create('limit', 2), 120)).toContain(`! ${alarm}\n`);
  expect(toMarkdown(create('limit', 2))).toContain(`⚠️ ${alarm}.`);
  expect(toTable(create('limit', 0), 120)).not.toContain('!');
});

test('a total of 0 has no percentage', () => {
  const nothing = { ...create(), callbacks: { met: 0, total: 0, percent: 100 } };
  expect(toTable(nothing, 120)).toMatch(/callback conditions +0 of 0 +–\n/);
  expect(toMarkdown(nothing)).toMatch(/\| callback conditions +\| 0 of 0 +\| –/);
});

test('the next step for an operation without a successful call is a successful call', () => {
  const [item] = create().items;
  expect(item && nextOf(item)).toBe('call it successfully');
  expect(item && nextOf({ ...item, calls: 0 })).toBe('call it');
  expect(item && nextOf({ ...item, met: true })).toBe('limit: do limit');
  expect(item && nextOf({ ...item, met: true, failures: [] })).toBe('');
});

test('escapes markup and control characters', () => {
  const page = toMarkdown(create(nasty));
  expect(page).toContain('| a\\|b &lt;img&gt;  \\[31m\\`x\\` \\*\\*bold\\*\\* &amp;amp; \\[y\\](z) |');
  const one = create();
  const items = one.items.map((item) => ({ ...item, operation: nasty }));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  expect(toTable({ ...one, items }, 200)).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
});

test('the report of a run has the coverage on one line, and fails below the minimum', () => {
  const report = create('limit', 2);
  const plain = (minPercent: number | undefined) =>
    toReport(createRun({ coverage: { report, minPercent } }), (_colour, text) => text);
  expect(toSummary(report)).toBe('coverage 16.6 %: 0 of 1 operations, 0 of 1 failures, 1 of 4 callback conditions');
  expect(plain(undefined)).toContain(`\n${toSummary(report)}\n  the receiver accepted 2 of 3 `);
  expect(plain(16.6)).toMatch(/\npassed: /);
  expect(plain(16.7)).toMatch(/\nfailed: coverage 16\.6 % is below the minimum of 16\.7 % \(/);
  expect(
    [undefined, 16.6, 16.7].map((minPercent) => toExitCode(createRun({ coverage: { report, minPercent } }))),
  ).toEqual([0, 0, 1]);
  expect(toExitCode(createRun({ code: 3, coverage: { report, minPercent: 99 } }))).toBe(3);
});
