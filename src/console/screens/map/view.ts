/** The map view: its ground, the items painted on it, and the visible area. */
import * as Leaflet from 'leaflet';
import 'leaflet/dist/leaflet.css';
import { createMapCanvas, type MapCanvas } from './canvas.ts';
import { type Palette, readPalette } from './colors.ts';
import { paintGraticule } from './graticule.ts';
import { createGround, type Ground, plainZoom } from './ground.ts';
import { findItemAt, type Hit } from './hit.ts';
import type { MapItem } from './items.ts';
import { label } from './label.ts';
import { paintItems, type Scene } from './paint.ts';
import { type PlaceLabel, paintLabels, seas, toLocalityLabels } from './place-labels.ts';
import { type Shape, toShapes } from './shapes.ts';
import type { Place } from './trail-time.ts';

/** Maximum zoom when fitting, about five streets. */
const maxFitZoom = 14;

/** Maximum width of the scale in pixels. Half of it still fits the longest label. */
const maxScale = 160;

const worldBounds: Leaflet.LatLngBoundsLiteral = [
  [-58, -175],
  [75, 180],
];

export interface DrawOptions {
  readonly items: readonly MapItem[];
  readonly chosen: string;
  /** Milliseconds since 1970; undefined for the latest locations. */
  readonly time: number | undefined;
  readonly isDark: boolean;
  /** URL template of the map tiles, or undefined to draw outlines. */
  readonly tiles: string | undefined;
}

export class MapView {
  private readonly map: Leaflet.Map;
  private readonly host: HTMLElement;
  private readonly canvas: MapCanvas;
  private options: DrawOptions = { items: [], chosen: '', time: undefined, isDark: false, tiles: undefined };
  private palette: Palette;
  private shapes: { readonly items: readonly MapItem[]; readonly zoom: number; readonly list: readonly Shape[] };
  private localities: readonly PlaceLabel[] = [];
  private readonly ground: Ground;
  /** Whether the program moves the map, instead of the user. */
  private isMovingItself = false;
  private readonly observer: ResizeObserver;
  private readonly tooltip = Leaflet.tooltip({ direction: 'top', offset: [0, -10] });

  constructor(
    host: HTMLElement,
    choose: (key: string, view: string, at: number | undefined) => void,
    moved: (view: string) => void,
  ) {
    this.host = host;
    this.palette = readPalette(host);
    const isReducedMotion = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.map = Leaflet.map(host, {
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
    this.ground = createGround(this.map, () => this.canvas.update());
    this.shapes = { items: [], zoom: this.map.getZoom(), list: [] };
    this.canvas = createMapCanvas(this.map, 'items', (context) => this.paint(context));
    this.map.on('moveend', () => {
      if (!this.isMovingItself) moved(this.view());
    });
    this.map.on('mousemove', ({ containerPoint, latlng }) => this.point(this.itemAt(containerPoint), latlng));
    this.map.on('mouseout', () => this.point(undefined, this.map.getCenter()));
    this.map.on('click', ({ containerPoint }) => {
      const hit = this.itemAt(containerPoint);
      choose(hit?.item.key ?? '', this.view(), hit?.at);
    });
    this.observer = new ResizeObserver(() => this.withoutReporting(() => this.map.invalidateSize({ animate: false })));
    this.observer.observe(host);
  }

  remove(): void {
    this.observer.disconnect();
    this.canvas.remove();
    this.map.remove();
  }

  draw(options: DrawOptions): void {
    if (options.items !== this.options.items) this.localities = toLocalityLabels(options.items);
    if (options.isDark !== this.options.isDark) this.palette = readPalette(this.host);
    this.options = options;
    this.canvas.update();
    this.ground.draw(options.tiles, this.palette);
  }

  private paint(context: CanvasRenderingContext2D): void {
    const { palette, options } = this;
    const hasTiles = options.tiles !== undefined;
    if (!hasTiles) paintGraticule(context, this.map, palette, this.map.getZoom() >= plainZoom);
    paintItems(context, this.scene(), () => {
      const labels = [...this.localities, ...this.ground.countries(), ...seas];
      if (!hasTiles) paintLabels(context, this.map, labels, palette);
    });
  }

  /** Returns what is painted. Projecting thousands of points takes time, so it is done once per zoom level. */
  private scene(): Scene {
    const { map, palette } = this;
    const { items, time, chosen } = this.options;
    const zoom = map.getZoom();
    const project = ({ lat, lng }: Place): Leaflet.Point => map.project([lat, lng], zoom);
    if (items !== this.shapes.items || zoom !== this.shapes.zoom) {
      this.shapes = { items, zoom, list: toShapes(items, project) };
    }
    const origin = map.project(map.containerPointToLatLng([0, 0]), zoom);
    return { shapes: this.shapes.list, palette, project, origin, time, chosen };
  }

  private itemAt({ x, y }: Leaflet.Point): Hit | undefined {
    const scene = this.scene();
    return findItemAt(scene, { x: x + scene.origin.x, y: y + scene.origin.y });
  }

  private point(hit: Hit | undefined, at: Leaflet.LatLng): void {
    this.host.classList.toggle('on-item', hit !== undefined);
    if (hit === undefined) this.tooltip.remove();
    else this.tooltip.setLatLng(at).setContent(label(hit, this.options.time)).addTo(this.map);
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
      else this.map.fitBounds(toBounds(places), { maxZoom: maxFitZoom, animate: false, padding: [48, 48] });
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
