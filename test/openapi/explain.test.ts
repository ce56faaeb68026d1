/** The words for each mistake: what was expected, what came, what was probably meant, and never a secret. */
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

describe('the expected and the received value', () => {
  test.each<[object, string]>([
    [{ fulfiller: ['x', 'y'] }, 'fulfiller: expected a string, got an array of 2'],
    [{ fulfiller: [1, 2] }, 'fulfiller: expected a string, got [1, 2]'],
    [{ waitTime: Number.POSITIVE_INFINITY }, 'waitTime: expected an integer, got number Infinity'],
    [{ jobItems: [{ price: Number.NEGATIVE_INFINITY }] }, 'jobItems/0/price: expected a number, got number -Infinity'],
    [{ commsOptOut: 'yes' }, 'commsOptOut: expected a boolean, got "yes"'],
    [{ address: { geoJson: { type: 'Line' } } }, 'address/geoJson/type: expected Point, got "Line"'],
  ])('%j', (job, reason) => {
    expect(reasonFor(job)).toBe(reason);
  });
});

describe('a suggestion', () => {
  test.each<[object, string]>([
    [{ status: 'DELIVERD' }, 'did you mean DELIVERED?'],
    [{ status: 'delivered' }, 'did you mean DELIVERED?'],
    [{ status: 'pending-picked' }, 'did you mean PENDING_PICKED?'],
    [{ scheduleStatus: 'CONFIRM' }, 'did you mean CONFIRMED?'],
    [{ commsChannels: ['voicecall'] }, 'did you mean voiceCall?'],
  ])('%j', (job, hint) => {
    expect(reasonFor(job)).toContain(hint);
    expect(reasonFor(job)).toContain('expected one of ');
  });

  test('is absent if no name is similar', () => {
    expect(reasonFor({ status: 'UTTERLY_DIFFERENT' })).not.toContain('did you mean');
    expect(reasonFor({ status: 'X'.repeat(10_000) })).not.toContain('did you mean');
  });

  test('is added for a required field with a misspelled name', () => {
    const location = { deviceID: 'd', eventDateTime: '2026-03-02T09:30:00Z' };
    expect(mistakes('submitLocation', location)).toEqual([
      '/deviceId required, but missing; got "deviceID", did you mean deviceId?',
      '/geoJson required, but missing',
    ]);
  });

  test('is searched at most twenty times per body', () => {
    const jobs = Array.from({ length: 50 }, (_, i) => ({ id: `${i}`, status: 'DELIVERD' }));
    const hints = Object.values(reasons('asyncImportJobs', { jobs })).filter((reason) =>
      reason.includes('did you mean'),
    );
    expect(hints).toHaveLength(20);
  });
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

  test('has special characters of its name escaped in the path', () => {
    expect(judge('submitLocation', { 'a/b~c': 1 }).warnings[0]?.path).toBe('/a~1b~0c');
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

describe('a field that a job has, but not inside a route', () => {
  const routes = [{ id: 'R-1', jobs: [{ id: 'J-1', deliveryDate: '2026-03-02T09:30:00Z', driver: null }] }];
  const reasonsFor = [
    'not allowed for jobs inside a route: use `routeDate` of the route',
    'not allowed for jobs inside a route: use `driver` of the route',
  ];

  test('is reported with the field of the route', () => {
    const { warnings } = judge('syncCreateRoutes', { routes });
    expect(warnings.map(({ path, message }) => ({ path, message }))).toEqual([
      { path: '/routes/0/jobs/0/deliveryDate', message: `${reasonsFor[0]}; it is ignored` },
      { path: '/routes/0/jobs/0/driver', message: `${reasonsFor[1]}; it is ignored` },
    ]);
  });

  test('rejects the job in strict mode', () => {
    const expected = `deliveryDate: ${reasonsFor[0]}; driver: ${reasonsFor[1]}`;
    expect(reasons('asyncImportRoutes', { routes }, { strict: true })).toEqual({ '0/0': expected });
  });
});

describe('an accepted but probably wrong request has a warning', () => {
  const attendant = { username: 'a', password: 'Good!', type: 'attendant', locationIds: ['BNE-014'], access: ['HO'] };
  const noStore = 'expected at least one store code, such as ["BNE-014"]; the attendant can access no store';
  const noAccess = 'expected at least one value, such as ["HO"]; the attendant has no access';
  const reset = 'to reset a password, send only `password`: update the other fields with another request';

  test.each<[OperationId, object, readonly string[]]>([
    ['registerUser', attendant, []],
    ['registerUser', { ...attendant, locationIds: [] }, [`/locationIds ${noStore}`]],
    ['registerUser', { ...attendant, locationIds: [], access: [] }, [`/locationIds ${noStore}`, `/access ${noAccess}`]],
    ['registerUser', { ...attendant, type: 'driver', visibleBy: 'x', access: 'DRIVER', locationIds: [] }, []],
    ['updateUser', { password: 'Good!' }, []],
    ['updateUser', { password: 'Good!', username: 'x', projectId: 'x' }, []],
    ['updateUser', { password: 'Good!', firstName: 'Ana', desc: 'x' }, [`/password ${reset}`]],
    ['updateUser', { firstName: 'Ana', locationIds: {}, access: [] }, []],
  ])('%s %j', (id, body, expected) => {
    const { violations, warnings, unknown } = judge(id, body);
    expect({ violations, unknown }).toEqual({ violations: [], unknown: [] });
    expect(warnings.map(({ path, message }) => `${path} ${message}`)).toEqual(expected);
    expect(mistakes(id, body, { strict: true })).toEqual(expected);
  });

  test('beside an invalid password', () => {
    const { violations, warnings } = judge('updateUser', { password: 'weak', firstName: 'Ana' });
    expect(violations.map(({ path }) => path)).toEqual(['/password']);
    expect(warnings).toHaveLength(1);
  });
});

test.each([
  ['2026-03-02T09:30:00.123456Z', true],
  ['2026-03-02', true],
  ['20260302', true],
  ['2026-03-02T09:30:00', false],
  ['2026-02-30', false],
  ['02/03/2026 09:30', false],
  [1_772_407_800, false],
  [null, false],
])('the timestamp %j: %s', (deliveryDate, isTaken) => {
  expect(reasonFor({ deliveryDate }) === undefined).toBe(isTaken);
});
