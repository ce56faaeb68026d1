/** The ground of the map: outlines of the countries, or tiles. */
import * as Leaflet from 'leaflet';
import type { Palette } from './colors.ts';
import { loadOutlines } from './outlines.ts';
import { type PlaceLabel, toCountryLabels } from './place-labels.ts';

/**
 * Zoom from which the outlines are hidden: they are off by up to 3 km, which puts a city into the sea. The ground is
 * then plain, with a fine grid.
 */
export const plainZoom = 11;

export interface Ground {
  /** Draws the tiles of this URL template, or else the outlines. */
  readonly draw: (tiles: string | undefined, palette: Palette) => void;
  /** Names of the countries. Empty until their outlines are loaded. */
  readonly countries: () => readonly PlaceLabel[];
}

/** `loaded` is called when the outlines are drawn. */
export function createGround(map: Leaflet.Map, loaded: () => void): Ground {
  const host = map.getContainer();
  map.createPane('ground').classList.add('map-ground');
  /** Shared by all outlines: Leaflet keeps a renderer and its canvas on the map, even after its layers are removed. */
  const renderer = Leaflet.canvas({ pane: 'ground', padding: 0.3 });
  let countries: readonly PlaceLabel[] = [];
  let layer: Leaflet.Layer | undefined;
  /** What is drawn, or will be once it is loaded. */
  let key = '';

  /** The color of the sea needs the coasts: without them, everything would be sea. */
  const showSea = (): void => {
    const isOutlines = layer instanceof Leaflet.GeoJSON;
    const isPlain = map.getZoom() >= plainZoom;
    host.classList.toggle('with-sea', isOutlines && !isPlain);
    host.classList.toggle('plain-ground', isOutlines && isPlain);
  };
  const setLayer = (next: Leaflet.Layer): void => {
    layer?.remove();
    layer = next.addTo(map);
    showSea();
  };
  const drawOutlines = async (palette: Palette): Promise<void> => {
    const style = { fillColor: palette.of('land'), color: palette.of('border'), weight: 1, fillOpacity: 1 };
    try {
      const outlines = await loadOutlines();
      // The theme or the map may have changed in the meantime.
      if (key !== palette.key) return;
      setLayer(Leaflet.geoJSON(outlines, { pane: 'ground', interactive: false, style, renderer } as object));
      countries = toCountryLabels(outlines);
      loaded();
    } catch {
      key = '';
    }
  };

  map.on('zoomend', showSea);
  return {
    draw: (tiles, palette) => {
      const next = tiles ?? palette.key;
      if (next === key) return;
      key = next;
      if (tiles === undefined) void drawOutlines(palette);
      else setLayer(tileLayer(tiles));
    },
    countries: () => countries,
  };
}

function tileLayer(url: string): Leaflet.TileLayer {
  const { hostname } = new URL(url.replace('{s}', 'a'));
  const isOfOpenStreetMap = hostname.endsWith('openstreetmap.org');
  const attribution = isOfOpenStreetMap ? '© OpenStreetMap contributors' : `Tiles: ${hostname}`;
  // The page may load from one host only, which is the first subdomain.
  return Leaflet.tileLayer(url, { subdomains: 'a', attribution, pane: 'ground' });
}
