/** The guide to scenarios: every example in it is valid, and it names every key of the language. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { operationIds } from '../../src/operations/index.ts';
import { parseScenario } from '../../src/scenarios/parse.ts';
import {
  bodyFaults,
  callbackOrders,
  callbackStates,
  connectionFaults,
  signatureFaults,
} from '../../src/scenarios/types.ts';

const [guide = ''] = readFileSync('docs/scenarios.md', 'utf8').split('<!-- shipped:');
const pages = [guide, readFileSync('docs/adding-an-effect.md', 'utf8')];

/** A whole scenario, or rules that are made one here. */
function toScenario(example: string): string {
  return example.startsWith('name:') ? example : `name: example\nrules:\n${example.replace(/^/gm, '  ')}`;
}

test('every example is valid', () => {
  const examples = pages.flatMap((page) =>
    [...page.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map((match) => match[1] ?? ''),
  );
  expect(examples.length).toBeGreaterThan(12);
  for (const example of examples) {
    const parsed = parseScenario(toScenario(example), 'example', operationIds);
    expect(parsed.ok ? [] : parsed.issues.map(({ message }) => message), example).toEqual([]);
  }
});

test('every key and value of the language is told of', () => {
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
  const effects = ['respond', 'refuse', 'fail', 'latency', 'limit', 'connection', 'callback', 'processed', 'after'];
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
  const words = [...conditions, ...matchers, ...effects, ...disturbances, ...rest, ...states];
  expect(words.filter((word) => !new RegExp(`\\b${word}\\b`).test(guide))).toEqual([]);
});
