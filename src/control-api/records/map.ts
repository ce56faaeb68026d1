/** Control API handler for the places of a project, as GeoJSON: devices with their trails, routes with stops, and jobs. */
import { createRecords, type Records, type StoredRecord, trailOf } from '../../records/records.ts';
import { type ControlHandlers, okInPieces, type Schema } from '../handler.ts';
import { driverOf, findDriverNames, joined, pointOf, textOf, toTime } from './rows.ts';

type Feature = Schema<'MapFeature'>;
type Properties = Feature['properties'];

/** Maximum number of records of a collection, and of the points of all trails. */
const maxRecords = 5_000;
const maxTrailPoints = 20_000;

export const mapHandlers: ControlHandlers<'getMap'> = {
  getMap: (_parts, { query }, project) => {
    const records = project?.state.records ?? createRecords();
    const jobs = firstOf(records.jobs);
    const places = jobs.flatMap(toPlace);
    const stops = byRoute(places, records);
    const routes = firstOf(records.routes).map((route) => toRoute(route, stops.get(textOf(route['id'])) ?? []));
    const devices = toDevices(records, new Set(routes.map(({ deviceId }) => deviceId)));
    const located = devices.length - firstOf(records.devices).length + places.length - jobs.length;
    const isCut = [records.jobs, records.routes, records.devices].some(({ size }) => size > maxRecords);
    return okInPieces({
      type: 'FeatureCollection',
      counts: { drivers: devices.length, jobs: places.length, routes: routes.length, unplaced: -located },
      isCut: isCut || undefined,
      features: [
        ...devices,
        ...(query.trails === false ? [] : toTrails(records, devices)),
        ...routes.flatMap(({ features }) => features),
        ...(stops.get('') ?? []).map((place) => toJob(place, {})),
      ],
    });
  },
};

function firstOf(records: ReadonlyMap<string, StoredRecord>): readonly StoredRecord[] {
  return [...records.values()].slice(0, maxRecords);
}

function toFeature(geometry: Feature['geometry'], properties: Properties): Feature {
  return { type: 'Feature', geometry, properties };
}

/** A job that has a place. */
interface Place {
  readonly job: StoredRecord;
  readonly at: readonly [lng: number, lat: number];
}

function toPlace(job: StoredRecord): readonly Place[] {
  const at = pointOf((job['address'] as StoredRecord | undefined)?.['geoJson']);
  return at === undefined ? [] : [{ job, at }];
}

function toJob({ job, at }: Place, route: Partial<Properties>): Feature {
  const address = joined(job['address'], ['streetAddress', 'locality', 'postcode', 'country'], ', ');
  return toFeature(
    { type: 'Point', coordinates: [...at] },
    { kind: 'job', id: textOf(job['id']), ...text('status', job['status']), ...text('address', address), ...route },
  );
}

function text<Key extends string>(key: Key, value: unknown): { readonly [K in Key]?: string } {
  return (textOf(value) === '' ? {} : { [key]: value }) as { readonly [K in Key]?: string };
}

/** Returns the jobs of each route, and those without one under an empty text. */
function byRoute(places: readonly Place[], { routes }: Records): ReadonlyMap<string, readonly Place[]> {
  const found = new Map<string, Place[]>();
  for (const place of places) {
    const named = textOf(place.job['routeId']);
    const route = routes.has(named) ? named : '';
    const all = found.get(route);
    if (all) all.push(place);
    else found.set(route, [place]);
  }
  return found;
}

/** Returns the line of a route and its stops: in order of `sequence`, then as they are stored. */
function toRoute(route: StoredRecord, places: readonly Place[]) {
  const { deviceId, name } = driverOf(route);
  const id = textOf(route['id']);
  const group = deviceId === '' ? `route:${id}` : `device:${deviceId}`;
  const sequenceOf = ({ job: { sequence } }: Place): number =>
    typeof sequence === 'number' ? sequence : Number.POSITIVE_INFINITY;
  // The difference of two jobs without a sequence is no number.
  const stops = places.toSorted((one, other) => sequenceOf(one) - sequenceOf(other) || 0);
  const line = stops.length < 2 ? null : { type: 'LineString' as const, coordinates: stops.map(({ at }) => [...at]) };
  const shown = { kind: 'route', id, group, stops: stops.length, ...text('driver', name) } as const;
  return {
    deviceId,
    features: [
      toFeature(line, shown),
      ...stops.map((place, index) => toJob(place, { group, route: id, stop: index + 1, stops: stops.length })),
    ],
  };
}

/** Returns the devices: those of routes first, then those with another driver, then the others. */
function toDevices(records: Records, onRoutes: ReadonlySet<string>): readonly Feature[] {
  const names = findDriverNames(records);
  const rankOf = (id: string): number => (onRoutes.has(id) ? 0 : names.has(id) ? 1 : 2);
  return firstOf(records.devices)
    .flatMap(({ deviceId, geoJson, eventDateTime }) => {
      const [id, at] = [textOf(deviceId), pointOf(geoJson)];
      if (at === undefined) return [];
      const driver = text('driver', names.get(id));
      const shown = {
        kind: 'device',
        id,
        group: `device:${id}`,
        ...driver,
        ...text('at', toTime(eventDateTime)),
      } as const;
      return toFeature({ type: 'Point', coordinates: [...at] }, shown);
    })
    .sort(({ properties: one }, { properties: other }) => rankOf(one.id) - rankOf(other.id));
}

/** Returns the trails of the first devices that have moved, with the time of each of their points. */
function toTrails(records: Records, devices: readonly Feature[]): readonly Feature[] {
  let left = maxTrailPoints;
  return devices.flatMap(({ properties: { id, group = '' } }) => {
    const points = trailOf(records, id).flatMap(({ geoJson, eventDateTime }) => {
      const at = pointOf(geoJson);
      return at === undefined ? [] : [{ at, time: toTime(eventDateTime) }];
    });
    left -= points.length;
    if (points.length < 2 || left < 0) return [];
    const line = { type: 'LineString' as const, coordinates: points.map(({ at }) => [...at]) };
    return toFeature(line, { kind: 'trail', id, group, times: points.map(({ time }) => time) });
  });
}
