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

/** Caches the trails, which need the most requests. */
export class MapData {
  private readonly trails = new Map<string, { readonly latest: string; readonly places: readonly Place[] }>();
  private readonly project: string;

  constructor(project: string) {
    this.project = project;
  }

  /**
   * `withAllTrails` also reloads the trails of devices that have not moved: late locations may have been added to them.
   */
  async load(withAllTrails: boolean): Promise<MapContent> {
    const [locations, jobRecords, routeRecords] = await Promise.all([
      listAll<Schemas['LocationRecord']>(projectPath(this.project, '/locations'), maxRecords),
      listAll<Schemas['JobRecord']>(projectPath(this.project, '/jobs'), maxRecords),
      listAll<Schemas['RouteRecord']>(projectPath(this.project, '/routes'), maxRecords),
    ]);
    const jobs = jobRecords.flatMap(toJob);
    const found = await Promise.all(locations.map((record, index) => this.toDevice(record, withAllTrails, index)));
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

  private async toDevice(
    record: Schemas['LocationRecord'],
    withAllTrails: boolean,
    index: number,
  ): Promise<Device | undefined> {
    const place = placeOf(record['geoJson']);
    if (place === undefined) return undefined;
    const trail = index < maxTrails ? await this.trailOf(record, withAllTrails) : [];
    return { id: record.deviceId, at: textOf(record['eventDateTime']), place, trail };
  }

  private async trailOf(record: Schemas['LocationRecord'], withAllTrails: boolean): Promise<readonly Place[]> {
    const latest = JSON.stringify(record);
    const cached = this.trails.get(record.deviceId);
    if (cached?.latest === latest && !withAllTrails) return cached.places;
    const path = projectPath(this.project, `/locations/${encodeURIComponent(record.deviceId)}`);
    // The device may have been deleted since it was listed.
    const points = await listAll<Readonly<Record<string, unknown>>>(path).catch(() => []);
    const places = points.map((point) => placeOf(point['geoJson'])).filter((place) => place !== undefined);
    this.trails.set(record.deviceId, { latest, places });
    return places;
  }
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
