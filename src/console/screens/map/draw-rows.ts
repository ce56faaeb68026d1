/** Draws the rows as Leaflet layers in the colors of the theme. Each kind has its own shape and color. */
import * as Leaflet from 'leaflet';
import type { Place } from './data.ts';
import type { Row } from './kinds.ts';

/** Reads the current colors of the style sheet, because a canvas cannot use custom properties. */
export type Color = (name: string) => string;

export function readColors(host: HTMLElement): Color {
  const probe = document.createElement('span');
  host.append(probe);
  const colors = new Map<string, string>();
  const read = (name: string): string => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  for (const name of ['--land', '--border', '--device', '--job', '--route', '--text', '--ground']) {
    colors.set(name, read(name));
  }
  probe.remove();
  return (name) => colors.get(name) ?? '';
}

/** Draws all `rows`, with the selected one on top. A click calls `choose` with the key of the row. */
export function drawRows(
  rows: readonly Row[],
  chosen: string,
  color: Color,
  choose: (key: string) => void,
): Leaflet.FeatureGroup {
  const group = Leaflet.featureGroup();
  const isChosen = ({ key }: Row): boolean => key === chosen;
  const inOrder = [...rows.filter((row) => !isChosen(row)), ...rows.filter(isChosen)];
  // Lines are drawn below points, or a route would cover its stops.
  const layers = [
    ...inOrder.flatMap((row) => toLines(row, isChosen(row), color).map((layer) => [row, layer] as const)),
  ];
  const points = inOrder.flatMap((row) => toPoints(row, isChosen(row), color).map((layer) => [row, layer] as const));
  for (const [row, layer] of [...layers, ...points]) {
    layer.bindTooltip(() => label(row), { sticky: true });
    layer.on('click', () => choose(row.key));
    group.addLayer(layer);
  }
  return group;
}

function toLines(row: Row, isChosen: boolean, color: Color): readonly Leaflet.Polyline[] {
  const weight = isChosen ? 5 : 3;
  if (row.kind === 'route') {
    return splitLine(row.places).map((part) => Leaflet.polyline(part, { color: color('--route'), weight }));
  }
  const dashed = { color: color('--device'), weight: weight - 1, dashArray: '2 6' };
  return splitLine(row.trail).map((part) => Leaflet.polyline(part, dashed));
}

function toPoints(row: Row, isChosen: boolean, color: Color): readonly Leaflet.CircleMarker[] {
  const [place] = row.places;
  if (row.kind === 'route' || place === undefined) return [];
  const isDevice = row.kind === 'device';
  const kindColor = color(isDevice ? '--device' : '--job');
  const ring = isChosen
    ? { color: color('--text'), weight: 4 }
    : { color: isDevice ? color('--ground') : kindColor, weight: 2 };
  const fillColor = isDevice ? kindColor : color('--ground');
  return [Leaflet.circleMarker(place, { ...ring, radius: isDevice ? 9 : 5, fillColor, fillOpacity: 1 })];
}

/** Splits a line that crosses the 180th meridian, so that it does not run around the world. */
function splitLine(places: readonly Place[]): Place[][] {
  const parts: Place[][] = [];
  let last: Place | undefined;
  for (const place of places) {
    if (last === undefined || Math.abs(place.lng - last.lng) > 180) parts.push([]);
    parts.at(-1)?.push(place);
    last = place;
  }
  return parts.filter((part) => part.length > 1);
}

/** Returns an element, because Leaflet parses a text as HTML. */
function label({ kind, id, text }: Row): HTMLElement {
  const element = document.createElement('span');
  const name = document.createElement('strong');
  name.textContent = `${kind} ${id}`;
  element.append(name, document.createElement('br'), text.length > 80 ? `${text.slice(0, 80)}…` : text);
  return element;
}
