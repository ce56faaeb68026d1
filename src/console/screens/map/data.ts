/** Loads the items of a project that have a location: devices with their trails, jobs, and routes. */
import { listAll, projectPath, type Schemas } from '../../data/client.ts';

export interface Place {
  readonly lat: number;
  readonly lng: number;
}

export interface Device {
  readonly id: string;
  /** Time of the location. */
  readonly at: string;
  readonly place: Place;
  /** Earlier locations, oldest first. */
  readonly trail: readonly Place[];
}

export interface Job {
  readonly id: string;
  readonly status: string;
  readonly routeId: string;
  readonly sequence: number;
  readonly address: string;
  readonly place: Place;
}

export interface Route {
  readonly id: string;
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

export async function loadMap(project: string): Promise<MapContent> {
  const [locations, jobRecords, routeRecords] = await Promise.all([
    listAll<Schemas['LocationRecord']>(projectPath(project, '/locations'), maxRecords),
    listAll<Schemas['JobRecord']>(projectPath(project, '/jobs'), maxRecords),
    listAll<Schemas['RouteRecord']>(projectPath(project, '/routes'), maxRecords),
  ]);
  const jobs = jobRecords.flatMap(toJob);
  const found = await Promise.all(locations.map((record, index) => toDevice(project, record, index < maxTrails)));
  const devices = found.filter((device) => device !== undefined);
  return {
    devices,
    jobs,
    routes: routeRecords.map(({ id }) => ({ id, jobs: inOrder(jobs.filter((job) => job.routeId === id)) })),
    unplaced: jobRecords.length - jobs.length + locations.length - devices.length,
    omitted: [
      ...(locations.length > maxTrails ? [`trails only for the first ${maxTrails} devices`] : []),
      ...[{ locations }, { jobs: jobRecords }, { routes: routeRecords }].flatMap(describeOmitted),
    ],
  };
}

async function toDevice(
  project: string,
  { deviceId: id, geoJson, eventDateTime }: Schemas['LocationRecord'],
  hasTrail: boolean,
): Promise<Device | undefined> {
  const place = placeOf(geoJson);
  if (place === undefined) return undefined;
  const path = projectPath(project, `/locations/${encodeURIComponent(id)}`);
  // The device may have been deleted since it was listed.
  const points = hasTrail ? await listAll<Readonly<Record<string, unknown>>>(path).catch(() => []) : [];
  const trail = points.map((point) => placeOf(point['geoJson'])).filter((one) => one !== undefined);
  return { id, at: textOf(eventDateTime), place, trail };
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
  return [{ id, status, routeId, sequence, address: text.join(', '), place }];
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
