/** The matrix of a sweep: its order, the verdict of a cell, and the numbers of cases. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { failureKinds } from '../../src/scenarios/failure-kinds.ts';
import { groupOf, sortKinds } from '../../src/sweep-report/kinds.ts';
import { countQualities, toMatrix } from '../../src/sweep-report/matrix.ts';
import { toProveCommand, toRepeatCommand } from '../../src/sweep-report/repeat-command.ts';
import { robustRules, rulesOf, verdictNames, verdicts } from '../../src/sweep-report/verdicts.ts';
import { createCase, createReport, sample } from './sample.ts';

const catalogKinds = failureKinds({ byCallback: true, listsFailures: true, statuses: [429, 400, 404] })
  .map(({ kind }) => kind)
  .filter((kind) => kind !== 'limit');

test('kinds have the order of the failure catalog, and unknown kinds are last', () => {
  expect(sortKinds(['zeal', ...catalogKinds.toReversed(), 'limit'])).toEqual([...catalogKinds, 'limit', 'zeal']);
  const groups = ['refused', 'status-503', 'latency', 'connection-hang', 'callback-drop', 'limit'].map(groupOf);
  expect(groups).toEqual(['entries', 'statuses', 'connection', 'connection', 'callbacks', 'others']);
});

test('each verdict has its own symbol and a short meaning', () => {
  const facts = verdictNames.map((name) => verdicts[name]);
  expect(new Set(facts.map(({ symbol }) => symbol)).size).toBe(14);
  for (const { symbol, meaning } of facts) {
    expect(symbol).toHaveLength(1);
    expect(meaning.length).toBeLessThanOrEqual(54);
  }
});

test('rows are kinds in groups, columns are the swept operations in the order of the baseline', () => {
  const { operations, groups } = toMatrix(sample);
  expect(operations).toEqual(['asyncImportJobs', 'syncImportOrders', 'submitLocation']);
  expect(groups.map(({ name }) => name)).toEqual(['entries', 'statuses', 'connection', 'callbacks', 'others']);
  const [entries] = groups;
  expect(entries?.rows.map(({ kind, cells }) => [kind, ...cells.map((cell) => cell?.verdict)])).toEqual([
    ['refused', 'reported', 'reported', undefined],
    ['failed-downstream', 'unnoticed', undefined, undefined],
  ]);
});

test('a cell has the worst verdict of its cases, and says that it was not reached only if no case was', () => {
  const id = 'getDriver/latency';
  const cellOf = (...all: readonly (typeof verdictNames)[number][]) => {
    const cases = all.map((verdict, index) => createCase(`${id}/${index + 1}`, verdict, ''));
    return toMatrix(createReport(cases)).groups[0]?.rows[0]?.cells[0];
  };
  expect(cellOf('recovered', 'unnoticed', 'logged')?.verdict).toBe('unnoticed');
  expect(cellOf('recovered', 'flaky', 'reported')?.verdict).toBe('flaky');
  expect(cellOf('not-reached', 'recovered')?.verdict).toBe('recovered');
  expect(cellOf('not-reached', 'not-reached')?.verdict).toBe('not-reached');
  expect(cellOf('recovered', 'failed')?.cases.map((one) => one.case)).toEqual([`${id}/2`, `${id}/1`]);
});

test('cases are counted by how they count', () => {
  expect(countQualities(sample)).toEqual({ bad: 9, neutral: 5, good: 17 });
});

test('commands have the options of the sweep, and every text as one word of a shell', () => {
  const npm = { command: 'npm test', options: '--profile partner.yaml' };
  const [first, second] = [createCase('a/status-503/1', 'failed', ''), createCase('a/latency/2', 'failed', '')];
  expect(toRepeatCommand([first], npm)).toBe(
    'npx field-sandbox sweep --operation a --kind status-503 --profile partner.yaml -- npm test',
  );
  expect(toRepeatCommand([first, second], { command: 'make' })).toBe(
    'npx field-sandbox sweep --operation a --kind status-503,latency --occurrences 2 -- make',
  );
  expect(toRepeatCommand([{ ...first, kind: "it's; rm -r ~" }], { command: 'make' })).toBe(
    String.raw`npx field-sandbox sweep --operation a --kind 'it'\''s; rm -r ~' -- make`,
  );
  expect(toProveCommand('my sweep.json', npm)).toBe(
    "npx field-sandbox prove --before HEAD --sweep 'my sweep.json' --profile partner.yaml -- npm test",
  );
});

test('every bad verdict names rules of the guide, which has them under these numbers', () => {
  const guide = readFileSync('docs/guides/robust-client.md', 'utf8');
  expect(guide.match(/^\d\. /gm)).toHaveLength(Object.keys(robustRules).length);
  for (const verdict of verdictNames) {
    const rules = catalogKinds.flatMap((kind) => rulesOf({ verdict, kind }));
    expect(rules.length > 0).toBe(verdicts[verdict].quality === 'bad');
    for (const rule of rules) expect(robustRules[rule]).toBeDefined();
  }
});
