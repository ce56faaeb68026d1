/** What actions write and how they fail, by themselves: no server, no JSON in between. */
import { expect, test } from 'vitest';
import { shippedProfile } from '../../src/openapi/profile/profile.ts';
import type { ActionContext } from '../../src/operations/command.ts';
import { creates, type OperationId, operationIds, operations } from '../../src/operations/index.ts';

const context: ActionContext = {
  now: '2026-03-02T09:30:00.000Z',
  rules: shippedProfile,
  strict: false,
  trackingId: (collection, id) => `TRK-${collection}-${id}`,
  isPending: () => false,
};

/** What comes of one entry, with the id A, where this is stored under it. */
function act(
  operation: OperationId,
  value: object,
  { stored, subProjectId, strict = false }: { stored?: object; subProjectId?: string; strict?: boolean } = {},
) {
  const command = { ...(subProjectId && { subProjectId }), entries: [{ item: 1, id: 'A', value: { ...value } }] };
  return operations[operation].action({ get: () => stored as never }, command, { ...context, strict });
}

const updates: readonly (readonly [OperationId, string])[] = [
  ['syncUpdateJobs', 'job'],
  ['syncUpdateOrder', 'order'],
];

test.each<[OperationId, string, string]>([
  ['syncCreateJobs', 'jobs', 'trackingId'],
  ['syncImportOrders', 'orders', 'trackId'],
])('%s stores the entry with its tracking id, without undefined fields', (operation, into, field) => {
  const times = { createdAt: context.now, updatedAt: context.now };
  const put = { id: 'A', [field]: `TRK-${into}-A`, ...times };
  expect(act(operation, { id: 'A' }).writes).toStrictEqual([{ put, into, id: 'A' }]);
});

test('a route is stored without a subproject if the URL has none', () => {
  const command = { entries: [], routes: [{ id: 'R', value: {}, order: 0.5 }] };
  const put = { id: 'R', jobs: [], createdAt: context.now, updatedAt: context.now };
  const { writes } = operations.syncCreateRoutes.action({ get: () => undefined }, command, context);
  expect(writes).toStrictEqual([{ put, into: 'routes', id: 'R' }]);
});

test.each([
  ['attendant', 'default', undefined, ['HO']],
  ['attendant', 'default', ['X'], ['X']],
  ['attendant', 'required', undefined, undefined],
  ['driver', 'default', undefined, undefined],
] as const)('a user of type %s, access %s and %j has %j', (type, attendantAccess, access, kept) => {
  const entries = [{ item: 1, id: 'A', value: { type, ...(access && { access }) } }];
  const rules = { ...shippedProfile, users: { ...shippedProfile.users, attendantAccess } };
  const asked = { ...context, rules };
  const { writes } = operations.registerUser.action({ get: () => undefined }, { entries }, asked);
  expect(writes.map((write) => 'put' in write && write.put['access'])).toEqual([kept]);
});

test.each(
  updates.flatMap(([operation, noun]) =>
    [
      { stored: { subProjectId: 'own' }, belongs: 'subproject own' },
      { stored: {}, belongs: 'no subproject' },
    ].map((one) => ({ operation, noun, ...one })),
  ),
)('$operation through another subproject than $belongs causes a warning, or fails', (row) => {
  const { operation, noun, stored, belongs } = row;
  const said = `${noun} A belongs to ${belongs}, and was updated through subproject other`;
  expect(act(operation, { id: 'A' }, { stored, subProjectId: 'other' })).toMatchObject({
    ...{ writes: [{ put: { id: 'A' } }], failures: [], warnings: [said] },
  });
  expect(act(operation, { id: 'A' }, { stored, subProjectId: 'other', strict: true })).toEqual({
    ...{ writes: [], failures: [{ order: 1, id: 'A', kind: 'downstream', reason: said }], warnings: [] },
  });
});

test.each(updates.map(([operation]) => operation))('%s causes no warning', (operation) => {
  const stored = { subProjectId: 'own' };
  const to = (subProjectId: string) => ({ id: 'A', subProjectId });
  expect(act(operation, { id: 'A' }, { stored, subProjectId: 'own' }).warnings).toEqual([]);
  expect(act(operation, { id: 'A' }, { stored }).warnings, 'through none').toEqual([]);
  expect(act(operation, to('other'), { stored, subProjectId: 'url' }).warnings, 'moved by the body').toEqual([]);
  expect(act(operation, to('url'), { stored, subProjectId: 'url' }).warnings).toHaveLength(1);
});

test.each([
  [{ status: 'PENDING' }, 'is PENDING'],
  [{}, 'has no status'],
])('a proof of delivery for a stored job %j fails downstream', (stored, came) => {
  const reason = `proofOfDelivery is accepted only when the job's status is DELIVERED or UNDELIVERED; the stored job ${came}`;
  expect(act('syncUpdateJob', { proofOfDelivery: {} }, { stored }).failures).toEqual([
    { order: 1, id: 'A', kind: 'downstream', reason },
  ]);
});

test('operations that report failed imports create records', () => {
  const others = operationIds.filter((operation) => !creates(operations[operation]));
  expect(others.filter((operation) => !/Update/.test(operation))).toEqual([
    ...['registerUser', 'updateUser', 'submitLocation', 'submitLocations'],
  ]);
  expect(others).toHaveLength(15);
});
