/** A body that is judged in slices is judged as one that is judged at once. */
import { expect, test } from 'vitest';
import { createSlices } from '../../src/lib/slices.ts';
import { type OperationId, operations } from '../../src/operations/index.ts';
import { api } from './requests.ts';

const entries = (count: number, toEntry: (n: number) => unknown): unknown[] =>
  Array.from({ length: count }, (_, n) => toEntry(n));
const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);

const bodies: readonly (readonly [string, OperationId, object])[] = [
  ['valid jobs', 'asyncImportJobs', { jobs: entries(95, (n) => ({ id: `${n}` })) }],
  [
    'mistakes here and there',
    'asyncImportJobs',
    { jobs: entries(95, (n) => (n % 7 === 0 ? { id: n, status: 'LOST' } : { id: `${n}` })) },
  ],
  [
    'unknown fields everywhere',
    'syncUpdateJobs',
    { extra: 1, jobs: entries(95, (n) => ({ id: `${n}`, [`f${n}`]: 1, media: [{ x: 1 }] })), more: 2 },
  ],
  ['mistakes of the whole', 'asyncImportOrders', { projectId: 5, orders: entries(41, () => ({})) }],
  [
    'routes with jobs',
    'syncCreateRoutes',
    { routes: entries(50, (n) => ({ id: `${n}`, jobs: [{ id: 1 }, { id: 'a' }] })) },
  ],
  ['locations, whose mistakes refuse all', 'submitLocations', { locations: entries(45, (n) => ({ deviceId: n })) }],
  [
    'something too deep in the last entry',
    'asyncImportJobs',
    { jobs: entries(45, (n) => ({ id: `${n}`, x: n === 44 ? nested(101) : 1 })) },
  ],
  ['no list', 'asyncImportJobs', { jobs: 'none' }],
  ['a list of something else', 'asyncImportJobs', { jobs: [], others: entries(100, () => 1) }],
];

test.each(bodies)('%s', async (_, id, body) => {
  const operation = api.operations.get(id);
  if (!operation) throw new Error(id);
  const { list, listsFailures } = operations[id];
  const request = { params: { projectId: 'p' }, query: {}, body };
  for (const strict of [false, true]) {
    const how = { list: listsFailures ? list : undefined, strict, depth: 100 };
    const slices = createSlices({ elapsed: () => 0 }, 0);
    const sliced = await api.validateInSlices(operation, request, { ...how, slicedBy: list, slices });
    expect(sliced).toEqual(api.validate(operation, request, how));
  }
});

test('lets other requests run after every few entries', async () => {
  const operation = api.operations.get('asyncImportJobs');
  if (!operation) throw new Error('asyncImportJobs');
  let turns = 0;
  const next = async () => {
    turns += 1;
  };
  const slices = { isOver: () => true, next };
  const request = { params: { projectId: 'p' }, query: {}, body: { jobs: entries(1000, (n) => ({ id: `${n}` })) } };
  await api.validateInSlices(operation, request, { list: 'jobs', strict: false, depth: 100, slicedBy: 'jobs', slices });
  expect(turns).toBe(49);
});
