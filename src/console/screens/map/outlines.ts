/** Loads the outlines of the world's countries, which are part of the console. */
import { feature } from 'topojson-client';
import address from 'world-atlas/countries-50m.json?url';

type Topology = Parameters<typeof feature>[0];
type Countries = Parameters<typeof feature>[1];

let loaded: Promise<GeoJSON.FeatureCollection> | undefined;

export function loadOutlines(): Promise<GeoJSON.FeatureCollection> {
  loaded ??= load().catch((error: unknown) => {
    // The next map tries to load them again.
    loaded = undefined;
    throw error;
  });
  return loaded;
}

async function load(): Promise<GeoJSON.FeatureCollection> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`cannot load the country outlines: status ${response.status}`);
  const topology = (await response.json()) as Topology;
  const countries = feature(topology, topology.objects['countries'] as Countries) as GeoJSON.FeatureCollection;
  const features = countries.features.map((country) => ({ ...country, geometry: splitAtMeridian(country.geometry) }));
  return { ...countries, features };
}

/** Draws shapes that cross the 180th meridian at both sides of the map, instead of with lines across the whole map. */
function splitAtMeridian(geometry: GeoJSON.Geometry): GeoJSON.Geometry {
  if (geometry.type !== 'Polygon' && geometry.type !== 'MultiPolygon') return geometry;
  const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
  const coordinates = polygons.flatMap((polygon) => {
    const unwrapped = polygon.map(unwrap);
    const [outer = []] = unwrapped;
    if (outer.some(([lng = 0]) => lng > 180)) return [unwrapped, unwrapped.map((ring) => shift(ring, -360))];
    return outer.some(([lng = 0]) => lng < -180) ? [unwrapped, unwrapped.map((ring) => shift(ring, 360))] : [unwrapped];
  });
  return { type: 'MultiPolygon', coordinates };
}

/** Removes jumps of 360 degrees of longitude from a ring. A ring around a pole always has one and stays unchanged. */
function unwrap(ring: readonly GeoJSON.Position[]): GeoJSON.Position[] {
  let offset = 0;
  let previous: number | undefined;
  const unwrapped = ring.map(([lng = 0, lat = 0]) => {
    if (previous !== undefined && Math.abs(lng - previous) > 180) offset += lng < previous ? 360 : -360;
    previous = lng;
    return [lng + offset, lat];
  });
  return offset === 0 ? unwrapped : [...ring];
}

function shift(ring: readonly GeoJSON.Position[], by: number): GeoJSON.Position[] {
  return ring.map(([lng = 0, lat = 0]) => [lng + by, lat]);
}
