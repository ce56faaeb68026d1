/** Scenarios that the parser accepts, as arbitraries: every effect and condition, and answers that nobody expects. */
import fc from 'fast-check';
import { callbackTypes } from '../../src/callbacks/callback.ts';
import type { Json } from '../../src/lib/json.ts';
import { operationIds } from '../../src/operations/index.ts';
import { oddTexts } from '../model/values.ts';

const text = fc.oneof(
  fc.constantFrom(...oddTexts.filter((one) => one !== ''), 'Down', 'A', 'FAIL-*', '*'),
  fc.string({ minLength: 1, maxLength: 20 }),
);

/** Values whose fields hide the methods that all objects have, and others that code may take for an object. */
const odd = fc.oneof(
  fc.constantFrom(
    null,
    0,
    -1,
    1e300,
    '',
    [],
    {},
    [[]],
    { toString: 1 },
    { valueOf: null, toString: null },
    { length: 1e9 },
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

const list = fc.array(
  fc.oneof(fc.record({ id: fc.oneof(text, odd), reason: fc.oneof(text, odd) }, { requiredKeys: [] }), odd),
  { minLength: 1, maxLength: 3 },
);

/** What the API's own answers hold, filled with anything. */
const answer = fc.record(
  {
    ...{ failed: fc.oneof(list, odd), jobs: fc.oneof(list, odd), orders: fc.oneof(list, odd) },
    ...{ jobsReceived: odd, ordersReceived: odd, message: fc.oneof(text, odd), errors: fc.oneof(list, odd), id: odd },
  },
  { requiredKeys: [] },
);

const status = fc.oneof(
  fc.constantFrom(200, 201, 202, 204, 205, 304, 400, 401, 404, 409, 410, 429, 500, 503, 599),
  fc.integer({ min: 200, max: 599 }),
);
const headerName = fc.constantFrom(
  'retry-after',
  'X-Odd',
  'content-type',
  'location',
  'x-request-id',
  'date',
  'connection',
);
const headerValue = fc.oneof(
  fc.constantFrom('0', '-1', '1e9', 'close', 'a, b', '\xe9', ''),
  fc.stringMatching(/^[\t -~]{0,20}$/),
);
const body = fc.oneof({ weight: 4, arbitrary: answer }, { weight: 1, arbitrary: odd }, { weight: 1, arbitrary: text });
const respond = fc.record(
  { status, headers: fc.dictionary(headerName, headerValue, { maxKeys: 2 }), body },
  { requiredKeys: ['status', 'body'] },
);

const wait = fc.constantFrom('0s', '1ms', '5ms', '30ms');
const latency = fc.oneof(wait, fc.constant({ min: '0s', max: '20ms' }), fc.constant({ median: '2ms', p99: '20ms' }));
const duration = fc.constantFrom('0s', '1ms', '1s', '2s', '1m', '30d');
const callback = fc.oneof(
  fc.constant({ drop: true }),
  fc.record(
    {
      delay: duration,
      copies: fc.integer({ min: 2, max: 5 }),
      order: fc.constantFrom('reverse', 'shuffle'),
      signature: fc.constantFrom('invalid', 'missing', 'stale'),
      body: fc.constant('malformed'),
    },
    { requiredKeys: ['copies'] },
  ),
);
const limit = fc.record({ requests: fc.nat(5), per: fc.constantFrom('1s', '1m') });
const connection = fc.constantFrom('reset', 'close', 'hang', 'truncate', 'drip');

/** One main effect, and others beside it. */
const then = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ respond, processed: fc.boolean(), callback, latency }, { requiredKeys: ['respond'] }),
  },
  { weight: 2, arbitrary: fc.record({ refuse: text, fail: text, latency }, { requiredKeys: ['refuse'] }) },
  { weight: 3, arbitrary: fc.record({ fail: text, after: duration, callback, limit }, { requiredKeys: ['fail'] }) },
  { weight: 1, arbitrary: fc.record({ connection, processed: fc.boolean() }, { requiredKeys: ['connection'] }) },
  { weight: 1, arbitrary: fc.record({ limit, latency }, { requiredKeys: ['limit'] }) },
  { weight: 1, arbitrary: fc.record({ callback }) },
);

const scalar = fc.oneof(text, fc.constantFrom(0, 1.5, true, false, null));
const matcher = fc.oneof(
  scalar,
  fc.record({ in: fc.array(scalar, { minLength: 1, maxLength: 3 }) }),
  fc.record({ exists: fc.boolean() }),
  fc.record({ matches: fc.constantFrom('^[0-9]+$', 'A|B', '(a*)*b', '[ab]{1,20}', '') }),
  fc.record({ gt: fc.integer(), lte: fc.oneof(fc.integer(), text) }),
);
const path = fc.constantFrom(
  'id',
  'jobs',
  'jobs.0.id',
  'headers.x-test',
  'password',
  'constructor',
  'customer.email',
  'a.b.c',
);
const where = fc.dictionary(path, matcher, { minKeys: 1, maxKeys: 2 });
const ordinal = fc.integer({ min: 1, max: 5 });
const item = fc.oneof(
  ordinal,
  fc.array(ordinal, { minLength: 1, maxLength: 3 }),
  fc.record({ every: ordinal }),
  fc.record({ id: fc.oneof(text, fc.array(text, { minLength: 1, maxLength: 2 })) }),
  fc.record({ where }),
);
const when = fc.record(
  {
    operation: fc.constantFrom('*', 'async*', 'sync*', '*Jobs*', ...operationIds),
    project: fc.constantFrom('*', 'f-*', 'other'),
    subproject: fc.constantFrom('*', 'north'),
    item,
    request: fc.oneof(fc.record({ nth: ordinal }), fc.record({ from: ordinal }), fc.record({ every: ordinal })),
    during: fc.oneof(fc.record({ afterRequests: ordinal, for: duration }), fc.record({ after: duration })),
    where,
  },
  { requiredKeys: [] },
);

/** Half of the rules hold for all requests: with many conditions nearly none would fire. */
const anytime = fc.oneof(fc.constant({}), when);
const rule = fc.record(
  { name: text, when: anytime, chance: fc.constantFrom(0.5, 1), times: fc.integer({ min: 2, max: 9 }), then },
  { requiredKeys: ['then', 'when'] },
);
const expect = fc.oneof(
  fc.record({
    requests: fc.record({ operation: fc.constant('async*'), status, item, min: fc.nat(3) }, { requiredKeys: [] }),
  }),
  fc.record({
    callbacks: fc.record({ type: fc.constantFrom(...callbackTypes), count: fc.nat(3) }, { requiredKeys: [] }),
  }),
);

export const scenarios: fc.Arbitrary<Json> = fc.record(
  {
    name: fc.constantFrom('one', 'two', 'three'),
    description: text,
    seed: fc.oneof(text, fc.integer()),
    // Two rules with the same name are invalid.
    rules: fc.uniqueArray(rule, { minLength: 1, maxLength: 4, selector: ({ name }) => name ?? {} }),
    expect: fc.array(expect, { minLength: 1, maxLength: 2 }),
  },
  { requiredKeys: ['name', 'rules'] },
) as fc.Arbitrary<Json>;

/** Scenarios with something wrong. */
export const brokenScenarios: fc.Arbitrary<Json> = fc
  .tuple(scenarios, fc.constantFrom('rules', 'name', 'then', 'status', 'colour'), odd)
  .map(([scenario, place, value]) => {
    if (place === 'then') return { ...scenario, rules: [{ then: value }] };
    if (place === 'status') return { ...scenario, rules: [{ then: { respond: { status: 100 } } }] };
    return { ...scenario, [place]: value };
  });
