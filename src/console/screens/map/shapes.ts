/** The items in pixels of one zoom level, without points that a pixel can't show. */
import * as Leaflet from 'leaflet';
import type { MapItem } from './items.ts';
import type { Place, TrailPoint } from './trail-time.ts';

export interface Vertex {
  readonly x: number;
  readonly y: number;
}

export interface TimedVertex extends Vertex {
  readonly at: number;
}

export interface Shape {
  readonly item: MapItem;
  /** The location of a device or job. */
  readonly point: Vertex | undefined;
  /** The lines between the stops of a route. */
  readonly lines: readonly (readonly Vertex[])[];
  /** The trail of a device, in parts without gaps. */
  readonly trail: readonly (readonly TimedVertex[])[];
}

/** Distance in pixels up to which a point may be omitted from a trail. */
const tolerance = 0.7;

export type Project = (place: Place) => Leaflet.Point;

export function toShapes(items: readonly MapItem[], project: Project): readonly Shape[] {
  return items.map((item) => {
    const [place] = item.places;
    const isRoute = item.kind === 'route';
    return {
      item,
      point: isRoute || place === undefined ? undefined : project(place),
      lines: isRoute ? splitLine(item.places).map((part) => part.map(project)) : [],
      trail: splitLine(item.trail).map((part) => simplify(part, project)),
    };
  });
}

function simplify(trail: readonly TrailPoint[], project: Project): readonly TimedVertex[] {
  const times = new Map(trail.map((point) => [project(point), point.at] as const));
  // Returns some of these points, not copies.
  const kept = Leaflet.LineUtil.simplify([...times.keys()], tolerance);
  return kept.map((point) => ({ x: point.x, y: point.y, at: times.get(point) ?? 0 }));
}

/** Splits a line that crosses the 180th meridian, so that it does not run around the world. */
function splitLine<Point extends Place>(places: readonly Point[]): Point[][] {
  const parts: Point[][] = [];
  let last: Point | undefined;
  for (const place of places) {
    if (last === undefined || Math.abs(place.lng - last.lng) > 180) parts.push([]);
    parts.at(-1)?.push(place);
    last = place;
  }
  return parts.filter((part) => part.length > 1);
}
