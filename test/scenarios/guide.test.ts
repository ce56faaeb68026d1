/** Checks the guide to scenarios: every example in it is valid, and it names every key of the language. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { bodyFaults, callbackOrders, connectionFaults, signatureFaults } from '../../src/scenarios/effects/effect.ts';
import { effects } from '../../src/scenarios/effects/index.ts';
import { parseScenario } from '../../src/scenarios/parse.ts';
import { schemaPieces } from '../../src/scenarios/schema-pieces.ts';
import { callbackStates } from '../../src/scenarios/types.ts';

const guide = readFileSync('docs/reference/scenarios.md', 'utf8');

/** Returns a whole scenario; wraps an example that has only rules. */
function toScenario(example: string): string {
  return example.startsWith('name:') ? example : `name: example\nrules:\n${example.replace(/^/gm, '  ')}`;
}

test('every example of the guide is valid', () => {
  const examples = [...guide.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map((match) => match[1] ?? '');
  expect(examples.length).toBeGreaterThan(12);
  for (const example of examples) {
    const parsed = parseScenario(toScenario(example), 'example');
    expect(parsed.ok ? [] : parsed.issues.map(({ message }) => message), example).toEqual([]);
  }
});

test('the example of CONTRIBUTING.md is a valid scenario', () => {
  const [, example = ''] = /^```yaml\n([\s\S]*?)^```/m.exec(readFileSync('CONTRIBUTING.md', 'utf8')) ?? [];
  const parsed = parseScenario(example, 'example');
  expect(parsed.ok ? parsed.scenario.name : parsed.issues).toBe('not-implemented');
});

test('the guide names every key and value of the language', () => {
  const conditions = ['operation', 'project', 'subproject', 'item', 'request', 'during', 'where', 'chance', 'times'];
  const matchers = [
    'in',
    'matches',
    'exists',
    'gt',
    'gte',
    'lt',
    'lte',
    'nth',
    'from',
    'to',
    'every',
    'afterRequests',
    'for',
  ];
  const effectKeys = effects.flatMap(({ schemas }) => Object.keys(schemas(schemaPieces)));
  const disturbances = ['delay', 'copies', 'order', 'drop', 'signature', 'body', ...callbackOrders, ...signatureFaults];
  const rest = [
    'seed',
    'expect',
    'requests',
    'callbacks',
    'rule',
    'count',
    'min',
    'max',
    ...bodyFaults,
    ...connectionFaults,
  ];
  const states = callbackStates.filter((state) => ['delivered', 'dropped'].includes(state));
  const words = [...conditions, ...matchers, ...effectKeys, ...disturbances, ...rest, ...states];
  expect(words.filter((word) => !new RegExp(`\\b${word}\\b`).test(guide))).toEqual([]);
});
