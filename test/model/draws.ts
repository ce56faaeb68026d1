/** Random requests to all operations. Few ids, so that they meet; one entry in eight has a mistake. */
import type { OperationId } from '../../src/operations/index.ts';
import type { Dice } from './dice.ts';
import type { Fields } from './fields.ts';
import { documented, listOf, operationIds } from './operations.ts';
import { type Step, toStep } from './steps.ts';

const ids: readonly string[] = ['A', 'B', 'C', 'D', 'E', '__proto__', 'a/b ä', 'FAIL-A', 'REFUSE-A'];

const areas = ['User', 'Location', 'Routes', 'Order', 'Order', 'Order', 'Job', 'Job', 'Job', 'Job'];

/** Draws an operation; most are about jobs and orders. */
function drawOperation(dice: Dice): OperationId {
  const area = dice.of(areas);
  return dice.of(operationIds.filter((id) => id.includes(area)));
}

/** Draws a request to any operation. */
export function drawStep(dice: Dice, project: string): Step {
  const operation = drawOperation(dice);
  const id = dice.of(operation === 'updateUser' ? ['ana', 'bo'] : ids);
  const target = { project, sub: dice.of(['north', 'south']), id };
  return toStep(operation, target, drawBody(dice, operation, id, project));
}

function drawBody(dice: Dice, operation: OperationId, id: string, project: string): unknown {
  const list = listOf(operation);
  if (list === 'routes') return { routes: drawList(dice, () => drawRoute(dice, operation)) };
  if (list === 'locations') return { locations: drawTrail(dice) };
  if (list) return { [list]: drawList(dice, () => drawEntry(dice, operation)) };
  if (operation === 'submitLocation') return drawPoint(dice);
  if (operation === 'registerUser') return drawUser(dice, project);
  if (operation === 'updateUser') return drawUserUpdate(dice);
  return drawEntry(dice, operation, drawRequired(dice, operation, id));
}

/** Fields that the body of a single record must have. */
function drawRequired(dice: Dice, operation: OperationId, id: string): Fields {
  const [method, path] = documented[operation];
  if (method === 'POST') return dice.often(85) ? { address: {}, status: dice.of(['READY', 'PENDING']) } : {};
  return { status: drawStatus(dice, operation), ...(/\{(?:job|order)Id\}/.test(path) && dice.often(90) && { id }) };
}

const jobStatuses = ['PENDING', 'DISPATCH', 'DELIVERED', 'UNDELIVERED', 'ARRIVING', 'CANCELLED'];
const orderStatuses = ['PENDING', 'READY', 'COMPLETE', 'CANCELLED'];

const drawStatus = (dice: Dice, operation: OperationId): string =>
  dice.of(operation.includes('Order') ? orderStatuses : jobStatuses);
const drawList = (dice: Dice, draw: () => unknown): unknown[] => Array.from({ length: dice.below(4) }, draw);

/** Draws a record with fields that not every operation accepts. */
function drawEntry(dice: Dice, operation: OperationId, fixed: Fields = {}): unknown {
  if (dice.often(3)) return dice.of([null, 'text', [], 7]);
  const all: Fields = {
    status: drawStatus(dice, operation),
    sequence: dice.below(9),
    tags: dice.of([[], ['a'], ['b', 'c']]),
    attributes: dice.of([{}, { a: 1 }, { b: { c: null } }]),
    subProjectId: dice.of(['north', 'south', 'west']),
    customer: dice.of([{}, { email: 'a@b.example' }]),
    commsOptOut: dice.often(50),
    address: dice.of([{}, { postcode: '4000' }, { region: 'QLD' }]),
    driver: dice.of([null, {}, { firstName: 'Ana' }, { phone: '1' }]),
    proofOfDelivery: dice.of([[], [{ by: 'Ana' }]]),
    deliveryDate: '2026-03-02T09:30:00+10:00',
    trackingId: dice.of(['T-1', 'T-2']),
    trackId: dice.of(['T-1', 'T-2']),
    colour: 'red',
  };
  const entry: Record<string, unknown> = { id: dice.of(ids) };
  for (const [name, value] of Object.entries(all)) if (dice.often(name === 'status' ? 55 : 22)) entry[name] = value;
  if (dice.often(10))
    Object.assign(
      entry,
      dice.of([{ status: 'LOST' }, { id: 7 }, { sequence: 1.5 }, { address: null }, { status: 'READY' }]),
    );
  if (dice.often(3)) delete entry['id'];
  return { ...entry, ...fixed };
}

const drawRoute = (dice: Dice, operation: OperationId): Fields => ({
  ...(dice.often(95) && { id: dice.of(['R-1', 'R-2', 'R-3', 'R-4']) }),
  ...(dice.often(30) && { driver: dice.of([{ firstName: 'Bo' }, {}]) }),
  ...(dice.often(30) && { routeDate: dice.of(['2026-03-02T09:30:00Z', '2026-03-02T09:30:00Z', 'today']) }),
  ...(dice.often(90) && { jobs: drawList(dice, () => drawEntry(dice, operation)) }),
});

const drawPassword = (dice: Dice): Fields => ({ password: dice.of(['Secret!', 'secret!', 'Secret', 'A-']) });

const drawUser = (dice: Dice, project: string): Fields => ({
  username: dice.of(['ana', 'bo']),
  ...drawPassword(dice),
  ...(dice.often(90) && { type: dice.of(['attendant', 'driver', 'driver', 'user']) }),
  ...(dice.often(85) && { access: dice.of(['DRIVER', ['DRIVER'], ['HO']]) }),
  ...(dice.often(85) && { visibleBy: dice.of(['S-1', ['S-1']]), locationIds: ['S-1'] }),
  ...(dice.often(30) && { projectId: project, firstName: 'Ana' }),
});

const drawUserUpdate = (dice: Dice): Fields => ({
  ...(dice.often(50) && { tags: ['a'] }),
  ...(dice.often(30) && { visibleBy: { siteId: ['S-2'] } }),
  ...(dice.often(40) && drawPassword(dice)),
});

const times = ['09:00:00Z', '19:00:01+10:00', '09:00:02.5Z', '04:00:03-05:00', '09:00:04Z'];

const drawPoint = (dice: Dice): Fields => ({
  deviceId: dice.of(['van-1', 'van-2', '__proto__']),
  eventDateTime: `2026-03-02T${dice.of(times)}`,
  geoJson: { type: dice.often(96) ? 'Point' : 'Line', coordinates: [dice.below(180), dice.below(90)] },
});

/** A trail has at most 1,000 locations, which few lists exceed. */
function drawTrail(dice: Dice): readonly Fields[] {
  if (!dice.often(4)) return Array.from({ length: dice.below(4) }, () => drawPoint(dice));
  return Array.from({ length: 1100 }, (_, index) => ({
    ...drawPoint(dice),
    ...{ deviceId: 'van-1', geoJson: { type: 'Point', coordinates: [index % 180, 1] } },
  }));
}
