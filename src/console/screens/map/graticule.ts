/** Paints lines of latitude and longitude with their degrees, as on a chart. */
import type * as Leaflet from 'leaflet';
import type { Palette } from './colors.ts';
import { degrees, minute } from './degrees.ts';

const second = minute / 60;
/** Distances between lines, in degrees. */
const steps = [
  ...[60, 30, 15, 10, 5, 2, 1],
  ...[30, 15, 10, 5, 2, 1].map((minutes) => minutes * minute),
  ...[30, 15, 10, 5, 2, 1].map((seconds) => seconds * second),
];

/** Minimum distance between lines in pixels. */
const minDistance = 110;

/** Minimum distance between the fine lines. */
const minFineDistance = 20;

/** Margin without degrees, for the buttons and the scale. */
const margin = 44;

/** `isFine` adds lines without degrees between the others. */
export function paintGraticule(
  context: CanvasRenderingContext2D,
  map: Leaflet.Map,
  palette: Palette,
  isFine: boolean,
): void {
  const bounds = map.getBounds();
  const { x: width, y: height } = map.getSize();
  const pixelsPerDegree = width / Math.max(second, bounds.getEast() - bounds.getWest());
  const step = steps.findLast((one) => one * pixelsPerDegree >= minDistance) ?? 60;
  const fineStep = steps.findLast((one) => one * pixelsPerDegree >= minFineDistance && isMultiple(step, one));
  context.fillStyle = palette.of('label');
  context.lineWidth = 1;
  context.font = `11px ${palette.font}`;
  context.textBaseline = 'middle';
  if (isFine && fineStep !== undefined) paintFineLines(context, map, palette, fineStep);
  context.strokeStyle = palette.of('grid');
  const toPixels = (lat: number, lng: number): Leaflet.Point => map.latLngToContainerPoint([lat, lng]);
  for (const lng of multiples(bounds.getWest(), bounds.getEast(), step)) {
    const x = Math.round(toPixels(0, lng).x) + 0.5;
    line(context, x, 0, x, height);
    context.textAlign = 'center';
    if (x > margin && x < width - margin) context.fillText(degrees(wrap(lng), 'E', 'W', step), x, 10);
  }
  for (const lat of multiples(Math.max(-85, bounds.getSouth()), Math.min(85, bounds.getNorth()), step)) {
    const y = Math.round(toPixels(lat, 0).y) + 0.5;
    line(context, 0, y, width, y);
    context.textAlign = 'left';
    if (y > margin / 2 && y < height - margin) context.fillText(degrees(lat, 'N', 'S', step), 6, y - 8);
  }
}

function paintFineLines(context: CanvasRenderingContext2D, map: Leaflet.Map, palette: Palette, step: number): void {
  const bounds = map.getBounds();
  const { x: width, y: height } = map.getSize();
  context.strokeStyle = palette.of('fine-grid');
  for (const lng of multiples(bounds.getWest(), bounds.getEast(), step)) {
    const x = Math.round(map.latLngToContainerPoint([0, lng]).x) + 0.5;
    line(context, x, 0, x, height);
  }
  for (const lat of multiples(bounds.getSouth(), bounds.getNorth(), step)) {
    const y = Math.round(map.latLngToContainerPoint([lat, 0]).y) + 0.5;
    line(context, 0, y, width, y);
  }
}

function isMultiple(whole: number, part: number): boolean {
  const times = whole / part;
  return Math.abs(times - Math.round(times)) < 1e-6;
}

function line(context: CanvasRenderingContext2D, x: number, y: number, toX: number, toY: number): void {
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(toX, toY);
  context.stroke();
}

function multiples(from: number, to: number, step: number): readonly number[] {
  const first = Math.ceil(from / step);
  const count = Math.max(0, Math.floor(to / step) - first + 1);
  return Array.from({ length: count }, (_, index) => (first + index) * step);
}

function wrap(lng: number): number {
  return ((((lng + 180) % 360) + 360) % 360) - 180;
}
