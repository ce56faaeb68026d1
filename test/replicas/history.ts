/** Random histories of a project, as values that fast-check can shrink: requests of all kinds, and whatever is set beside them. */
import fc from 'fast-check';
import { type OperationId, operationIds, operations } from '../../src/operations/index.ts';

/** No recording may show a text with one of these in it. */
export const secrets = {
  password: 'Gehe1m',
  apiKey: 'K3y-for-partners',
  token: 'T0ken-of-a-receiver',
  callbackSecret: 'whsec_bXktb3duLXNlY3JldC1vZi0zMi1ieXRlcy4u',
} as const;

/** How a request's body comes. */
export type Sent =
  | { readonly as: 'json'; readonly text: string }
  | { readonly as: 'bytes' | 'type' | 'encoding' | 'large'; readonly text: string };

export interface Ask {
  readonly operationId: OperationId;
  readonly jobId: string;
  readonly username: string;
  readonly sent: Sent;
  readonly headers: Readonly<Record<string, string>>;
}

/** One thing that happens; what is `together` is sent at the same time. */
export type Step =
  | { readonly kind: 'ask'; readonly together: readonly Ask[] }
  | { readonly kind: 'clock'; readonly aheadMs: number }
  | { readonly kind: 'advance'; readonly body: object }
  | { readonly kind: 'keep' | 'restore' | 'forget-endpoint' | 'redeliver' | 'record' | 'reset' }
  | { readonly kind: 'endpoint'; readonly disabled: boolean; readonly query: string }
  | { readonly kind: 'library' | 'scenarios' | 'server-scenarios'; readonly rules: readonly object[] };

const password = fc.constantFrom<unknown>(
  ...['Gehe1m!', 'Gehe1m', 'Xx-Gehe1m', 'gEHE1M', ' Gehe1m ', 'Gehe1m😀', 'Gehe1m"\\\u0000\u2028', '\ud800Gehe1m!'],
  ...[`Gehe1m${'x'.repeat(5000)}!`, '', 71_934_652, null, true, ['Gehe1m!'], { a: 'Gehe1m!' }, '***', 'Stand-in'],
);

const id = fc.constantFrom('A', 'B', 'C', '__proto__', 'a/b', '', 'FAIL-GEOCODE-1', 'FAIL-LATE-1', 'REFUSE-1');
const fresh = fc.nat(30).map((n) => (n % 3 === 0 ? `FAIL-${n}` : `J-${n}`));
const place = { type: 'Point', coordinates: [153, -27] };

const record = fc.record(
  {
    id,
    status: fc.constantFrom('PENDING', 'DELIVERED', 'LOST', ''),
    address: fc.constantFrom({}, { geoJson: place }, 'street'),
    subProjectId: fc.constantFrom('north', 'south'),
    customer: fc.constantFrom({}, { email: 'a@b.example' }, []),
    deviceId: fc.constantFrom('D-1', 7),
    eventDateTime: fc.constantFrom('2026-03-02T09:30:00Z', 'now'),
    geoJson: fc.constantFrom(place, null),
    attributes: fc.jsonValue({ maxDepth: 2 }),
    anything: fc.jsonValue({ maxDepth: 2 }),
  },
  { requiredKeys: ['id'] },
);

const user = fc.record(
  {
    username: fc.constantFrom<unknown>('ana', 'bob', '', 5),
    password,
    type: fc.constantFrom('driver', 'attendant', 'user'),
    access: fc.constantFrom<unknown>('DRIVER', ['HO'], 5),
    visibleBy: fc.constantFrom<unknown>('S-1', ['S-1']),
    locationIds: fc.constantFrom<unknown>('S-1', ['S-1']),
    firstName: fc.constantFrom<unknown>('Ana', 1, 'übermäßig “x”', '\ud800'),
    // Mistaken for a password, or beside one.
    passwort: password,
    pasword: password,
    userPassword: password,
    apiKey: password,
    credentials: fc.record({ secret: password, note: fc.constant('n') }),
    anything: fc.jsonValue({ maxDepth: 2 }),
  },
  { requiredKeys: [] },
);

const driver = password.map((one) => ({
  username: 'ana',
  password: one,
  type: 'driver',
  visibleBy: 'S-1',
  access: 'DRIVER',
}));

function toBody(operationId: OperationId): fc.Arbitrary<unknown> {
  const { list, collection } = operations[operationId];
  const any = fc.jsonValue({ maxDepth: 2 });
  if (collection === 'users') return fc.oneof({ weight: 3, arbitrary: driver }, { weight: 4, arbitrary: user }, any);
  const location = fc.constant({ deviceId: 'D-1', eventDateTime: '2026-03-02T09:30:00Z', geoJson: place });
  const likely = fc.record({ id: fc.oneof(id, fresh), status: fc.constant('PENDING'), address: fc.constant({}) });
  const one = fc.oneof({ weight: 3, arbitrary: collection === 'devices' ? location : likely }, record);
  if (list === undefined) return fc.oneof({ weight: 6, arbitrary: one }, any);
  const entries: fc.Arbitrary<unknown> =
    list === 'routes'
      ? fc.record({ id, routeDate: fc.constant('2026-03-02T09:30:00Z'), jobs: fc.array(one, { maxLength: 3 }) })
      : one;
  const envelope = fc.array(entries, { minLength: 1, maxLength: 4 }).map((all) => ({ [list]: all }));
  return fc.oneof({ weight: 6, arbitrary: envelope }, any);
}

/** Texts that are not quite JSON, or JSON that only a text can say. */
function spoil(text: string, word: string): fc.Arbitrary<string> {
  return fc.oneof(
    fc.nat(text.length).map((at) => text.slice(0, at)),
    fc.nat(text.length).map((at) => `${text.slice(0, at)}"${text.slice(at)}`),
    fc.nat(text.length).map((at) => text.slice(0, at) + text.slice(at + 1)),
    fc.constant(text.replaceAll('G', '\\u0047')),
    fc.constant(text.replace('{', '{"firstName":1e999,"username":-1e999,')),
    fc.constant(text.replace('{', `{"password":"${word}!","password":"${word}","__proto__":{"password":"${word}"},`)),
    fc.constant(text.replace('{', `{"a":${'['.repeat(120)}"${word}"${']'.repeat(120)},"b":1,`)),
    fc.constant(`\ufeff${text}`),
    fc.constant(`${text}\n\n  `),
    fc.constant(''),
  );
}

const headers = fc.oneof(
  { weight: 5, arbitrary: fc.constant({}) },
  fc.constant({ 'x-sandbox-scenario': 'of-history' }),
  fc.constant({ 'x-sandbox-scenario': 'partial-batch' }),
  fc.constant({ 'x-sandbox-scenario': 'nowhere' }),
  fc.constant({ 'x-partner': secrets.apiKey }),
  fc.constant({ apikey: secrets.apiKey, 'x-access-token': secrets.token, cookie: `session=${secrets.token}` }),
);

const imports: readonly OperationId[] = [
  'asyncImportJobs',
  'asyncImportJobsInSubproject',
  'asyncImportOrders',
  'asyncImportRoutes',
];

/** Operations that answer a record that exists with 409. */
const creations: readonly OperationId[] = ['registerUser', 'syncCreateJob'];

const ask: fc.Arbitrary<Ask> = fc
  .constantFrom<OperationId>(...operationIds, ...creations, ...creations, ...imports, ...imports, ...imports)
  .chain((operationId) =>
    toBody(operationId).chain((body) => {
      const text = JSON.stringify(body);
      // A password has its place with users; other bodies are recorded as they come.
      const word = operations[operationId].collection === 'users' ? secrets.password : 'open';
      const sent = fc.oneof(
        { weight: 8, arbitrary: fc.constant<Sent>({ as: 'json', text }) },
        { weight: 3, arbitrary: spoil(text, word).map((spoiled): Sent => ({ as: 'json', text: spoiled })) },
        { weight: 1, arbitrary: fc.constantFrom(...wrongly).map((as): Sent => ({ as, text })) },
      );
      return fc.record({
        operationId: fc.constant(operationId),
        jobId: fc.constantFrom('A', 'B', '__proto__', 'a/b', 'FAIL-1'),
        username: fc.constantFrom('ana', 'bob'),
        sent,
        headers: headers as fc.Arbitrary<Record<string, string>>,
      });
    }),
  );

const wrongly = ['bytes', 'type', 'encoding', 'large'] as const;

const when = fc.constantFrom<object>(
  ...[{}, {}, {}, { operation: 'async*' }, { operation: ['register*', 'updateUser'] }, { subproject: 'north' }],
  ...[{ item: 1 }, { item: { every: 2 } }, { item: { id: ['A', 'B'] } }, { item: { where: { status: 'PENDING' } } }],
  ...[{ request: { nth: 2 } }, { request: { from: 2 } }, { request: { every: 2 } }],
  ...[{ during: { after: '100ms', for: '1s' } }, { during: { afterRequests: 2, for: '500ms' } }],
  // Secrets as conditions.
  ...[{ where: { 'headers.apikey': secrets.apiKey } }, { where: { 'headers.x-partner': secrets.apiKey } }],
  ...[{ where: { 'headers.x-partner': { exists: true } } }, { where: { 'headers.x-access-token': 'T0ken*' } }],
  ...[{ where: { password: 'Gehe1m*' } }, { where: { password: { matches: '^Gehe1m!$' } } }],
  ...[{ where: { 'credentials.secret': { in: ['Gehe1m', 'Xx-Gehe1m'] } } }, { where: { passwort: { exists: false } } }],
  ...[{ item: { where: { password: { gte: 'Gehe1m!' } } } }, { item: { where: { userPassword: '*Gehe1m*' } } }],
);

const effect = fc.constantFrom<object>(
  ...[{ respond: { status: 503 } }, { respond: { status: 200, body: { odd: [1] } }, processed: true }],
  ...[{ refuse: 'not today' }, { fail: 'lost' }, { fail: 'lost late', after: '2s' }, { fail: 'at once', after: '0s' }],
  ...[{ latency: '5ms' }, { latency: { min: '1ms', max: '20ms' } }, { latency: { median: '2ms', p99: '9ms' } }],
  ...[{ limit: { requests: 2, per: '1s' } }, { connection: 'reset' }, { connection: 'close', processed: true }],
  ...[{ connection: 'truncate' }, { connection: 'truncate', processed: true }],
  ...[{ callback: { delay: '3s', copies: 3 } }, { callback: { drop: true } }, { callback: { signature: 'stale' } }],
  ...[
    { callback: { body: 'malformed' } },
    { callback: { delay: '1s', order: 'shuffle' } },
    { fail: 'x', latency: '3ms' },
  ],
  ...[{ callback: { order: 'reverse' } }],
);

const rule = fc.record(
  { when, then: effect, chance: fc.constantFrom(0.3, 0.7), times: fc.integer({ min: 1, max: 3 }) },
  { requiredKeys: ['then'] },
);
const rules = fc.array(rule, { minLength: 1, maxLength: 4 });

const simple = ['keep', 'restore', 'forget-endpoint', 'redeliver', 'record', 'reset'] as const;

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .oneof({ weight: 2, arbitrary: fc.array(ask, { minLength: 2, maxLength: 8 }) }, fc.tuple(ask))
      .map((together): Step => ({ kind: 'ask', together })),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(0, 400, 90_000).map((aheadMs): Step => ({ kind: 'clock', aheadMs })),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('advance' as const),
      body: fc.constantFrom({ by: '200ms' }, { by: '1.5s' }, { by: '0ms' }, { by: '3m' }, { until: 'idle' }),
    }),
  },
  { weight: 3, arbitrary: fc.constantFrom(...simple).map((kind): Step => ({ kind })) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('endpoint' as const),
      disabled: fc.constantFrom(false, false, true),
      query: fc.constantFrom('', `?sid=${secrets.token}`, `?token=${secrets.token}&a=b#${secrets.token}`),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('library' as const, 'scenarios' as const, 'server-scenarios' as const),
      rules,
    }),
  },
);

/** All that is still due then, or nearly all. */
const later: readonly Step[] = [{ kind: 'clock', aheadMs: 60_000 }, { kind: 'record' }];

/** A project's story. */
export const history: fc.Arbitrary<readonly Step[]> = fc
  .tuple(fc.array(step, { minLength: 4, maxLength: 16 }), fc.constantFrom([], later))
  .map(([steps, end]) => [...steps, ...end]);
