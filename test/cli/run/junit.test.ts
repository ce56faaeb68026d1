/** JUnit XML of a run: well formed, with correct totals and valid characters. */
import { expect, test } from 'vitest';
import { toXml } from '../../../src/cli/output/junit.ts';
import { runSuiteName, toProperties, toRunSuites } from '../../../src/cli/run/junit.ts';
import type { RunSummary } from '../../../src/cli/run/report.ts';
import { parseOptions } from '../../../src/config/options.ts';
import { createCoverageCounts } from '../../../src/coverage/marks.ts';
import { toCoverageReport } from '../../../src/coverage/report.ts';
import { createRun, createScenario, fired, idle, met, unlucky, unmet } from './values.ts';

const toJunit = (run: RunSummary, properties: Readonly<Record<string, string>>): string =>
  toXml(runSuiteName, toRunSuites(run), properties, (text) => text);

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Unescapes a text. @throws if a special character is not escaped */
function toPlain(text: string): string {
  if (/[<>]|&(?!(amp|lt|gt|quot|apos);)/.test(text)) throw new Error(`not escaped: ${text}`);
  return text.replace(/&(\w+);/g, (_all, name: string) => entities[name] ?? '');
}

function toElement(name: string, attributes: string): Element {
  const pairs = [...attributes.matchAll(/\s+([\w-]+)="([^"]*)"/g)];
  const rest = attributes.replace(/\s+[\w-]+="[^"]*"/g, '').trim();
  if (rest !== '') throw new Error(`not an attribute: ${rest}`);
  return {
    name,
    attributes: Object.fromEntries(pairs.map(([, key = '', value = '']) => [key, toPlain(value)])),
    children: [],
    text: '',
  };
}

/** Parses elements, attributes and text. @throws for anything else, and for unclosed elements */
function parse(xml: string): Element {
  const root: Element = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  const body = xml.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\s*/, '');
  for (const [, tag, text = ''] of body.matchAll(/<([^>]*)>|([^<]+)/g)) {
    const parent = open.at(-1) as Element;
    if (tag === undefined) parent.text += toPlain(text);
    else if (tag.startsWith('/')) {
      if (open.pop()?.name !== tag.slice(1)) throw new Error(`closed by ${tag}`);
    } else {
      const [, name = '', attributes = ''] = /^([a-z]+)((?:\s[\s\S]*)?)$/.exec(tag.replace(/\/$/, '')) ?? [];
      const element = toElement(name, attributes);
      parent.children.push(element);
      if (!tag.endsWith('/')) open.push(element);
    }
  }
  if (open.length !== 1 || root.children.length !== 1) throw new Error('not one element');
  return root.children[0] as Element;
}

const named = (element: Element, name: string): readonly Element[] =>
  element.children.filter((one) => one.name === name);

test('a suite for each scenario, a case for each rule and expectation, and one for the command', () => {
  const scenarios = [
    createScenario([fired, idle, unlucky], [met, unmet]),
    createScenario([fired], [met], { name: 'own', projects: ['p'] }),
  ];
  const root = parse(toJunit(createRun({ code: 3, verdict: { scenarios } }), { seed: 's', clock: 'real' }));
  expect(root.name).toBe('testsuites');
  expect(root.attributes).toEqual({ name: 'field-sandbox run', tests: '8', failures: '3', errors: '0', time: '1.234' });
  const suites = named(root, 'testsuite');
  expect(suites.map(({ attributes }) => attributes)).toEqual([
    { name: 'it', tests: '5', failures: '2', errors: '0', skipped: '1', time: '0.000' },
    { name: 'own', tests: '2', failures: '0', errors: '0', skipped: '0', time: '0.000' },
    { name: 'field-sandbox run', tests: '1', failures: '1', errors: '0', skipped: '0', time: '1.234' },
  ]);
  for (const suite of suites) {
    expect(suite.children[0]?.name).toBe('properties');
    const properties = named(suite.children[0] as Element, 'property').map(({ attributes }) => attributes);
    expect(properties).toEqual([
      { name: 'seed', value: 's' },
      { name: 'clock', value: 'real' },
    ]);
    const cases = named(suite, 'testcase');
    const counted = (name: string) => String(cases.filter((one) => named(one, name).length > 0).length);
    expect(suite.attributes).toMatchObject({
      tests: String(cases.length),
      failures: counted('failure'),
      skipped: counted('skipped'),
    });
    for (const { attributes } of cases) expect(attributes).toMatchObject({ classname: suite.attributes['name'] });
  }
  const [first, last] = [suites[0] as Element, suites[2] as Element];
  expect(
    first.children.slice(1).map(({ attributes, children }) => [attributes['name'], children[0]?.attributes]),
  ).toEqual([
    ['rule one fired', undefined],
    ['rule two fired', { message: 'two: never fired; closest request: X', type: 'failure' }],
    ['rule three fired', { message: 'three: never fired (chance 0.1); closest request: Y' }],
    ['requests: wanted 1', undefined],
    ['callbacks: wanted 1', { message: 'callbacks: were 0', type: 'failure' }],
  ]);
  expect(named(last, 'testcase')[0]).toMatchObject({
    attributes: { name: 'npm test', time: '1.234' },
    children: [{ name: 'failure', text: 'the command exited with 3' }],
  });
});

test('a bug in the sandbox is a failed case', () => {
  const root = parse(toJunit(createRun({ bugs: ['req_1: oops'] }), {}));
  expect(root.attributes).toMatchObject({ tests: '2', failures: '1' });
});

test.each([
  ['below it fails', 50, '1', [{ name: 'failure', text: 'coverage 12.5 % is below the minimum of 50 %' }]],
  ['at it passes', 12.5, '0', []],
])('a minimum of the coverage is a case: coverage %s', (_, minPercent, failures, children) => {
  const report = { ...toCoverageReport({ operations: [], callbacks: [] }, createCoverageCounts()), percent: 12.5 };
  const run = createRun({ coverage: { report, minPercent } });
  const root = parse(toJunit(run, {}));
  expect(root.attributes).toMatchObject({ tests: '2', failures });
  expect(named(named(root, 'testsuite')[0] as Element, 'testcase')[1]).toMatchObject({
    attributes: { name: `the coverage is at least ${minPercent} %` },
    children,
  });
});

test('cases and suites of the same name get a number', () => {
  const root = parse(
    toJunit(createRun({ verdict: { scenarios: [createScenario([fired, fired]), createScenario()] } }), {}),
  );
  expect(named(root, 'testsuite').map(({ attributes }) => attributes['name'])).toEqual([
    'it',
    'it (2)',
    'field-sandbox run',
  ]);
  const [first] = named(root, 'testsuite');
  expect(named(first as Element, 'testcase').map(({ attributes }) => attributes['name'])).toEqual([
    'rule one fired',
    'rule one fired (2)',
  ]);
});

test('invalid XML characters are removed, and all others are kept', () => {
  const why = 'a\u0000b\u001b[0m <tag a="1" b=\'2\'> & ]]> \ud800 \u{1f600} \uffff true\nnext';
  const kept = 'a' + 'b[0m <tag a="1" b=\'2\'> & ]]>  \u{1f600}  true\nnext';
  const xml = toJunit(
    createRun({ verdict: { scenarios: [createScenario([], [{ ...unmet, expected: 'true', why }])] } }),
    {},
  );
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  expect(xml).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/);
  const [suite] = named(parse(xml), 'testsuite');
  const [one] = named(suite as Element, 'testcase');
  expect(one?.attributes['name']).toBe('true');
  expect(one?.children[0]?.attributes['message']).toBe(kept.replace('\n', ' '));
  expect(one?.children[0]?.text).toBe(kept);
});

test.each(['real', 'frozen', '20x', '2026-03-02T09:00:00.000Z'])('the clock %s is a property', (clock) => {
  const parsed = parseOptions({ clock }, {});
  expect(parsed.ok && toProperties(parsed.options)).toMatchObject({ clock });
});
