/** The kinds of things on the map, how one of them is named in the address, and where it is. */
import type { Place, Things } from './map-data.ts';

/** What can be switched off, in the order of the legend. */
export const layerNames = ['devices', 'trails', 'jobs', 'routes'] as const;

/** One thing as the table and the map speak of it. */
export interface Row {
  /** As it stands in the address. */
  readonly key: string;
  readonly collection: 'locations' | 'jobs' | 'routes';
  readonly kind: 'device' | 'job' | 'route';
  readonly id: string;
  /** Where it is; of a route, its stops in order. */
  readonly places: readonly Place[];
  /** Where it has been, if it is a device. */
  readonly trail: readonly Place[];
  readonly text: string;
}

/** All that is switched on and can be shown, devices first. */
export function toRows(things: Things, hidden: ReadonlySet<string>): readonly Row[] {
  return [
    ...(hidden.has('devices') ? [] : things.devices.map((device) => deviceRow(device, !hidden.has('trails')))),
    ...(hidden.has('routes') ? [] : things.routes.map(routeRow)),
    ...(hidden.has('jobs') ? [] : things.jobs.map(jobRow)),
  ];
}

function deviceRow({ id, at, place, trail }: Things['devices'][number], hasTrail: boolean): Row {
  const points = trail.length === 1 ? '1 location' : `${trail.length} locations`;
  const text = `There at ${at}${hasTrail && trail.length > 0 ? `; its trail has ${points}` : ''}`;
  const places = [place];
  return {
    key: `device:${id}`,
    collection: 'locations',
    kind: 'device',
    id,
    places,
    trail: hasTrail ? trail : [],
    text,
  };
}

function routeRow({ id, jobs }: Things['routes'][number]): Row {
  const places = jobs.map(({ place }) => place);
  const stops = jobs.map((job) => job.id).join(', ');
  const text = jobs.length === 0 ? 'None of its jobs has a place' : `Stops in order: ${stops}`;
  return { key: `route:${id}`, collection: 'routes', kind: 'route', id, places, trail: [], text };
}

function jobRow({ id, status, routeId, address, place }: Things['jobs'][number]): Row {
  const parts = [status, address, routeId === '' ? '' : `on route ${routeId}`].filter((part) => part !== '');
  return { key: `job:${id}`, collection: 'jobs', kind: 'job', id, places: [place], trail: [], text: parts.join('; ') };
}

/** Latitude and longitude, to about a metre. */
export function placeText({ lat, lng }: Place): string {
  return `${lat.toFixed(5)}, ${lng.toFixed(5)}`;
}
