/** The items of the map and its list: drivers, routes with their stops, and other jobs. */
import type { Device, Job, MapContent, Route } from './data.ts';
import { assignColors, groupOfRoute } from './driver-colors.ts';
import type { Place, TrailPoint } from './trail-time.ts';

/** The layers that can be hidden, in the order of the legend. */
export const layerNames = ['devices', 'trails', 'routes', 'jobs'] as const;
export type LayerName = (typeof layerNames)[number];

export interface MapItem {
  /** Key in the URL. */
  readonly key: string;
  readonly collection: 'locations' | 'jobs' | 'routes';
  readonly kind: 'device' | 'job' | 'route';
  readonly id: string;
  /** Name of the driver, or else the id. */
  readonly title: string;
  /** What the list shows next to the title. */
  readonly detail: string;
  /** A driver, its routes and their stops have the same group and color. */
  readonly group: string;
  /** Undefined for a job without a route. */
  readonly color: number | undefined;
  /** Position on the route, from 1. */
  readonly stop: number | undefined;
  /** The location, or the stops of a route in order. */
  readonly places: readonly Place[];
  /** The locations of a device over time. */
  readonly trail: readonly TrailPoint[];
  readonly locality: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
}

/** Returns the items of all layers that are not hidden: drivers, then routes with their stops, then other jobs. */
export function toItems({ devices, jobs, routes }: MapContent, hidden: ReadonlySet<string>): readonly MapItem[] {
  const stops = routes.flatMap((route) =>
    route.jobs.map((job, index) => [job.id, { route, stop: index + 1 }] as const),
  );
  const stopOf = new Map(stops);
  const isHidden = (name: LayerName): boolean => hidden.has(name);
  const onRoutes = new Set(routes.map(({ driver }) => driver.deviceId));
  const rank = ({ id, name }: Device): number => (onRoutes.has(id) ? 0 : name === undefined ? 2 : 1);
  const drivers = devices.toSorted((one, other) => rank(one) - rank(other));
  const colors = assignColors(drivers, routes);
  return [
    ...(isHidden('devices') ? [] : drivers.map((device) => deviceItem(device, colors, !isHidden('trails')))),
    ...routes.flatMap((route) => [
      ...(isHidden('routes') ? [] : [routeItem(route, colors)]),
      ...(isHidden('jobs') ? [] : route.jobs.map((job, index) => jobItem(job, colors, { route, stop: index + 1 }))),
    ]),
    ...(isHidden('jobs') ? [] : jobs.filter(({ id }) => !stopOf.has(id)).map((job) => jobItem(job, colors, undefined))),
  ];
}

function deviceItem({ id, name, at, place, trail }: Device, colors: Colors, hasTrail: boolean): MapItem {
  const key = `device:${id}`;
  return {
    ...{ key, collection: 'locations', kind: 'device', id, group: key, color: colors.get(key), stop: undefined },
    ...{ title: name ?? id, detail: '', places: [place], trail: hasTrail ? trail : [], locality: '' },
    facts: [
      ['Device', id],
      ['Last location', at],
      ...(hasTrail && trail.length > 1 ? [['Trail', `${trail.length.toLocaleString('en')} locations`] as const] : []),
    ],
  };
}

type Colors = ReadonlyMap<string, number>;

function routeItem(route: Route, colors: Colors): MapItem {
  const { id, driver, jobs } = route;
  const group = groupOfRoute(route);
  const stops = jobs.length === 1 ? '1 stop' : `${jobs.length} stops`;
  return {
    ...{ key: `route:${id}`, collection: 'routes', kind: 'route', id, group, color: colors.get(group) },
    ...{ stop: undefined, title: id, detail: [driver.name, stops].filter((part) => part !== '').join(' · ') },
    ...{ places: jobs.map(({ place }) => place), trail: [], locality: '' },
    facts: [
      ...(driver.name === '' ? [] : [['Driver', driver.name] as const]),
      ['Stops', jobs.length === 0 ? 'none with a location' : jobs.map((job) => job.id).join(', ')],
    ],
  };
}

function jobItem(
  { id, status, address, locality, place }: Job,
  colors: Colors,
  of: { readonly route: Route; readonly stop: number } | undefined,
): MapItem {
  const key = `job:${id}`;
  const group = of ? groupOfRoute(of.route) : key;
  return {
    ...{ key, collection: 'jobs', kind: 'job', id, group, color: colors.get(group), stop: of?.stop, title: id },
    ...{ detail: [status, address].filter((part) => part !== '').join(' · '), places: [place], trail: [], locality },
    facts: [
      ...(status === '' ? [] : [['Status', status] as const]),
      ...(address === '' ? [] : [['Address', address] as const]),
      ...(of ? [['Route', `${of.route.id}, stop ${of.stop} of ${of.route.jobs.length}`] as const] : []),
    ],
  };
}
