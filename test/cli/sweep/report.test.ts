/** The report of a sweep in each format: complete, readable without colour, and with literal texts only. */
import { describe, expect, test } from 'vitest';
import { htmlBeginning, toHtml } from '../../../src/cli/report/html.ts';
import { toMarkdown } from '../../../src/cli/report/markdown.ts';
import { mapTexts, type Report } from '../../../src/cli/report/report.ts';
import { toTerminal } from '../../../src/cli/report/terminal.ts';
import { type ReportOptions, toSweepReport, toSweepSuites } from '../../../src/cli/sweep/report.ts';
import { operationIds } from '../../../src/operations/index.ts';
import { failureKinds } from '../../../src/scenarios/failure-kinds.ts';
import type { SweepReport } from '../../../src/sweep-report/report.ts';
import { verdictNames } from '../../../src/sweep-report/verdicts.ts';
import { createCase, createReport, sample } from '../../sweep-report/sample.ts';

const npm: ReportOptions = { command: 'npm test', known: new Set(), file: 'sweep/sweep.json' };
const kinds = failureKinds({ byCallback: true, listsFailures: true, statuses: [400, 401, 403, 404, 409, 429] });

const build = (report: SweepReport, more: Partial<ReportOptions> = {}): Report =>
  toSweepReport(report, { ...npm, ...more });

function show(report: SweepReport, more: Partial<ReportOptions> = {}): string {
  return toTerminal(build(report, more), { paint: (_colour, text) => text, width: 80 });
}

test.each([
  ['terminal.txt', show(sample)],
  ['summary.md', toMarkdown(build(sample, { options: '--seed ci' }))],
  ['page.html', toHtml(build(sample))],
])('%s', async (name, text) => {
  await expect(text).toMatchFileSnapshot(`./${name}`);
});

test('only the listed weaknesses are known, not those that were judged by their run', () => {
  const bad = ['a/latency/1', 'a/status-503/1'].map((id) => createCase(id, 'failed', 'exited with 1'));
  const same = createCase('a/status-502/1', 'failed', 'exited with 1', { sameAs: 'a/status-503/1' });
  const report = createReport([...bad, same]);
  const some = show(report, { known: new Set(['a/latency/1']) });
  expect(some).toContain('\nknown: a/latency/1 (failed)\n');
  expect(some).toMatch(/\nfailed: 3 bad cases \(3 failed, 1 of them known\), .*\nprove a fix: .*\n$/);
  const listed = new Set(['a/latency/1', 'a/status-503/1']);
  expect(show(report, { known: listed })).toMatch(/\nfailed: 3 bad cases \(3 failed, 2 of them known\), .*\n/);
  const known = new Set([...listed, 'a/status-502/1']);
  expect(show(report, { known })).toMatch(/\npassed: 3 bad cases \(3 failed, 3 of them known\), .*\n$/);
  expect(toMarkdown(build(report, { known }))).toContain('✅ **3 bad cases');
  const [suite] = toSweepSuites(report, { ...npm, known: new Set(['a/latency/1']) });
  expect(suite?.checks.map(({ outcome, reason }) => [outcome, reason?.split('\n').at(-1)])).toEqual([
    ['skipped', expect.stringMatching(/^known weakness; /)],
    ['failed', 'npx field-sandbox sweep --operation a --kind status-503/1 -- npm test'],
    ['failed', 'npx field-sandbox sweep --operation a --kind status-502/1 -- npm test'],
  ]);
});

test.each([2, 10, 29])('the matrix of %i operations fits 80 columns', (count) => {
  const ids = operationIds.slice(0, count).flatMap((id) => verdictNames.map((verdict) => ({ id, verdict })));
  const all = ids.map(({ id, verdict }, at) => createCase(`${id}/${kinds[at % kinds.length]?.kind}/1`, verdict, ''));
  const lines = show(createReport(all)).split('\n');
  const matrix = lines.slice(
    0,
    lines.findIndex((line) => line.includes(' H hung')),
  );
  expect(Math.max(...matrix.map(({ length }) => length))).toBeLessThanOrEqual(80);
  for (const id of operationIds.slice(0, count)) expect(matrix.some((line) => line.endsWith(id))).toBe(true);
});

test('long lists are cut, with the number of the others', () => {
  const ids = operationIds.slice(0, 12).map((id) => `${id}/latency/1`);
  expect(show(createReport(ids.map((id) => createCase(id, 'unnoticed', ''))))).toContain('\n  and 2 more\n');
});

test('bad verdicts are red, neutral ones yellow, good ones green; colour changes no text', () => {
  const painted = toTerminal(build(sample), { paint: (colour, text) => `<${colour}>${text}</${colour}>`, width: 80 });
  expect(painted).toContain('1 <red>H</red> hung');
  expect(painted).toContain('1 <yellow>?</yellow> flaky');
  expect(painted).toContain('9 <green>+</green> reported');
  expect(painted.replace(/<\/?\w+>/g, '')).toBe(show(sample));
});

describe('texts of clients', () => {
  const nasty = '"><img src=x onerror=y> | `code` **bold** [link](x)\n# title \u001b[31m';
  const bad = createCase(`${nasty}/${nasty}/1`, 'failed', nasty, { output: nasty, error: nasty, found: nasty });
  const other = createCase('a/latency/1', 'failed', '', {});
  const report = createReport([bad, other], { omitted: [{ what: nasty, why: nasty }] });
  const options = { command: 'echo "```"\n# title </style><script>', file: nasty };

  test('cannot control a terminal', () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
    expect(show(report, options)).not.toMatch(/\u001b|\n# title/);
  });

  test('are no markup of Markdown, and a command cannot leave its block', () => {
    const plain = toMarkdown(build(report, options)).replaceAll(/````sh\n.*\n````/g, '');
    expect(plain).not.toMatch(/<img|(?<!\\)`|(?<!\\)\[link|\n# title|(?<!\\)\*\*bold/);
  });

  test('are no markup of a page, which loads and runs nothing', () => {
    const page = toHtml(build(report, options));
    expect(page).not.toMatch(
      /<(img|script|link|iframe|object|form)|<\/style>(?!\n<\/head>)|javascript:|url\(|@import/i,
    );
    const attributes = [...page.matchAll(/<[a-z0-9]+([^<>]*)>/g)].map(([, all = '']) => all.replaceAll(/"[^"]*"/g, ''));
    expect(attributes.filter((all) => /\bon\w+=|src=|href=|'/.test(all))).toEqual([]);
    expect(page.startsWith(htmlBeginning)).toBe(true);
    expect(page).toContain("default-src 'none'");
  });
});

test('secrets are hidden before a format escapes them', () => {
  const secret = 'a_secret<1>';
  const bad = createCase('a/latency/1', 'failed', '', { found: `got ${secret}`, error: secret });
  const hidden = mapTexts(build(createReport([bad])), (text) => text.replaceAll(secret, '***'));
  expect(`${toMarkdown(hidden)}${toHtml(hidden)}`).not.toMatch(/secret/);
});
