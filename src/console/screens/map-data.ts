/** What of a project has a place on the map: its devices with their trails, its jobs, and its routes through them. */
import { askAll, ofProject, type Schemas } from '../data/client.ts';

export interface Place {
  readonly lat: number;
  readonly lng: number;
}

export interface Device {
  readonly id: string;
  /** When it was there. */
  readonly at: string;
  readonly place: Place;
  /** Where it has been, the earliest first. */
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
  /** In the order in which they are driven; those without a place are left out. */
  readonly jobs: readonly Job[];
}

export interface Things {
  readonly devices: readonly Device[];
  readonly jobs: readonly Job[];
  readonly routes: readonly Route[];
  /** How many jobs and devices have no place that could be shown. */
  readonly unplaced: number;
  /** What is left out since it would be too much, in words. */
  readonly leftOut: readonly string[];
}

/** Of more than these the first are shown. */
const mostRecords = 10_000;

/** Trails are asked for one by one: of more devices than this, those after it are shown without. */
const mostTrails = 100;

/** Keeps what was loaded of trails, since they are the most to ask for. */
export class MapData {
  private readonly trails = new Map<string, { readonly latest: string; readonly places: readonly Place[] }>();
  private readonly project: string;

  constructor(project: string) {
    this.project = project;
  }

  /** `isWhole`: also the trails of devices that stand where they stood, to which late locations may have come. */
  async load(isWhole: boolean): Promise<Things> {
    const [locations, jobRecords, routeRecords] = await Promise.all([
      askAll<Schemas['LocationRecord']>(ofProject(this.project, '/locations'), mostRecords),
      askAll<Schemas['JobRecord']>(ofProject(this.project, '/jobs'), mostRecords),
      askAll<Schemas['RouteRecord']>(ofProject(this.project, '/routes'), mostRecords),
    ]);
    const jobs = jobRecords.flatMap(toJob);
    const found = await Promise.all(locations.map((record, index) => this.toDevice(record, isWhole, index)));
    const devices = found.filter((device) => device !== undefined);
    return {
      devices,
      jobs,
      routes: routeRecords.map(({ id }) => ({ id, jobs: inOrder(jobs.filter((job) => job.routeId === id)) })),
      unplaced: jobRecords.length - jobs.length + locations.length - devices.length,
      leftOut: [
        ...(locations.length > mostTrails ? [`trails of the first ${mostTrails} devices alone`] : []),
        ...[{ locations }, { jobs: jobRecords }, { routes: routeRecords }].flatMap(toLeftOut),
      ],
    };
  }

  private async toDevice(
    record: Schemas['LocationRecord'],
    isWhole: boolean,
    index: number,
  ): Promise<Device | undefined> {
    const place = placeOf(record['geoJson']);
    if (place === undefined) return undefined;
    const trail = index < mostTrails ? await this.trailOf(record, isWhole) : [];
    return { id: record.deviceId, at: textOf(record['eventDateTime']), place, trail };
  }

  private async trailOf(record: Schemas['LocationRecord'], isWhole: boolean): Promise<readonly Place[]> {
    const latest = JSON.stringify(record);
    const known = this.trails.get(record.deviceId);
    if (known?.latest === latest && !isWhole) return known.places;
    const path = ofProject(this.project, `/locations/${encodeURIComponent(record.deviceId)}`);
    // It may have gone since it was listed.
    const points = await askAll<Readonly<Record<string, unknown>>>(path).catch(() => []);
    const places = points.map((point) => placeOf(point['geoJson'])).filter((place) => place !== undefined);
    this.trails.set(record.deviceId, { latest, places });
    return places;
  }
}

/** A list that was read up to where it may go on. */
function toLeftOut(named: Readonly<Record<string, readonly unknown[]>>): readonly string[] {
  return Object.entries(named).flatMap(([name, { length }]) =>
    length < mostRecords ? [] : [`at most ${mostRecords.toLocaleString('en')} ${name}`],
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

/** By their `sequence`; those that have none come last, as they are stored. */
function inOrder(jobs: readonly Job[]): readonly Job[] {
  return jobs.toSorted((one, other) => (one.sequence === other.sequence ? 0 : one.sequence - other.sequence));
}

/** The place that a GeoJSON point names, if it is one on earth. */
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
