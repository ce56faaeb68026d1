/** The map: its layers with Leaflet, and its visible area. */
import * as Leaflet from 'leaflet';
import 'leaflet/dist/leaflet.css';
import type { Schemas } from '../api.ts';
import { placeText, recordTime } from '../format.ts';

export type Feature = Schemas['MapFeature'];

/** What is shown of a feature. */
export interface Item {
  /** Key in the URL. */
  readonly key: string;
  readonly feature: Feature;
  readonly title: string;
  /** Of its color, in degrees; undefined for what has no driver. */
  readonly hue: number | undefined;
}

/** Returns the class of its color. */
export function colorOf({ hue }: Item): string {
  return hue === undefined ? 'no-driver' : 'driver';
}

const maxZoom = 19;
/** Maximum zoom when fitting, about five streets. */
const maxFitZoom = 14;
/** Maximum width of the scale in pixels. Half of it still fits the longest label. */
const maxScale = 160;
/** With more stops than these, the numbers would only hide each other. */
const maxNumbers = 300;
/** The whole world, without any place. */
const world: Leaflet.LatLngBoundsLiteral = [
  [-58, -175],
  [75, 180],
];

interface Listeners {
  /** Called when the user selects an item, or nothing. */
  readonly choose: (key: string) => void;
  /** Called after the user has moved the map. */
  readonly moved: (view: string) => void;
}

export class PlacesMap {
  readonly #map: Leaflet.Map;
  readonly #listeners: Listeners;
  readonly #layers = new Map<string, { readonly content: string; readonly layer: Leaflet.Path | Leaflet.Marker }>();
  readonly #observer: ResizeObserver;
  #area = '';
  #tiles: Leaflet.TileLayer | undefined;
  /** Whether the program moves the map, instead of the user. */
  #isMovingItself = false;

  constructor(host: HTMLElement, listeners: Listeners) {
    const isAnimated = !matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.#listeners = listeners;
    this.#map = Leaflet.map(host, {
      ...{ zoomControl: false, trackResize: false, minZoom: 0, maxZoom, zoomSnap: 0.5, worldCopyJump: true },
      ...{ zoomAnimation: isAnimated, fadeAnimation: isAnimated, inertia: isAnimated },
    });
    this.#map.attributionControl.setPrefix(false);
    Leaflet.control.scale({ imperial: false, maxWidth: maxScale }).addTo(this.#map);
    this.fit([]);
    this.#map.on('click', () => listeners.choose(''));
    this.#map.on('moveend', () => {
      if (this.#isMovingItself) return;
      const { lat, lng } = this.#map.getCenter();
      listeners.moved([lat.toFixed(4), lng.toFixed(4), this.#map.getZoom()].join());
    });
    this.#observer = new ResizeObserver(() => this.#move(() => this.#map.invalidateSize({ animate: false })));
    this.#observer.observe(host);
  }

  remove(): void {
    this.#observer.disconnect();
    this.#map.remove();
  }

  /** Shows the streets of a map service; nothing without a URL template. */
  showTiles(url: string | undefined): void {
    this.#tiles?.remove();
    this.#tiles = url === undefined ? undefined : toTiles(url).addTo(this.#map);
  }

  /** Draws the items. Those that have not changed keep their layers. */
  draw(items: readonly Item[], chosen: string): void {
    const isNumbered = items.filter(({ feature }) => feature.properties.stop !== undefined).length <= maxNumbers;
    const keys = new Set(items.map(({ key }) => key));
    for (const [key, { layer }] of this.#layers) {
      if (keys.has(key)) continue;
      layer.remove();
      this.#layers.delete(key);
    }
    for (const item of items) {
      const look = `${colorOf(item)} ${item.feature.properties.kind} ${item.key === chosen ? 'chosen' : ''}`;
      const content = JSON.stringify([item.feature, item.title, item.hue, look, isNumbered]);
      const before = this.#layers.get(item.key);
      if (before?.content === content) continue;
      before?.layer.remove();
      const layer = toLayer(item, look, isNumbered);
      if (layer) this.#layers.set(item.key, { content, layer: this.#add(layer, item) });
      else this.#layers.delete(item.key);
    }
  }

  #add<Layer extends Leaflet.Path | Leaflet.Marker>(layer: Layer, { key, feature, title, hue }: Item): Layer {
    layer.addTo(this.#map);
    if (layer instanceof Leaflet.Polyline) layer.bringToBack();
    // Markers are elements of HTML, and paths of SVG.
    const element = layer.getElement() as HTMLElement | SVGElement | undefined;
    element?.style.setProperty('--hue', String(hue));
    element?.setAttribute('role', 'img');
    element?.setAttribute('aria-label', key.startsWith('trail:') ? `Trail of ${title}` : title);
    layer.on('click', () => this.#listeners.choose(key.replace('trail:', 'device:')));
    layer.bindTooltip(toTooltip(title, ''), { sticky: layer instanceof Leaflet.Polyline, direction: 'top' });
    const { times } = feature.properties;
    if (times)
      layer.on('mousemove', ({ latlng }: Leaflet.LeafletMouseEvent) =>
        layer.setTooltipContent(toTooltip(title, toMoment(feature, times, latlng))),
      );
    return layer;
  }

  /** Shows the area of these items, or the world without any. */
  fit(items: readonly Item[]): void {
    const bounds = boundsOf(items);
    this.#move(() =>
      this.#map.fitBounds(bounds.isValid() ? bounds.pad(0.05) : Leaflet.latLngBounds(world), {
        ...{ maxZoom: maxFitZoom, animate: false },
      }),
    );
  }

  /**
   * Shows the area of the URL, or else of the selected item, with the stops of a route, or else of all items. New items do
   * not move an area that the user chose. `chosen`: key of the selected item; `view`: latitude, longitude and zoom, or an empty text.
   */
  showArea(items: readonly Item[], chosen: string, view: string, isLoaded: boolean): void {
    const keys = [chosen, chosen.replace('device:', 'trail:')];
    const selected = items.filter(
      ({ key, feature: { properties } }) => keys.includes(key) || `route:${properties.route}` === chosen,
    );
    const isPlaced = boundsOf(selected).isValid();
    const area = [isLoaded, view, isPlaced ? chosen : ''].join(' ');
    const isSame = area === this.#area;
    this.#area = area;
    const [lat = Number.NaN, lng = Number.NaN, zoom = Number.NaN] = view.split(',').map(Number);
    // A link may name a place that no map has.
    if (Math.abs(lat) <= 90 && Math.abs(lng) <= 360 && zoom >= 0 && zoom <= maxZoom) {
      if (!isSame) this.#move(() => this.#map.setView([lat, lng], zoom, { animate: false }));
    } else if (isPlaced) {
      if (!isSame) this.fit(selected);
    } else if (!isSame || !this.#shows(items)) this.fit(items);
  }

  #shows(items: readonly Item[]): boolean {
    const bounds = boundsOf(items);
    return !bounds.isValid() || this.#map.getBounds().contains(bounds);
  }

  zoom(by: number): void {
    this.#map.zoomIn(by);
  }

  #move(move: () => void): void {
    this.#isMovingItself = true;
    move();
    this.#isMovingItself = false;
  }
}

function toTiles(url: string): Leaflet.TileLayer {
  const { hostname } = new URL(url.replace('{s}', 'a'));
  const attribution = hostname.endsWith('openstreetmap.org') ? '© OpenStreetMap contributors' : `Tiles: ${hostname}`;
  // The page may load from one host only, which is the first subdomain.
  return Leaflet.tileLayer(url, { subdomains: 'a', attribution });
}

/** Returns the positions of a feature. GeoJSON has the longitude first. */
export function positionsOf({ geometry }: Feature): readonly (readonly number[])[] {
  if (geometry === null) return [];
  return geometry.type === 'Point' ? [geometry.coordinates] : geometry.coordinates;
}

function pointsOf(feature: Feature): Leaflet.LatLng[] {
  return positionsOf(feature).map(([lng = 0, lat = 0]) => Leaflet.latLng(lat, lng));
}

function boundsOf(items: readonly Item[]): Leaflet.LatLngBounds {
  return Leaflet.latLngBounds(items.flatMap(({ feature }) => pointsOf(feature)));
}

/** Returns the layer of an item; undefined if it has no place. Style sheets color it, so that it follows the theme. */
function toLayer({ feature }: Item, look: string, isNumbered: boolean): Leaflet.Path | Leaflet.Marker | undefined {
  const places = pointsOf(feature);
  const [place] = places;
  const { kind, stop } = feature.properties;
  if (place === undefined) return undefined;
  const options = { className: look, bubblingMouseEvents: false };
  if (kind === 'trail' || kind === 'route') return Leaflet.polyline(places, { ...options, weight: 2, fill: false });
  if (stop === undefined || !isNumbered)
    return Leaflet.circleMarker(place, { ...options, radius: kind === 'device' ? 7 : 5, fillOpacity: 1 });
  const icon = Leaflet.divIcon({ className: `stop ${look}`, html: String(stop), iconSize: [20, 20] });
  return Leaflet.marker(place, { icon, keyboard: false });
}

function toTooltip(title: string, more: string): HTMLElement {
  const element = document.createElement('span');
  element.textContent = [title, more].filter((one) => one !== '').join(' · ');
  return element;
}

/** Describes the point of a trail that is nearest to a place. */
function toMoment(feature: Feature, times: readonly string[], place: Leaflet.LatLng): string {
  const points = pointsOf(feature);
  const distances = points.map((point) => (point.lat - place.lat) ** 2 + (point.lng - place.lng) ** 2);
  const nearest = distances.indexOf(Math.min(...distances));
  return `${recordTime(times[nearest] ?? '')} UTC · ${placeText(positionsOf(feature)[nearest] ?? [])}`;
}
