import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { formatIssue } from '../../src/base/yaml-file.ts';
import { parseScenario, scenarioJsonSchema } from '../../src/scenarios/parse.ts';

const operationIds = [
  'asyncImportJobs',
  'asyncUpdateJobs',
  'syncCreateJob',
  'syncCreateJobs',
  'submitLocation',
  'submitLocations',
];

const everything = `
name: everything
description: Every key of the language, and every shape that its value takes.
seed: 42
rules:
  - name: first
    when:
      operation: [async*, syncCreateJob]
      project: [P-*, Q]
      subproject: S-?
      item: 3
      request: { nth: 3 }
      where:
        a: text-*
        b: 3000
        c: true
        d: null
        e: { in: [A, 1, false, null] }
        f.g: { matches: '^[0-9]+$' }
        headers.x-test: { exists: false }
        h: { gt: 1, lte: 2 }
        i: { gte: a, lt: b }
    times: 2
    then:
      respond: { status: 503, headers: { retry-after: '30' }, body: { message: [Down, 1, null] } }
      processed: true
      latency: { median: 100ms, p99: 2s }
      callback: { delay: 5s }
  - when: { operation: '*', item: [1, 3], request: { from: 6, to: 10 } }
    then: { fail: Address could not be geocoded, after: 2s, latency: { min: 0s, max: 10m } }
  - when: { item: { every: 10 }, request: { from: 6 } }
    then: { refuse: No, latency: 1.5s }
  - when: { item: { id: [FAIL-*, X] }, request: { every: 5 } }
    then: { refuse: No }
  - when: { item: { where: { address.postcode: '3000' } } }
    then: { respond: { status: 200, body: null } }
`;

/** All issues as check shows them, a blank line between two. */
function report(text: string, file: string): string {
  const parsed = parseScenario(text, file, operationIds);
  if (parsed.ok) return 'no issue\n';
  return `${parsed.issues.map((issue) => formatIssue(issue, text)).join('\n\n')}\n`;
}

describe('a scenario', () => {
  it('is what the file says', () => {
    expect(parseScenario(everything, 'everything.yaml', operationIds)).toEqual({
      ok: true,
      scenario: parse(everything),
    });
  });

  it('may be JSON', () => {
    const text = JSON.stringify(parse(everything));
    expect(parseScenario(text, 'everything.json', operationIds)).toMatchObject({ ok: true });
  });

  it('takes a text as seed', () => {
    const text = 'name: a\nseed: monday\nrules: [{ then: { refuse: No } }]\n';
    expect(parseScenario(text, 'a.yaml', operationIds)).toMatchObject({ ok: true, scenario: { seed: 'monday' } });
  });

  it('is not polluted by the names of an object', () => {
    const text = 'name: a\nrules: [{ when: { where: { constructor: x, toString: y } }, then: { refuse: No } }]\n';
    const parsed = parseScenario(text, 'a.yaml', operationIds);
    expect(parsed).toMatchObject({ ok: true });
    expect(parsed.ok && Object.keys(parsed.scenario.rules[0]?.when?.where ?? {})).toEqual(['constructor', 'toString']);
  });
});

/** Add a file and run `npx vitest -u` to have what it says written beside it; then read that. */
describe('broken', () => {
  const folder = new URL('./broken/', import.meta.url);
  const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));

  it.each(files)('%s', async (file) => {
    const text = readFileSync(new URL(file, folder), 'utf8');
    await expect(report(text, file)).toMatchFileSnapshot(`./broken/${file.replace('.yaml', '.txt')}`);
  });
});

describe('the JSON Schema', () => {
  const schema = scenarioJsonSchema(operationIds);
  const validate = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true }).compile(schema);

  it('is of draft 2020-12, and describes the keys', () => {
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: expect.any(String),
    });
    expect(JSON.stringify(schema)).toContain('"description":"Waits before answering"');
  });

  it('takes what the parser takes', () => {
    validate(parse(everything));
    expect(validate.errors).toBeNull();
  });

  it.each([
    ['an unknown key', '{ name: a, extra: 1, rules: [{ then: { refuse: No } }] }'],
    ['no rules', '{ name: a, rules: [] }'],
    ['a bad name', '{ name: A b, rules: [{ then: { refuse: No } }] }'],
    ['no effect', '{ name: a, rules: [{ then: {} }] }'],
    ['processed alone', '{ name: a, rules: [{ then: { refuse: No, processed: true } }] }'],
    ['after alone', '{ name: a, rules: [{ then: { refuse: No, after: 2s } }] }'],
    ['a bad duration', '{ name: a, rules: [{ then: { latency: 2 seconds } }] }'],
    ['a bad status', '{ name: a, rules: [{ then: { respond: { status: 99 } } }] }'],
    ['a bad header', '{ name: a, rules: [{ then: { respond: { status: 200, headers: { a b: x } } } }] }'],
    ['an unknown operation', '{ name: a, rules: [{ when: { operation: asyncImport }, then: { refuse: No } }] }'],
    ['two kinds of item', '{ name: a, rules: [{ when: { item: { every: 1, id: x } }, then: { refuse: No } }] }'],
    ['no bound', '{ name: a, rules: [{ when: { where: { a: {} } }, then: { refuse: No } }] }'],
  ])('refuses %s, as the parser does', (_, text) => {
    expect(validate(parse(text))).toBe(false);
    expect(parseScenario(text, 'a.yaml', operationIds).ok).toBe(false);
  });
});
