/** The kinds of items on the map, their keys in the URL, and their locations. */
import { counted } from '../../parts/counted.ts';
import type { MapContent, Place } from './data.ts';

/** The layers that can be hidden, in the order of the legend. */
export const layerNames = ['devices', 'trails', 'jobs', 'routes'] as const;

/** An item of the map and the table. */
export interface Row {
  /** Key in the URL. */
  readonly key: string;
  readonly collection: 'locations' | 'jobs' | 'routes';
  readonly kind: 'device' | 'job' | 'route';
  readonly id: string;
  /** The location, or the stops of a route in order. */
  readonly places: readonly Place[];
  /** Earlier locations of a device. */
  readonly trail: readonly Place[];
  readonly text: string;
}

/** Returns the rows of all layers that are not hidden, devices first. */
export function toRows(content: MapContent, hidden: ReadonlySet<string>): readonly Row[] {
  return [
    ...(hidden.has('devices') ? [] : content.devices.map((device) => deviceRow(device, !hidden.has('trails')))),
    ...(hidden.has('routes') ? [] : content.routes.map(routeRow)),
    ...(hidden.has('jobs') ? [] : content.jobs.map(jobRow)),
  ];
}

function deviceRow({ id, at, place, trail }: MapContent['devices'][number], hasTrail: boolean): Row {
  const text = `Located at ${at}${hasTrail && trail.length > 0 ? `; trail: ${counted(trail.length, 'location')}` : ''}`;
  const points = hasTrail ? trail : [];
  return { key: `device:${id}`, collection: 'locations', kind: 'device', id, places: [place], trail: points, text };
}

function routeRow({ id, jobs }: MapContent['routes'][number]): Row {
  const places = jobs.map(({ place }) => place);
  const stops = jobs.map((job) => job.id).join(', ');
  const text = jobs.length === 0 ? 'No stop has a location' : `Stops in order: ${stops}`;
  return { key: `route:${id}`, collection: 'routes', kind: 'route', id, places, trail: [], text };
}

function jobRow({ id, status, routeId, address, place }: MapContent['jobs'][number]): Row {
  const parts = [status, address, routeId === '' ? '' : `on route ${routeId}`].filter((part) => part !== '');
  return { key: `job:${id}`, collection: 'jobs', kind: 'job', id, places: [place], trail: [], text: parts.join('; ') };
}

/** Formats latitude and longitude with a precision of about one meter. */
export function placeText({ lat, lng }: Place): string {
  return `${lat.toFixed(5)}, ${lng.toFixed(5)}`;
}
