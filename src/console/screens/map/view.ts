/** The map view: outlines or tiles, the items drawn on them, and the visible area. */
import * as Leaflet from 'leaflet';
import 'leaflet/dist/leaflet.css';
import type { Place } from './data.ts';
import { type Color, drawRows, readColors } from './draw-rows.ts';
import type { Row } from './kinds.ts';
import { loadOutlines } from './outlines.ts';

/** Maximum zoom when fitting. At a higher zoom the outlines show no detail. */
const maxFitZoom = 13;

/** Maximum width of the scale in pixels. Half of it still fits the longest label. */
const maxScale = 160;

const worldBounds: Leaflet.LatLngBoundsLiteral = [
  [-58, -175],
  [75, 180],
];

export interface DrawOptions {
  readonly rows: readonly Row[];
  readonly chosen: string;
  /** URL template of the map tiles, or undefined to draw outlines. */
  readonly tiles: string | undefined;
}

export class MapView {
  private readonly map: Leaflet.Map;
  private readonly host: HTMLElement;
  private readonly choose: (key: string) => void;
  private items: Leaflet.FeatureGroup = Leaflet.featureGroup();
  /** The arguments of the last drawing. */
  private drawnArguments: readonly unknown[] = [];
  private baseLayer: Leaflet.Layer | undefined;
  private baseLayerKey = '';
  /** Shared by all outlines: Leaflet keeps a renderer and its canvas on the map, even after its layers are removed. */
  private readonly renderer = Leaflet.canvas({ pane: 'ground' });
  /** Whether the program moves the map, instead of the user. */
  private isMovingItself = false;
  private readonly observer: ResizeObserver;

  constructor(host: HTMLElement, choose: (key: string) => void, moved: (view: string) => void) {
    this.host = host;
    this.choose = choose;
    const isReducedMotion = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.map = Leaflet.map(host, {
      preferCanvas: true,
      zoomControl: false,
      trackResize: false,
      zoomAnimation: !isReducedMotion,
      fadeAnimation: !isReducedMotion,
      inertia: !isReducedMotion,
      minZoom: 0,
      maxZoom: 19,
      maxBounds: [
        [-89, -220],
        [89, 220],
      ],
      center: [15, 10],
      zoom: 1,
    });
    this.map.attributionControl.setPrefix(false);
    Leaflet.control.scale({ imperial: false, maxWidth: maxScale }).addTo(this.map);
    this.map.createPane('ground').classList.add('map-ground');
    this.map.on('moveend', () => {
      if (!this.isMovingItself) moved(this.view());
    });
    this.observer = new ResizeObserver(() => this.withoutReporting(() => this.map.invalidateSize({ animate: false })));
    this.observer.observe(host);
  }

  remove(): void {
    this.observer.disconnect();
    this.map.remove();
  }

  draw({ rows, chosen, tiles }: DrawOptions): void {
    const color = readColors(this.host);
    this.drawItems(rows, chosen, color);
    const baseLayerKey = tiles ?? `${color('--land')} ${color('--border')}`;
    if (baseLayerKey === this.baseLayerKey) return;
    this.baseLayerKey = baseLayerKey;
    if (tiles !== undefined) this.setBaseLayer(tileLayer(tiles));
    else void this.drawOutlines({ fillColor: color('--land'), color: color('--border') }, baseLayerKey);
  }

  /** Drawing thousands of items takes time, so they are drawn again only after changes. */
  private drawItems(rows: readonly Row[], chosen: string, color: Color): void {
    const drawnArguments = [rows, chosen, color('--device')];
    if (drawnArguments.every((value, index) => value === this.drawnArguments[index])) return;
    this.drawnArguments = drawnArguments;
    this.items.remove();
    this.items = drawRows(rows, chosen, color, this.choose).addTo(this.map);
  }

  private async drawOutlines(colors: Leaflet.PathOptions, baseLayerKey: string): Promise<void> {
    try {
      const outlines = await loadOutlines();
      // The theme or the map may have changed in the meantime.
      if (baseLayerKey !== this.baseLayerKey) return;
      const { renderer } = this;
      const style = { ...colors, weight: 1, fillOpacity: 1 };
      this.setBaseLayer(Leaflet.geoJSON(outlines, { pane: 'ground', interactive: false, style, renderer } as object));
    } catch {
      this.baseLayerKey = '';
    }
  }

  private setBaseLayer(layer: Leaflet.Layer): void {
    this.baseLayer?.remove();
    this.baseLayer = layer.addTo(this.map);
  }

  /** Shows the area that `view()` described. Returns false if `view` is invalid. */
  show(view: string): boolean {
    const [lat, lng, zoom] = view.split(',').map(Number);
    if (![lat, lng, zoom].every(Number.isFinite)) return false;
    if (view !== this.view())
      this.withoutReporting(() => this.map.setView([lat as number, lng as number], zoom as number, { animate: false }));
    return true;
  }

  /** Returns the visible area in the format for the URL. */
  private view(): string {
    const { lat, lng } = this.map.getCenter();
    return `${lat.toFixed(4)},${lng.toFixed(4)},${this.map.getZoom()}`;
  }

  /** Shows all of these locations, or the world if there are none. */
  fit(places: readonly Place[]): void {
    this.withoutReporting(() => {
      if (places.length === 0) this.map.fitBounds(worldBounds, { animate: false });
      else this.map.fitBounds(toBounds(places).pad(0.08), { maxZoom: maxFitZoom, animate: false });
    });
  }

  /** Whether all of these locations are visible. */
  shows(places: readonly Place[]): boolean {
    return places.length === 0 || this.map.getBounds().contains(toBounds(places));
  }

  zoom(steps: number): void {
    this.map.setZoom(this.map.getZoom() + steps);
  }

  private withoutReporting(action: () => void): void {
    this.isMovingItself = true;
    action();
    this.isMovingItself = false;
  }
}

function toBounds(places: readonly Place[]): Leaflet.LatLngBounds {
  return Leaflet.latLngBounds(places.map(({ lat, lng }) => Leaflet.latLng(lat, lng)));
}

function tileLayer(url: string): Leaflet.TileLayer {
  const { hostname } = new URL(url.replace('{s}', 'a'));
  const isOfOpenStreetMap = hostname.endsWith('openstreetmap.org');
  const attribution = isOfOpenStreetMap ? '© OpenStreetMap contributors' : `Tiles: ${hostname}`;
  // The page may load from one host only, which is the first subdomain.
  return Leaflet.tileLayer(url, { subdomains: 'a', attribution, pane: 'ground' });
}
