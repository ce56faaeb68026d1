/** The verdicts of a sweep: symbols, rules of the guide, numbers of cases, and the commands that repeat them. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { allCaseKinds } from '../../src/scenarios/cases.ts';
import { toProveCommand, toRepeatCommand } from '../../src/sweep-report/repeat-command.ts';
import { countQualities } from '../../src/sweep-report/report.ts';
import { robustRules, rulesOf, verdictNames, verdicts } from '../../src/sweep-report/verdicts.ts';
import { createCase, sample } from './sample.ts';

test('each verdict has its own symbol and a short meaning', () => {
  const facts = verdictNames.map((name) => verdicts[name]);
  expect(new Set(facts.map(({ symbol }) => symbol)).size).toBe(14);
  for (const { symbol, meaning } of facts) {
    expect(symbol).toHaveLength(1);
    expect(meaning.length).toBeLessThanOrEqual(54);
  }
});

test('cases are counted by how they count', () => {
  expect(countQualities(sample.cases)).toEqual({ bad: 9, neutral: 5, good: 17 });
});

test('commands have the options of the sweep, and every text as one word of a shell', () => {
  const npm = { command: 'npm test', options: '--profile partner.yaml' };
  const [first, second] = [createCase('a/status-503/1', 'failed', ''), createCase('a/latency/2', 'failed', '')];
  expect(toRepeatCommand([first], npm)).toBe(
    'npx field-sandbox sweep --operation a --kind status-503/1 --profile partner.yaml -- npm test',
  );
  expect(toRepeatCommand([first, second], { command: 'make' })).toBe(
    'npx field-sandbox sweep --operation a --kind status-503/1,latency/2 -- make',
  );
  expect(toRepeatCommand([{ ...first, case: "a/it's; rm -r ~/1" }], { command: 'make' })).toBe(
    String.raw`npx field-sandbox sweep --operation a --kind 'it'\''s; rm -r ~/1' -- make`,
  );
  expect(toProveCommand('my sweep.json', npm)).toBe(
    "npx field-sandbox prove --before HEAD --sweep 'my sweep.json' --profile partner.yaml -- npm test",
  );
});

test('every bad verdict names rules of the guide, which has them under these numbers', () => {
  const guide = readFileSync('docs/guides/robust-client.md', 'utf8');
  expect(guide.match(/^\d\. /gm)).toHaveLength(Object.keys(robustRules).length);
  for (const verdict of verdictNames) {
    const rules = allCaseKinds.flatMap((kind) => rulesOf({ verdict, kind }));
    expect(rules.length > 0).toBe(verdicts[verdict].quality === 'bad');
    for (const rule of rules) expect(robustRules[rule]).toBeDefined();
  }
  for (const kind of ['refused', 'refused-last', 'failed-downstream-last'])
    expect(rulesOf({ verdict: 'unnoticed', kind })).toEqual([7]);
});
