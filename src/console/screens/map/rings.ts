/** Prepares outlines for a flat map, which ends at the 180th meridian and before the poles. */

/**
 * Draws shapes that cross the 180th meridian in one piece, instead of with lines across the whole map. What is beyond
 * the meridian is also drawn at the other side of the map.
 */
export function splitAtMeridian(geometry: GeoJSON.Geometry): GeoJSON.Geometry {
  if (geometry.type !== 'Polygon' && geometry.type !== 'MultiPolygon') return geometry;
  const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
  const coordinates = polygons.flatMap((polygon) => {
    const unwrapped = polygon.filter((ring) => !isPole(ring)).map(unwrap);
    const [outer = []] = unwrapped;
    if (outer.some(([lng = 0]) => lng > 180))
      return [unwrapped, unwrapped.map((ring) => clip(shift(ring, -360), -180, 1))];
    if (outer.some(([lng = 0]) => lng < -180))
      return [unwrapped, unwrapped.map((ring) => clip(shift(ring, 360), 180, -1))];
    return unwrapped.length === 0 ? [] : [unwrapped];
  });
  return { type: 'MultiPolygon', coordinates };
}

/** Whether a ring is a pole, which would be a line across the whole map. */
function isPole(ring: readonly GeoJSON.Position[]): boolean {
  return ring.every(([, lat = 0]) => Math.abs(lat) > 89);
}

/** Removes jumps of 360 degrees of longitude from a ring. A ring around a pole is closed along the edge of the map. */
function unwrap(ring: readonly GeoJSON.Position[]): GeoJSON.Position[] {
  let offset = 0;
  let previous: number | undefined;
  const unwrapped = ring.map(([lng = 0, lat = 0]) => {
    if (previous !== undefined && Math.abs(lng - previous) > 180) offset += lng < previous ? 360 : -360;
    previous = lng;
    return [lng + offset, lat];
  });
  const [[first = 0, lat = 0] = [], [last = 0] = []] = [unwrapped[0], unwrapped.at(-1)];
  const pole = lat < 0 ? -90 : 90;
  return offset === 0 ? unwrapped : [...unwrapped, [last, pole], [first, pole]];
}

function shift(ring: readonly GeoJSON.Position[], by: number): GeoJSON.Position[] {
  return ring.map(([lng = 0, lat = 0]) => [lng + by, lat]);
}

/** Returns the part of a ring on one side of a meridian: east of it with `side` 1, west with -1. */
function clip(ring: readonly GeoJSON.Position[], meridian: number, side: 1 | -1): GeoJSON.Position[] {
  return ring.flatMap((to, index) => {
    const from = ring.at(index - 1) ?? to;
    const [fromBy, toBy] = [from, to].map(([lng = 0]) => (lng - meridian) * side) as [number, number];
    const share = fromBy / (fromBy - toBy);
    const crossing: GeoJSON.Position = [meridian, (from[1] ?? 0) + ((to[1] ?? 0) - (from[1] ?? 0)) * share];
    const crosses = fromBy > 0 !== toBy > 0;
    return [...(crosses ? [crossing] : []), ...(toBy > 0 ? [to] : [])];
  });
}
