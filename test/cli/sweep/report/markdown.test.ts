/** The report of a sweep as Markdown: readable without colour, with literal texts, and cut if it is long. */
import { expect, test } from 'vitest';
import { sweepMarkdownBeginning, toSweepMarkdown } from '../../../../src/cli/sweep/report/markdown.ts';
import { createCase, createReport, sample } from '../../../sweep-report/sample.ts';

const npm = { command: 'npm test' };

test('shows the totals, the verdicts, the matrix and the bad cases', async () => {
  const text = toSweepMarkdown(sample, { ...npm, options: '--seed ci' });
  expect(text.startsWith(sweepMarkdownBeginning)).toBe(true);
  await expect(text).toMatchFileSnapshot('./summary.md');
});

test('known weaknesses are listed apart, and pass', () => {
  const bad = createCase('a/latency/1', 'failed', 'exited with 1', { scenario: 'a.yaml' });
  const text = toSweepMarkdown(createReport([bad]), { ...npm, known: new Set(['a/latency/1']) });
  expect(text).toContain('✅ **1 bad case (1 failed, 1 of them known), 0 good, 0 neutral, 0 not tried**');
  expect(text).toContain('## Known weaknesses\n\n- a/latency/1: failed\n');
  expect(text).not.toContain('worst first');
});

test('nothing in a text of the sweep is markup, and a command cannot leave its block', () => {
  const nasty = '<img src=x> | `code` **bold** [link](x)\n# title';
  const bad = createCase(`${nasty}/${nasty}/1`, 'failed', nasty, { scenario: 'a.yaml' });
  const text = toSweepMarkdown(createReport([bad]), { command: 'echo "```"\n# title' });
  const plain = text.replaceAll(/````sh\n.*\n````/g, '');
  expect(plain).not.toMatch(/<img|(?<!\\)`|(?<!\\)\[link|\n# title|(?<!\\)\*\*bold/);
  expect(text).toContain('\n````sh\nfield-sandbox run --scenario a.yaml -- echo "```" # title\n````\n');
  const rows = text.split('\n').filter((line) => line.startsWith('| &lt;img') || line.startsWith('| failure'));
  expect(rows.map((row) => row.split(/(?<!\\)\|/).length)).toEqual([4, 4]);
});
