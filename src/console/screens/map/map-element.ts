/** The map element: keeps the map view in sync with its items and with the URL. */
import { html, type TemplateResult } from 'lit';
import { choose, route } from '../../data/route.ts';
import { isDark } from '../../data/theme.ts';
import { PageElement, watch } from '../../element.ts';
import { icon } from '../../parts/icon.ts';
import type { MapItem } from './items.ts';
import { MapView } from './view.ts';

const noItems: readonly MapItem[] = [];

/**
 * `<world-map .items=… .time=… .tiles=…>`: `items` is undefined until they are loaded, `project` is the project they
 * belong to, and `time` is undefined for the latest locations.
 */
class WorldMap extends PageElement {
  static override properties = {
    items: { attribute: false },
    time: { attribute: false },
    tiles: { attribute: false },
    project: { attribute: false },
  };
  declare items: readonly MapItem[] | undefined;
  declare time: number | undefined;
  declare tiles: string | undefined;
  declare project: string;
  private view: MapView | undefined;
  /** The inputs that determined the current view. */
  private viewKey = '';
  private fittedItems: readonly MapItem[] | undefined;

  constructor() {
    super();
    this.project = '';
    watch(this, route, isDark);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.view?.remove();
    this.view = undefined;
    this.viewKey = '';
  }

  protected override render(): TemplateResult {
    return html`
      <div class="map-canvas" role="region" aria-label="Map: arrow keys move it, + and − zoom. The list has the same items"></div>
      <div class="map-buttons" role="group" aria-label="Zoom">
        <button class="icon map-button" aria-label="Zoom in" title="Zoom in" @click=${() => this.view?.zoom(1)}>${icon('plus')}</button>
        <button class="icon map-button" aria-label="Zoom out" title="Zoom out" @click=${() => this.view?.zoom(-1)}>${icon('minus')}</button>
        <button class="icon map-button" title="Show all items" @click=${this.fitAll}>Fit</button>
      </div>
    `;
  }

  protected override updated(): void {
    const { items, tiles, time } = this;
    const canvas = this.querySelector<HTMLElement>('.map-canvas');
    // Waits until the area is known, or tiles of the whole world would be loaded for nothing.
    if (!this.isConnected || canvas === null || (items === undefined && this.view === undefined)) return;
    this.view ??= new MapView(
      canvas,
      (key, view, at) =>
        choose({ chosen: key, view, ...(at !== undefined && { at: new Date(Math.round(at)).toISOString() }) }),
      (view) => choose({ view }, true),
    );
    const { chosen = '', view = '' } = route.get().query;
    this.updateArea(this.view, chosen, view);
    this.view.draw({ items: items ?? noItems, chosen, time, isDark: isDark.get(), tiles });
  }

  /**
   * Shows the area in the URL, or else the selected item, or else all items. New items must not move an area that the
   * user chose.
   */
  private updateArea(map: MapView, chosen: string, view: string): void {
    const { items } = this;
    const selected = items?.find(({ key }) => key === chosen);
    const viewKey = JSON.stringify([this.project, items !== undefined, selected === undefined ? '' : chosen, view]);
    const isChanged = viewKey !== this.viewKey;
    if (!isChanged && items === this.fittedItems) return;
    this.viewKey = viewKey;
    this.fittedItems = items;
    if (view !== '') {
      if (isChanged) map.show(view);
    } else if (selected !== undefined) {
      if (isChanged) map.fit([...selected.places, ...selected.trail]);
    } else {
      const all = (items ?? []).flatMap(({ places, trail }) => [...places, ...trail]);
      if (isChanged || !map.shows(all)) map.fit(all);
    }
  }

  private fitAll(): void {
    this.viewKey = '';
    choose({ view: '', chosen: '' });
    this.requestUpdate();
  }
}

customElements.define('world-map', WorldMap);
