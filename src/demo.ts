/** What `--demo` starts with: a project in which something of everything has happened, by requests as a client sends them. */
import { toTimestamp } from './base/time.ts';
import type { RoutedOperation } from './contract/router.ts';
import { toRawBody } from './http/body.ts';
import type { ControlHandlers, ControlParts } from './http/control/handler.ts';
import type { Pipeline } from './http/pipeline.ts';
import type { OperationId } from './operations/index.ts';
import { createPoint } from './sample/address.ts';
import { sampleBody } from './sample/sample.ts';

/** The project that is filled. */
const demoProject = 'demo';

interface Parts {
  readonly control: ControlParts;
  readonly clock: ControlHandlers<'putClock' | 'advanceClock'>;
  readonly pipeline: Pick<Pipeline, 'enter'>;
  /** What a client would send as its key. */
  readonly key: string;
}

interface Entry {
  readonly id: string;
  readonly status?: string;
  readonly [field: string]: unknown;
}

interface Route {
  readonly driver: { readonly deviceId: string };
  readonly jobs: readonly {
    readonly address: { readonly geoJson: { readonly coordinates: readonly [number, number] } };
  }[];
}

interface Location {
  readonly deviceId: string;
  readonly eventDateTime: string;
  readonly geoJson: object;
}

const jobCount = 24;
const userCount = 3;
/** Of some twelve vans that stand about; the drivers of routes are on the road. */
const locationCount = 60;
const pointsALeg = 8;
const minutesAPoint = 2;
/** Among so many changes are some of every status. */
const changeCount = 300;

/** Fills the project, where there is none that was kept. On a real clock its time has then moved ahead by what carrying out takes. */
export async function fillDemo({ control, clock, pipeline, key }: Parts): Promise<void> {
  if (control.worlds.find(demoProject)) return;
  const { seed, defaultClock } = control;
  const now = toTimestamp(defaultClock.nowMs ?? control.wall.now());
  const say = { params: { projectId: demoProject }, query: {}, headers: {}, isYaml: false, isSecure: false };
  const sample = (id: OperationId, count: number, own = seed) =>
    sampleBody(id, { count, seed: own, now, oneCity: true });
  const answers: unknown[] = [];
  const send = (id: OperationId, body: object, params: Readonly<Record<string, string>> = {}): void => {
    const operation = control.contract.operations.get(id);
    if (operation) answers.push(pipeline.enter(toRequest(operation, params, key), toGiven(body)));
  };
  /** Lets happen what was accepted, with all callbacks that are due at once. */
  const settle = async (): Promise<void> => {
    const at = control.worlds.open(demoProject).now();
    await clock.advanceClock(control, { ...say, body: { to: toTimestamp(at + control.processingMs) } });
  };

  await clock.putClock(control, { ...say, body: { mode: 'frozen' } });
  for (let n = 1; n <= userCount; n += 1) send('registerUser', await sample('registerUser', 1, `${seed} ${n}`));
  const { jobs } = (await sample('asyncImportJobs', jobCount)) as { jobs: readonly Entry[] };
  send('asyncImportJobs', { jobs });
  const { routes } = (await sample('syncCreateRoutes', 16)) as { routes: readonly Route[] };
  send('syncCreateRoutes', { routes });
  send('syncImportOrders', await sample('syncImportOrders', 8));
  await settle();
  const { jobs: changes } = (await sample('syncUpdateJobs', changeCount)) as { jobs: readonly Entry[] };
  send('syncUpdateJobs', { jobs: spread(jobs, changes) });
  send('syncCreateJob', { ...(await sample('syncCreateJob', 1, `${seed} alone`)), status: 'READY' });
  const { orders } = (await sample('syncImportOrders', 1)) as { orders: readonly Entry[] };
  send('syncUpdateOrder', await sample('syncUpdateOrder', 1), { orderId: orders[0]?.id ?? '' });
  const { locations } = (await sample('submitLocations', locationCount)) as { locations: readonly Location[] };
  const driven = routes.flatMap((route) => drive(route, Date.parse(now)));
  const isDriven = ({ deviceId }: Location) => driven.some((one) => one.deviceId === deviceId);
  send('submitLocations', { locations: [...locations.filter((one) => !isDriven(one)), ...driven] });
  send('asyncImportJobs', { jobs: toFailing(jobs) });
  send('asyncImportJobs', { jobs: mistaken });
  await settle();
  // Where a scenario lets answers wait, they are there before the sandbox is.
  await Promise.all(answers);
  await clock.putClock(control, { ...say, body: { mode: defaultClock.mode } });
}

/** For each job a change to another status, so that all statuses are there. */
function spread(jobs: readonly Entry[], changes: readonly Entry[]): readonly Entry[] {
  const statuses = [...new Set(changes.map(({ status }) => status))];
  const byStatus = statuses.map((wanted) => changes.filter(({ status }) => status === wanted));
  return jobs.flatMap(({ id }, index) => {
    const group = byStatus[index % byStatus.length] ?? [];
    const change = group[Math.floor(index / byStatus.length) % group.length];
    // Proofs and items are named after their job.
    return change ? [JSON.parse(JSON.stringify(change).replaceAll(change.id, id)) as Entry] : [];
  });
}

/** The way of a route's van, past all stops but the last two, up to now: by streets that run east, then north. */
function drive({ driver, jobs }: Route, nowMs: number): readonly Location[] {
  const stops = jobs.slice(0, -2).map(({ address }) => address.geoJson.coordinates);
  const points = stops.slice(1).flatMap((to, leg) => {
    const from = stops[leg] ?? to;
    const between = (axis: 0 | 1, share: number) =>
      from[axis] + (to[axis] - from[axis]) * Math.max(0, Math.min(1, share));
    return Array.from({ length: pointsALeg }, (_, n) => (n + 1) / pointsALeg).map(
      (share) => [between(0, share * 2), between(1, share * 2 - 1)] as const,
    );
  });
  return points.map(([longitude, latitude], index) => ({
    deviceId: driver.deviceId,
    eventDateTime: toTimestamp(nowMs - (points.length - 1 - index) * minutesAPoint * 60_000),
    geoJson: createPoint(longitude, latitude),
  }));
}

/** Jobs of which some fail downstream: by their ids, and because they are there already. */
function toFailing(jobs: readonly Entry[]): readonly Entry[] {
  return ['FAIL-GEOCODE-1', 'DEMO-2', 'FAIL-CAPACITY-3', undefined].map((id, index) => {
    const job = jobs[index] as Entry;
    return id === undefined ? job : { ...job, id };
  });
}

/** What clients get wrong: a status, a name of a field, the order of coordinates, an id. */
const mistaken = [
  { id: 'DEMO-4', status: 'DELIVERD' },
  { id: 'DEMO-5', adress: { streetAddress: '12 Kent Street' } },
  { id: 'DEMO-6', address: { geoJson: { type: 'Point', coordinates: [-27.4698, 153.0251] } } },
  { id: 7, isPriority: 'yes' },
];

function toRequest(
  { method, path, moved = {} }: RoutedOperation,
  given: Readonly<Record<string, string>>,
  apikey: string,
): Parameters<Pipeline['enter']>[0] {
  const params: Readonly<Record<string, string>> = { ...given, projectId: demoProject };
  const query = Object.entries(moved).map(([outside, name]) => `${outside}=${encodeURIComponent(params[name] ?? '')}`);
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(params[name] ?? ''));
  const url = query.length === 0 ? filled : `${filled}?${query.join('&')}`;
  const headers = { 'content-type': 'application/json', 'user-agent': 'field-sandbox --demo', apikey };
  return { method: method.toUpperCase(), url, headers };
}

function toGiven(body: object): Parameters<Pipeline['enter']>[1] {
  const text = JSON.stringify(body);
  // Its own value: what comes in is what is kept.
  return { raw: toRawBody(text), parsed: { value: JSON.parse(text) as unknown }, scenario: undefined };
}
