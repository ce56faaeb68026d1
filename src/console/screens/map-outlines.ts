/** The outlines of the world's countries, as they come with the console. */
import { feature } from 'topojson-client';
import address from 'world-atlas/countries-50m.json?url';

type World = Parameters<typeof feature>[0];
type Countries = Parameters<typeof feature>[1];

let loaded: Promise<GeoJSON.FeatureCollection> | undefined;

export function loadOutlines(): Promise<GeoJSON.FeatureCollection> {
  loaded ??= load().catch((error: unknown) => {
    // The next map tries again.
    loaded = undefined;
    throw error;
  });
  return loaded;
}

async function load(): Promise<GeoJSON.FeatureCollection> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`The outlines of the world could not be loaded: ${response.status}`);
  const world = (await response.json()) as World;
  const countries = feature(world, world.objects['countries'] as Countries) as GeoJSON.FeatureCollection;
  const features = countries.features.map((country) => ({ ...country, geometry: uncut(country.geometry) }));
  return { ...countries, features };
}

/** What crosses the 180th meridian is drawn on both sides of the map, in place of lines from one side to the other. */
function uncut(geometry: GeoJSON.Geometry): GeoJSON.Geometry {
  if (geometry.type !== 'Polygon' && geometry.type !== 'MultiPolygon') return geometry;
  const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
  const coordinates = polygons.flatMap((polygon) => {
    const whole = polygon.map(unwrap);
    const [outer = []] = whole;
    if (outer.some(([lng = 0]) => lng > 180)) return [whole, whole.map((ring) => shift(ring, -360))];
    return outer.some(([lng = 0]) => lng < -180) ? [whole, whole.map((ring) => shift(ring, 360))] : [whole];
  });
  return { type: 'MultiPolygon', coordinates };
}

/** The same ring without leaps of longitude; one that goes round a pole can have none and stays as it is. */
function unwrap(ring: readonly GeoJSON.Position[]): GeoJSON.Position[] {
  let turns = 0;
  let before: number | undefined;
  const whole = ring.map(([lng = 0, lat = 0]) => {
    if (before !== undefined && Math.abs(lng - before) > 180) turns += lng < before ? 360 : -360;
    before = lng;
    return [lng + turns, lat];
  });
  return turns === 0 ? whole : [...ring];
}

function shift(ring: readonly GeoJSON.Position[], by: number): GeoJSON.Position[] {
  return ring.map(([lng = 0, lat = 0]) => [lng + by, lat]);
}
