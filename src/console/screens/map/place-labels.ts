/** Names on the background: seas, countries, and the localities of the jobs. */
import type * as Leaflet from 'leaflet';
import type { Palette } from './colors.ts';
import type { MapItem } from './items.ts';
import type { Place } from './trail-time.ts';

export interface PlaceLabel extends Place {
  readonly text: string;
  readonly kind: 'sea' | 'country' | 'locality';
  /** Width of the named area in degrees; a name wider than its area is hidden. */
  readonly width: number;
}

export const seas: readonly PlaceLabel[] = [
  ...[sea('Pacific Ocean', 5, -150, 90), sea('Pacific Ocean', 15, 160, 60), sea('Atlantic Ocean', 30, -42, 60)],
  ...[sea('Atlantic Ocean', -25, -15, 50), sea('Indian Ocean', -22, 80, 60), sea('Arctic Ocean', 80, -10, 60)],
  ...[sea('Southern Ocean', -62, 60, 90), sea('Coral Sea', -17.5, 154, 10), sea('Tasman Sea', -37, 160, 12)],
  ...[sea('North Sea', 56, 3, 7), sea('Baltic Sea', 57.5, 19.5, 5), sea('Mediterranean Sea', 34.5, 18.5, 14)],
  ...[sea('Black Sea', 43.2, 34.5, 10), sea('Caribbean Sea', 15, -75, 16), sea('Gulf of Mexico', 25, -90, 12)],
  ...[sea('South China Sea', 14, 114, 12), sea('Arabian Sea', 15, 64, 14), sea('Bay of Bengal', 14, 88, 12)],
];

function sea(text: string, lat: number, lng: number, width: number): PlaceLabel {
  return { text, kind: 'sea', lat, lng, width };
}

/** Places the name of each country in the middle of its largest part. */
export function toCountryLabels({ features }: GeoJSON.FeatureCollection): readonly PlaceLabel[] {
  return features.flatMap(({ geometry, properties }) => {
    const text: unknown = properties?.['name'];
    if (typeof text !== 'string') return [];
    const polygons =
      geometry.type === 'Polygon'
        ? [geometry.coordinates]
        : geometry.type === 'MultiPolygon'
          ? geometry.coordinates
          : [];
    const [largest] = polygons
      .flatMap(([outer = []]) => measure(outer))
      .toSorted((one, other) => other.area - one.area);
    return largest ? [{ text, kind: 'country', lat: largest.lat, lng: largest.lng, width: largest.width }] : [];
  });
}

/** Returns the centroid of a ring with its area and width. */
function measure(ring: readonly GeoJSON.Position[]) {
  let [area, lng, lat] = [0, 0, 0];
  for (const [index, [x = 0, y = 0]] of ring.entries()) {
    const [nextX = 0, nextY = 0] = ring[(index + 1) % ring.length] ?? [];
    const cross = x * nextY - nextX * y;
    area += cross / 2;
    lng += ((x + nextX) * cross) / 6;
    lat += ((y + nextY) * cross) / 6;
  }
  if (area === 0) return [];
  const longitudes = ring.map(([x = 0]) => x);
  const width = Math.max(...longitudes) - Math.min(...longitudes);
  return [{ area: Math.abs(area), lng: lng / area, lat: lat / area, width }];
}

/** Places the name of each locality above its jobs. */
export function toLocalityLabels(items: readonly MapItem[]): readonly PlaceLabel[] {
  const jobs = items.filter(({ kind, locality }) => kind === 'job' && locality !== '');
  return [...Map.groupBy(jobs, ({ locality }) => locality)].map(([text, group]) => {
    const places = group.flatMap(({ places: [place] }) => (place ? [place] : []));
    const lng = places.reduce((sum, place) => sum + place.lng, 0) / places.length;
    const lat = Math.max(...places.map((place) => place.lat));
    // A locality is some kilometers wide, so its name appears when the map shows a city.
    return { text, kind: 'locality', lat, lng, width: 0.06 };
  });
}

/** Paints names where they fit. Of two that overlap, the first stays. */
export function paintLabels(
  context: CanvasRenderingContext2D,
  map: Leaflet.Map,
  labels: readonly PlaceLabel[],
  palette: Palette,
): void {
  const bounds = map.getBounds();
  const pixelsPerDegree = map.getSize().x / (bounds.getEast() - bounds.getWest());
  const taken: (readonly [x: number, y: number, width: number])[] = [];
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.lineJoin = 'round';
  for (const { text, kind, lat, lng, width } of labels) {
    if (!bounds.contains([lat, lng])) continue;
    context.font = fonts[kind].replace('FONT', palette.font);
    const textWidth = context.measureText(text).width;
    if (textWidth > width * pixelsPerDegree) continue;
    const { x, y: middle } = map.latLngToContainerPoint([lat, lng]);
    const y = kind === 'locality' ? middle - 19 : middle;
    if (taken.some(([ox, oy, ow]) => Math.abs(x - ox) < (textWidth + ow) / 2 + 6 && Math.abs(y - oy) < 16)) continue;
    taken.push([x, y, textWidth]);
    context.lineWidth = 3;
    context.strokeStyle = palette.of(kind === 'sea' ? 'water' : 'land');
    context.strokeText(text, x, y);
    context.fillStyle = palette.of(kind === 'sea' ? 'sea-label' : 'label');
    context.fillText(text, x, y);
  }
}

const fonts = {
  sea: 'italic 12px FONT',
  country: '500 12px FONT',
  locality: '500 13px FONT',
} as const;
