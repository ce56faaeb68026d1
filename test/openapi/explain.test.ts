/** That each constraint has a message, and what no message has: secrets, long texts. flows/transcripts/mistakes.txt has messages. */
import { describe, expect, test } from 'vitest';
import controlSource from '../../spec/control.yaml';
import apiSource from '../../spec/openapi.yaml';
import type { Json } from '../../src/lib/json.ts';
import { closeObjects } from '../../src/openapi/close-objects.ts';
import { type ApiDocument, bodySchema, eachOperation, resolve } from '../../src/openapi/document.ts';
import { quote } from '../../src/openapi/explain.ts';
import type { OperationId } from '../../src/operations/index.ts';
import { api, judge, mistakes, reasons } from './requests.ts';

const reasonFor = (job: object): string | undefined => reasons('asyncUpdateJobs', { jobs: [{ id: 'a', ...job }] })[0];

test('a suggestion is searched at most twenty times per body', () => {
  const jobs = Array.from({ length: 50 }, (_, i) => ({ id: `${i}`, status: 'DELIVERD' }));
  const hints = Object.values(reasons('asyncImportJobs', { jobs })).filter((reason) => reason.includes('did you mean'));
  expect(hints).toHaveLength(20);
});

describe('a quoted text', () => {
  test('is truncated', () => {
    const reason = reasonFor({ sequence: 'x'.repeat(100_000) });
    expect(reason).toBe(`sequence: expected an integer, got "${'x'.repeat(60)}…"`);
    const { warnings } = judge('asyncImportJobs', { jobs: [], ['y'.repeat(100_000)]: 1 });
    expect(warnings[0]?.message.length).toBeLessThan(150);
  });

  test('has a truncated path for a long field name', () => {
    const { warnings } = judge('asyncImportJobs', { jobs: [], ['y'.repeat(100_000)]: 1 });
    expect(warnings[0]?.path.length).toBeLessThan(500);
  });

  test('has escaped control characters', () => {
    expect(quote('a\n\u001b[31m"')).toBe('"a\\n\\u001b[31m\\""');
  });

  test('is never a password', () => {
    const secret = 'Hunter-Two';
    const bad = [secret.toLowerCase(), [secret], { [secret]: secret }, 123_456_789];
    for (const password of bad) {
      const found = mistakes('registerUser', {
        username: 'a',
        type: 'driver',
        visibleBy: 'x',
        access: 'DRIVER',
        password,
      });
      expect(found).toHaveLength(1);
      expect(found[0]).toMatch(/^\/password /);
      expect(found[0]?.toLowerCase()).not.toContain('hunter');
      expect(found[0]).not.toContain('123');
    }
  });
});

/** A body for each of the rules that the document has in words of its own. */
const ruleBreakers: readonly (readonly [OperationId, object])[] = [
  ['asyncUpdateJob', { status: 'PENDING', deliveryDate: 'tomorrow' }],
  [
    'submitLocation',
    { deviceId: 'd', eventDateTime: '2026-03-02T09:30:00Z', geoJson: { type: 'Point', coordinates: [1] } },
  ],
  ['registerUser', { username: 'a', password: 'weak' }],
  ['registerUser', { username: 'a', password: 'Good!', type: 'user' }],
  ['registerUser', { username: 'a', password: 'Good!', type: 'attendant' }],
  ['registerUser', { username: 'a', password: 'Good!', type: 'driver' }],
  ['registerUser', { username: 'a', password: 'Good!', type: 'driver', visibleBy: 'x', access: 'HO' }],
  ['asyncUpdateJob', { status: 'PENDING', proofOfDelivery: [] }],
  ['syncUpdateOrder', { status: 'READY', commsOptOut: true }],
];

test('every rule with its own message is reported with it', () => {
  const rules = [...JSON.stringify(apiSource).matchAll(/"x-rule":("(?:[^"\\]|\\.)*")/g)].map((found) =>
    String(JSON.parse(found[1] ?? '""')).replace(/\.$/, ''),
  );
  const told = ruleBreakers.flatMap(([id, body]) => mistakes(id, body));
  for (const rule of new Set(rules)) {
    expect(
      told.filter((line) => line.includes(rule)),
      rule,
    ).not.toEqual([]);
  }
});

/** Keywords whose errors are explained, and those that repeat the errors of their subschemas. */
const explained =
  /^(type|enum|const|required|format|additionalProperties|(min|max)Items|(min|max)Length|(min|max)imum|if|then|else|allOf)$/;
const annotations = /^(\$ref|description|default|example|examples|name|in|title|writeOnly|items|properties|x-.*)$/;

/** Yields the schemas of parameters and bodies that have a keyword without a message of its own. */
function* findUnexplained(schema: Json): Generator<Json> {
  const keywords = Object.keys(schema).filter((key) => !explained.test(key) && !annotations.test(key));
  const isOfFields = keywords.join() === 'minProperties' && schema['properties'] !== undefined;
  const hasMessage = schema['x-rule'] !== undefined || schema['x-warning'] !== undefined || isOfFields;
  if (keywords.length > 0 && !hasMessage) yield schema;
  const { properties = {}, items, allOf = [], then, else: otherwise } = schema as Record<string, Json>;
  const inner = [...Object.values(properties), ...Object.values(allOf), items, then, otherwise];
  for (const one of inner) if (typeof one === 'object') yield* findUnexplained(one as Json);
}

test.each([
  ['the API', api.document],
  ['the control API', controlSource],
])('every constraint of requests of %s has a message of its own', (_, source) => {
  const document = source as ApiDocument;
  for (const { operation } of eachOperation(document)) {
    const { parameters = [] } = operation as { readonly parameters?: readonly Json[] };
    const schemas = parameters.map((one) => resolve(document, one)['schema'] as Json);
    for (const schema of [...schemas, bodySchema(operation) ?? {}]) {
      expect([...findUnexplained(closeObjects(schema, document) as Json)]).toEqual([]);
    }
  }
});
