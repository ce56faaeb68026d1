/** Loads the items of a project that have a location: devices with their trails, jobs, and routes. */
import { listAll, projectPath, type Schemas } from '../../data/client.ts';
import { createDriverNames, type DriverOfRecord, driverOf } from './drivers.ts';
import type { Place, TrailPoint } from './trail-time.ts';

export interface Device {
  readonly id: string;
  /** Name of the driver, if a route, a job or a user has this device. */
  readonly name: string | undefined;
  /** Time of the location. */
  readonly at: string;
  readonly place: Place;
  /** The locations with their times, oldest first, including the latest. */
  readonly trail: readonly TrailPoint[];
}

export interface Job {
  readonly id: string;
  readonly status: string;
  readonly routeId: string;
  readonly sequence: number;
  readonly address: string;
  readonly locality: string;
  readonly place: Place;
}

export interface Route {
  readonly id: string;
  readonly driver: DriverOfRecord;
  /** In driving order, without jobs that have no location. */
  readonly jobs: readonly Job[];
}

export interface MapContent {
  readonly devices: readonly Device[];
  readonly jobs: readonly Job[];
  readonly routes: readonly Route[];
  /** Number of jobs and devices without a valid location. */
  readonly unplaced: number;
  /** Describes what is omitted because there is too much of it. */
  readonly omitted: readonly string[];
}

/** Maximum number of records per collection that are shown. */
const maxRecords = 10_000;

/** Each trail needs a request, so only this number of devices have one. */
const maxTrails = 100;

type Trails = Map<string, { readonly updatedAt: string; readonly points: readonly TrailPoint[] }>;

/** Returns a function that loads the content, and loads a trail again only after its device has moved. */
export function createMapLoader(): (project: string) => Promise<MapContent> {
  let loadedProject = '';
  let trails: Trails = new Map();
  return (project) => {
    if (project !== loadedProject) trails = new Map();
    loadedProject = project;
    return loadMap(project, trails);
  };
}

async function loadMap(project: string, trails: Trails): Promise<MapContent> {
  const [locations, jobRecords, routeRecords, users] = await Promise.all([
    listAll<Schemas['LocationRecord']>(projectPath(project, '/locations'), maxRecords),
    listAll<Schemas['JobRecord']>(projectPath(project, '/jobs'), maxRecords),
    listAll<Schemas['RouteRecord']>(projectPath(project, '/routes'), maxRecords),
    listAll<Schemas['UserRecord']>(projectPath(project, '/users'), maxRecords),
  ]);
  const nameOf = createDriverNames(routeRecords, jobRecords, users);
  const jobs = jobRecords.flatMap(toJob);
  const jobsOf = Map.groupBy(jobs, ({ routeId }) => routeId);
  await Promise.all(locations.slice(0, maxTrails).map((record) => loadTrail(project, record, trails)));
  const devices = locations.flatMap((record) =>
    toDevice(record, nameOf(record.deviceId), trails.get(record.deviceId)?.points ?? []),
  );
  return {
    devices,
    jobs,
    routes: routeRecords.map((record) => ({
      id: record.id,
      driver: driverOf(record),
      jobs: inOrder(jobsOf.get(record.id) ?? []),
    })),
    unplaced: jobRecords.length - jobs.length + locations.length - devices.length,
    omitted: [
      ...(locations.length > maxTrails ? [`trails only for the first ${maxTrails} devices`] : []),
      ...[{ locations }, { jobs: jobRecords }, { routes: routeRecords }].flatMap(describeOmitted),
    ],
  };
}

async function loadTrail(
  project: string,
  { deviceId, updatedAt }: Schemas['LocationRecord'],
  trails: Trails,
): Promise<void> {
  if (trails.get(deviceId)?.updatedAt === updatedAt) return;
  const path = projectPath(project, `/locations/${encodeURIComponent(deviceId)}`);
  // The device may have been deleted since it was listed.
  const records = await listAll<Readonly<Record<string, unknown>>>(path).catch(() => []);
  const points = records.flatMap((record) => {
    const place = placeOf(record['geoJson']);
    const at = Date.parse(textOf(record['eventDateTime']));
    return place === undefined || Number.isNaN(at) ? [] : [{ ...place, at }];
  });
  trails.set(deviceId, { updatedAt, points });
}

function toDevice(
  { deviceId: id, geoJson, eventDateTime }: Schemas['LocationRecord'],
  name: string | undefined,
  trail: readonly TrailPoint[],
): readonly Device[] {
  const place = placeOf(geoJson);
  return place === undefined ? [] : [{ id, name, at: textOf(eventDateTime), place, trail }];
}

/** Reports a list that reached the maximum number of records. */
function describeOmitted(lists: Readonly<Record<string, readonly unknown[]>>): readonly string[] {
  return Object.entries(lists).flatMap(([name, { length }]) =>
    length < maxRecords ? [] : [`only the first ${maxRecords.toLocaleString('en')} ${name}`],
  );
}

function toJob(record: Schemas['JobRecord']): readonly Job[] {
  const address = (record['address'] ?? {}) as Readonly<Record<string, unknown>>;
  const place = placeOf(address['geoJson']);
  if (place === undefined) return [];
  const { id, status = '', routeId = '' } = record;
  const parts = [address['streetAddress'], address['locality'], address['postcode'], address['country']];
  const sequence = typeof record['sequence'] === 'number' ? record['sequence'] : Number.POSITIVE_INFINITY;
  const text = parts.map(textOf).filter((part) => part !== '');
  return [{ id, status, routeId, sequence, address: text.join(', '), locality: textOf(address['locality']), place }];
}

/** Sorts the jobs by `sequence`. Jobs without one come last, in stored order. */
function inOrder(jobs: readonly Job[]): readonly Job[] {
  return jobs.toSorted((one, other) => (one.sequence === other.sequence ? 0 : one.sequence - other.sequence));
}

/** Returns the location of a GeoJSON point, or undefined if its coordinates are invalid. */
function placeOf(point: unknown): Place | undefined {
  const { coordinates } = (point ?? {}) as { readonly coordinates?: unknown };
  if (!Array.isArray(coordinates)) return undefined;
  const [lng, lat] = coordinates as readonly unknown[];
  if (typeof lng !== 'number' || typeof lat !== 'number') return undefined;
  return Math.abs(lat) <= 90 && Math.abs(lng) <= 180 ? { lat, lng } : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
