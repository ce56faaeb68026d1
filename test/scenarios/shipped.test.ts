/** The scenarios that come with the sandbox: valid, named after their file, explained, and each with a golden case. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { parseScenario } from '../../src/scenarios/parse.ts';
import { shippedScenarios } from '../../src/scenarios/shipped.ts';
import type { Scenario } from '../../src/scenarios/types.ts';
import { everything } from './everything.ts';

const folder = new URL('../../scenarios/', import.meta.url);
const files = readdirSync(folder);
const golden = new URL('./golden/', import.meta.url);
const cases = readdirSync(golden).map((file) => readFileSync(new URL(file, golden), 'utf8'));

test('the shipped scenarios use every effect', () => {
  const used = new Set(
    shippedScenarios.flatMap(({ scenario }) => scenario.rules.flatMap(({ then }) => Object.keys(then))),
  );
  const all = (parse(everything) as Scenario).rules.flatMap(({ then }) => Object.keys(then));
  expect(all.filter((key) => !used.has(key))).toEqual([]);
  expect(shippedScenarios.length).toBeGreaterThanOrEqual(16);
});

test.each(files)('%s', (file) => {
  const text = readFileSync(new URL(file, folder), 'utf8');
  const parsed = parseScenario(text, file);
  expect(parsed.ok ? [] : parsed.issues).toEqual([]);
  if (!parsed.ok) return;
  const { name, description = '', rules } = parsed.scenario;
  expect(file).toBe(`${name}.yaml`);
  expect(description).toContain('good client');
  expect(rules.filter((rule) => rule.name === undefined)).toEqual([]);
  expect(text.startsWith('# yaml-language-server: $schema=../spec/scenario.schema.json\n')).toBe(true);
  expect(cases.join('')).toContain(`\n== shipped-${name}: `);
  expect(shippedScenarios.find((entry) => entry.name === name)?.scenario).toEqual(parsed.scenario);
});
