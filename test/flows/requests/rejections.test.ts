/** Whatever is sent to whatever operation: the answer is one that the document declares, and a refusal changes nothing. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RoutedOperation } from '../../../src/openapi/router.ts';
import { type OperationId, operationIds, operations } from '../../../src/operations/index.ts';
import { amountOf } from '../../harness/amounts.ts';
import { freshProject, useSandbox } from '../../harness/sandbox.ts';
import { api } from '../../openapi/requests.ts';
import { stateOf } from '../refusals.ts';

const sandbox = useSandbox();

const id = fc.constantFrom('A', 'B', 'C', '__proto__', 'a/b', '', 'FAIL-GEOCODE-1', 'REFUSE-1');
const status = fc.constantFrom('PENDING', 'DELIVERED', 'READY', 'COMPLETE', 'LOST', '');
const point = { type: 'Point', coordinates: [153, -27] };

/** Values that fit somewhere, and values that fit nowhere. */
const fields = {
  id,
  status,
  subProjectId: fc.constantFrom('north', 'south'),
  address: fc.constantFrom({}, { geoJson: point }, { geoJson: { type: 'Line' } }, 'street'),
  driver: fc.constantFrom(null, {}, { firstName: 'Ana' }, 'Ana'),
  proofOfDelivery: fc.constantFrom([], [{}], 'signed'),
  commsOptOut: fc.constantFrom(true, 'yes'),
  customer: fc.constantFrom({}, { email: 'a@b.example' }, []),
  deviceId: fc.constantFrom('D-1', 'D-2', 7),
  eventDateTime: fc.constantFrom('2026-03-02T09:30:00Z', '2026-03-02T09:30:00', 'now'),
  geoJson: fc.constantFrom(point, { type: 'Point' }, null),
  username: fc.constantFrom('ana', 'bob'),
  password: fc.constantFrom('Secret!', 'secret'),
  type: fc.constantFrom('user', 'attendant', 'driver'),
  access: fc.constantFrom('DRIVER', ['DRIVER'], ['HO'], 5),
  locationIds: fc.constantFrom('S-1', ['S-1'], { siteId: ['S-1'] }),
  visibleBy: fc.constantFrom('S-1', ['S-1'], { storeCode: [1] }),
  attributes: fc.jsonValue({ maxDepth: 2 }),
  anything: fc.jsonValue({ maxDepth: 2 }),
};

const record = fc.record(fields, { requiredKeys: [] });
const plausible = fc.record(
  { id: fields.id, status: fields.status, address: fc.constant({}) },
  { requiredKeys: ['id', 'status', 'address'] },
);
const entry = fc.oneof(
  { weight: 4, arbitrary: record },
  { weight: 2, arbitrary: plausible },
  fc.jsonValue({ maxDepth: 1 }),
);
const route = fc.record(
  { id, routeDate: fields.eventDateTime, jobs: fc.array(entry, { maxLength: 3 }) },
  { requiredKeys: [] },
);
const envelope = fc.record(
  {
    jobs: fc.oneof(fc.array(entry, { maxLength: 4 }), fc.jsonValue({ maxDepth: 1 })),
    orders: fc.array(entry, { maxLength: 4 }),
    routes: fc.array(fc.oneof(route, entry), { maxLength: 3 }),
    locations: fc.array(entry, { maxLength: 3 }),
  },
  { requiredKeys: [] },
);
const anything = fc.oneof(envelope, record, plausible, fc.jsonValue({ maxDepth: 3 }));

/** Bodies that an operation might take: its list of likely entries, or a likely record. */
function fitting(operationId: OperationId): fc.Arbitrary<unknown> {
  const { list, collection } = operations[operationId];
  const location = { deviceId: 'D-1', eventDateTime: '2026-03-02T09:30:00Z', geoJson: point };
  const user = { username: 'ana', password: 'Secret!', type: 'driver', visibleBy: 'S-1', access: 'DRIVER' };
  if (collection === 'users') return operationId === 'registerUser' ? fc.constant(user) : fc.constant({ tags: ['a'] });
  const one: fc.Arbitrary<unknown> = collection === 'devices' ? fc.constant(location) : plausible;
  return list === undefined ? one : fc.array(one, { maxLength: 4 }).map((entries) => ({ [list]: entries }));
}

const request = fc.constantFrom(...operationIds).chain((operationId) =>
  fc.record({
    operationId: fc.constant(operationId),
    body: fc.oneof(anything, fitting(operationId)),
    jobId: fc.constantFrom('A', 'B', '__proto__', 'a/b'),
    username: fc.constantFrom('ana', 'bob'),
    advance: fc.boolean(),
  }),
);

test('every response is declared in the document, and a rejected request changes nothing', async () => {
  const project = freshProject();
  await sandbox.freeze(project);
  let before = await stateOf(sandbox, project);
  const statuses = new Map<number, number>();
  const property = fc.asyncProperty(request, async ({ operationId, body: sent, jobId, username, advance }) => {
    const { method, path: template } = api.operations.get(operationId) as RoutedOperation;
    const params: Record<string, string> = {
      projectId: project,
      subProjectId: 'north',
      jobId,
      orderId: jobId,
      username,
    };
    const path = template.replace(/\{(.+?)\}/g, (_whole, name) => encodeURIComponent(params[name] ?? ''));
    // The harness holds every answer against the document: an undeclared status or body fails here.
    const answer = await sandbox.api(method, path, JSON.stringify(sent));
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    expect(answer.status).toBeLessThan(500);
    expect(answer.headers['x-request-id']).toMatch(/^req_/);
    const after = await stateOf(sandbox, project);
    const { listsFailures, list } = operations[operationId];
    // A route is stored even where none of its jobs was taken.
    const tookNothing = listsFailures && list !== 'routes' && countOf(answer.body) === 0;
    if (answer.status >= 400 || tookNothing) expect(after).toEqual(before);
    if (advance) await sandbox.advance(project);
    before = advance ? await stateOf(sandbox, project) : after;
  });
  await fc.assert(property, { numRuns: amountOf('requests'), seed: 20_260_302, endOnFailure: true });
  // The bodies are no use unless they meet with all kinds of answers.
  expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 201, 202, 400, 404, 409]));
});

/** How many entries a batch took. */
function countOf(result: { jobsReceived?: number; ordersReceived?: number }): number {
  return result.jobsReceived ?? result.ordersReceived ?? 1;
}
