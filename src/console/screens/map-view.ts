/** The map itself: outlines or tiles, what is drawn on them, and the part of the world that is in sight. */
import * as Leaflet from 'leaflet';
import 'leaflet/dist/leaflet.css';
import type { Place } from './map-data.ts';
import type { Row } from './map-kinds.ts';
import { type Colour, drawRows, readColours } from './map-layers.ts';
import { loadOutlines } from './map-outlines.ts';

/** Beyond this the outlines tell nothing any more. */
const closest = 13;

/** Pixels of the scale: half of it still holds its longest text. */
const longestScale = 160;

const inhabited: Leaflet.LatLngBoundsLiteral = [
  [-58, -175],
  [75, 180],
];

export interface Drawn {
  readonly rows: readonly Row[];
  readonly chosen: string;
  /** Where pictures of the world come from; undefined for outlines. */
  readonly tiles: string | undefined;
}

export class MapView {
  private readonly map: Leaflet.Map;
  private readonly host: HTMLElement;
  private readonly choose: (key: string) => void;
  private things: Leaflet.FeatureGroup = Leaflet.featureGroup();
  /** By what they were drawn. */
  private drawn: readonly unknown[] = [];
  private ground: Leaflet.Layer | undefined;
  private groundOf = '';
  /** One for all outlines: a renderer stays on the map, with its canvas, when what it drew is gone. */
  private readonly renderer = Leaflet.canvas({ pane: 'ground' });
  /** Whether it moves because of the program, not of whoever looks at it. */
  private isAiming = false;
  private readonly observer: ResizeObserver;

  constructor(host: HTMLElement, choose: (key: string) => void, moved: (view: string) => void) {
    this.host = host;
    this.choose = choose;
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.map = Leaflet.map(host, {
      preferCanvas: true,
      zoomControl: false,
      trackResize: false,
      zoomAnimation: !isCalm,
      fadeAnimation: !isCalm,
      inertia: !isCalm,
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
    Leaflet.control.scale({ imperial: false, maxWidth: longestScale }).addTo(this.map);
    this.map.createPane('ground').classList.add('map-ground');
    this.map.on('moveend', () => {
      if (!this.isAiming) moved(this.view());
    });
    this.observer = new ResizeObserver(() => this.quietly(() => this.map.invalidateSize({ animate: false })));
    this.observer.observe(host);
  }

  remove(): void {
    this.observer.disconnect();
    this.map.remove();
  }

  draw({ rows, chosen, tiles }: Drawn): void {
    const colour = readColours(this.host);
    this.drawThings(rows, chosen, colour);
    const groundOf = tiles ?? `${colour('--land')} ${colour('--border')}`;
    if (groundOf === this.groundOf) return;
    this.groundOf = groundOf;
    if (tiles !== undefined) this.setGround(tileLayer(tiles));
    else void this.drawOutlines({ fillColor: colour('--land'), color: colour('--border') }, groundOf);
  }

  /** Thousands take a while: they are drawn anew only where there is something new. */
  private drawThings(rows: readonly Row[], chosen: string, colour: Colour): void {
    const drawn = [rows, chosen, colour('--device')];
    if (drawn.every((value, index) => value === this.drawn[index])) return;
    this.drawn = drawn;
    this.things.remove();
    this.things = drawRows(rows, chosen, colour, this.choose).addTo(this.map);
  }

  private async drawOutlines(colours: Leaflet.PathOptions, groundOf: string): Promise<void> {
    try {
      const outlines = await loadOutlines();
      // The theme, or the map, may have changed meanwhile.
      if (groundOf !== this.groundOf) return;
      const { renderer } = this;
      const style = { ...colours, weight: 1, fillOpacity: 1 };
      this.setGround(Leaflet.geoJSON(outlines, { pane: 'ground', interactive: false, style, renderer } as object));
    } catch {
      this.groundOf = '';
    }
  }

  private setGround(layer: Leaflet.Layer): void {
    this.ground?.remove();
    this.ground = layer.addTo(this.map);
  }

  /** Shows a part of the world as `view()` named it. Gives back whether it named one. */
  show(view: string): boolean {
    const [lat, lng, zoom] = view.split(',').map(Number);
    if (![lat, lng, zoom].every(Number.isFinite)) return false;
    if (view !== this.view())
      this.quietly(() => this.map.setView([lat as number, lng as number], zoom as number, { animate: false }));
    return true;
  }

  /** What is in sight, for the address. */
  private view(): string {
    const { lat, lng } = this.map.getCenter();
    return `${lat.toFixed(4)},${lng.toFixed(4)},${this.map.getZoom()}`;
  }

  /** Shows all of these, or the world where there are none. */
  fit(places: readonly Place[]): void {
    this.quietly(() => {
      if (places.length === 0) this.map.fitBounds(inhabited, { animate: false });
      else this.map.fitBounds(toBounds(places).pad(0.08), { maxZoom: closest, animate: false });
    });
  }

  /** Whether all of these are in sight. */
  shows(places: readonly Place[]): boolean {
    return places.length === 0 || this.map.getBounds().contains(toBounds(places));
  }

  zoom(steps: number): void {
    this.map.setZoom(this.map.getZoom() + steps);
  }

  private quietly(act: () => void): void {
    this.isAiming = true;
    act();
    this.isAiming = false;
  }
}

function toBounds(places: readonly Place[]): Leaflet.LatLngBounds {
  return Leaflet.latLngBounds(places.map(({ lat, lng }) => Leaflet.latLng(lat, lng)));
}

function tileLayer(url: string): Leaflet.TileLayer {
  const { hostname } = new URL(url.replace('{s}', 'a'));
  const isOfOpenStreetMap = hostname.endsWith('openstreetmap.org');
  const attribution = isOfOpenStreetMap ? '© OpenStreetMap contributors' : `Tiles: ${hostname}`;
  // The page may load from one host alone: that of the first of the subdomains.
  return Leaflet.tileLayer(url, { subdomains: 'a', attribution, pane: 'ground' });
}
