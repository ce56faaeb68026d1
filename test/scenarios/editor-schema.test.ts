/** Checks spec/scenario.schema.json: it accepts and rejects the same files as the parser. */
import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { operationIds } from '../../src/operations/index.ts';
import { parseScenario, scenarioJsonSchema } from '../../src/scenarios/parse.ts';
import { amountOf } from '../harness/amounts.ts';
import { everything } from './everything.ts';
import { readTexts } from './text-case.ts';

const schema = scenarioJsonSchema(operationIds);
const validate = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true }).compile(schema);

const shipped = readdirSync('scenarios').map((file) => [file, readFileSync(`scenarios/${file}`, 'utf8')] as const);
const broken = readTexts('broken');

/** After a change of the language, run `npm run generate` and commit the result. */
it('is the one in spec/', async () => {
  await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot('../../spec/scenario.schema.json');
});

it('the schema has draft 2020-12 and a title, and no $id', () => {
  expect(schema).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: expect.any(String),
  });
  expect(schema).not.toHaveProperty('$id');
});

it('the schema describes every key and accepts no other', () => {
  const undescribed: string[] = [];
  const open: string[] = [];
  visitSchemas(schema, '', (at, path) => {
    if (at['type'] === 'object' && at['additionalProperties'] === undefined) open.push(path);
    for (const [key, child] of Object.entries((at['properties'] ?? {}) as Json)) {
      if (typeof (child as Json)['description'] !== 'string') undescribed.push(`${path}/${key}`);
    }
  });
  expect({ undescribed, open }).toEqual({ undescribed: [], open: [] });
});

describe('the schema accepts', () => {
  it.each([...shipped, ['everything', everything] as const])('%s', (_, text) => {
    validate(parse(text));
    expect(validate.errors).toBeNull();
  });
});

/** Broken texts whose value has a valid shape, with the rule that only the parser checks. */
const parserAlone: Readonly<Record<string, string>> = {
  deep: 'levels',
  'duplicate-names': 'names of rules',
  'expect-names': 'names of rules',
  'latin-1': 'encoding',
  'leading-zeros': 'the notation of numbers',
  'larger-and-smaller': 'which of two values is larger, and how long a duration is',
  'no-regex': 'regular expressions',
};

describe('the schema rejects what the parser rejects', () => {
  it.each(broken)('$name', ({ name, text }) => {
    const value = readValue(text);
    const reason = value === undefined ? 'no value' : parserAlone[name];
    expect(reason !== undefined || !validate(value)).toBe(true);
  });

  it.each(Object.keys(parserAlone))('except for %s, which only the parser can reject', (name) => {
    const text = broken.find((one) => one.name === name)?.text ?? '';
    expect(validate(parse(text)), 'the schema rejects it too: remove it from the exceptions').toBe(true);
  });
});

/** Messages of mistakes that JSON Schema cannot express. */
const onlyParsed = [
  /^no rule is named /,
  /^several rules have the name /,
  /^no (operation|callback type) matches /,
  /^invalid RE2 regular expression/,
  /^"(max|to|p99)" must not be less than /,
  /^expected at most 10m/,
  /^expected a duration longer than 0/,
];

describe('the schema agrees with the parser', () => {
  const values = [...shipped.map(([, text]) => text), everything].map((text) => parse(text) as Json);

  it('on scenarios with a random mistake', () => {
    let refused = 0;
    fc.assert(
      fc.property(fc.constantFrom(...values), fc.nat(), mistakes, (value, place, mistake) => {
        const changed = withMistake(value, place, mistake);
        const parsed = parseScenario(JSON.stringify(changed), 'changed.json', operationIds);
        const isTaken = validate(changed);
        if (parsed.ok) expect(validate.errors, JSON.stringify(changed)).toBeNull();
        else if (isTaken) {
          const beyond = parsed.issues.filter(({ message }) => !onlyParsed.some((one) => one.test(message)));
          expect(beyond, JSON.stringify(changed)).toEqual([]);
        }
        if (!isTaken) refused += 1;
      }),
      { numRuns: amountOf('brokenScenarios'), seed: 1 },
    );
    // Most changes must be mistakes, so that the property does not hold only for valid scenarios.
    expect(refused).toBeGreaterThan(amountOf('brokenScenarios') / 3);
  });
});

type Json = Record<string, unknown>;

/** Returns the value of a YAML text, or undefined if it is not valid YAML. */
function readValue(text: string): unknown {
  try {
    return parse(text, { logLevel: 'error' });
  } catch {
    return undefined;
  }
}

type Mistake =
  | { readonly kind: 'delete' }
  | { readonly kind: 'rename'; readonly name: string }
  | { readonly kind: 'add'; readonly name: string; readonly value: unknown }
  | { readonly kind: 'replace'; readonly value: unknown };

const names = [
  ...['name', 'rules', 'when', 'then', 'item', 'request', 'during', 'where', 'every', 'nth', 'from', 'to', 'after'],
  ...['for', 'afterRequests', 'chance', 'times', 'fail', 'refuse', 'respond', 'status', 'processed', 'latency', 'min'],
  ...['max', 'limit', 'per', 'connection', 'callback', 'drop', 'delay', 'copies', 'requests', 'callbacks', 'rule'],
  ...['count', 'state', 'type', 'operation', 'gt', 'in', 'matches', 'exists', 'x', 'Name', ''],
];

const strange = [
  ...[null, true, false, 0, 1, -1, 1.5, 200, 1e300, '', 'x', '2s', '0s', '11m', 'reset', '(', 'async*', '*x*'],
  ...[[], [1], ['x'], [{}], {}, { x: 1 }, { every: 2 }, { requests: 1, per: '1m' }, { min: '2s', max: '1s' }],
];

const mistakes: fc.Arbitrary<Mistake> = fc.oneof(
  fc.constant({ kind: 'delete' as const }),
  fc.record({ kind: fc.constant('rename' as const), name: fc.constantFrom(...names) }),
  fc.record({
    kind: fc.constant('add' as const),
    name: fc.constantFrom(...names),
    value: fc.constantFrom<unknown>(...strange),
  }),
  fc.record({ kind: fc.constant('replace' as const), value: fc.constantFrom<unknown>(...strange) }),
);

/** A copy with one mistake at one of its keys or entries. */
function withMistake(value: Json, place: number, mistake: Mistake): unknown {
  const copy = structuredClone(value);
  const places = placesOf(copy);
  const { parent, key } = places[place % places.length] ?? { parent: copy, key: 'name' };
  if (mistake.kind === 'add') {
    if (!Array.isArray(parent)) parent[mistake.name] = mistake.value;
  } else if (mistake.kind === 'replace') parent[key] = mistake.value;
  else if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else {
    const { [key]: old } = parent;
    delete parent[key];
    if (mistake.kind === 'rename') parent[mistake.name] = old;
  }
  return copy;
}

function placesOf(value: unknown): readonly { readonly parent: Json; readonly key: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => [{ parent: value as Json, key }, ...placesOf(child)]);
}

function visitSchemas(at: unknown, path: string, visit: (schema: Json, path: string) => void): void {
  if (typeof at !== 'object' || at === null) return;
  if (!Array.isArray(at)) visit(at as Json, path);
  for (const [key, child] of Object.entries(at)) visitSchemas(child, `${path}/${key}`, visit);
}
