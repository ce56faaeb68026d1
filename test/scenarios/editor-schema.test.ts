/** Checks spec/scenario.schema.json: it accepts and rejects the same files as the parser. */
import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { scenarioJsonSchema } from '../../src/scenarios/parse.ts';
import { everything } from './everything.ts';
import { readTexts } from './text-case.ts';

const schema = scenarioJsonSchema();
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
  'alias-within-its-anchor': 'where an anchor is known',
  deep: 'levels',
  'duplicate-names': 'names of rules and headers',
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

type Json = Record<string, unknown>;

/** Returns the value of a YAML text, or undefined if it is not valid YAML. */
function readValue(text: string): unknown {
  try {
    return parse(text, { logLevel: 'error' });
  } catch {
    return undefined;
  }
}

function visitSchemas(at: unknown, path: string, visit: (schema: Json, path: string) => void): void {
  if (typeof at !== 'object' || at === null) return;
  if (!Array.isArray(at)) visit(at as Json, path);
  for (const [key, child] of Object.entries(at)) visitSchemas(child, `${path}/${key}`, visit);
}
