/** The map element: keeps the map view in sync with its rows and with the URL. */
import { html, type TemplateResult } from 'lit';
import { choose, route } from '../../data/route.ts';
import { isDark } from '../../data/theme.ts';
import { PageElement, watch } from '../../element.ts';
import type { Row } from './kinds.ts';
import { MapView } from './view.ts';

const noRows: readonly Row[] = [];

/**
 * `<world-map .rows=… .tiles=…>`: `rows` is undefined until they are loaded, `project` is the project they belong to.
 */
class WorldMap extends PageElement {
  static override properties = {
    rows: { attribute: false },
    tiles: { attribute: false },
    project: { attribute: false },
  };
  declare rows: readonly Row[] | undefined;
  declare tiles: string | undefined;
  declare project: string;
  private view: MapView | undefined;
  /** The inputs that determined the current view. */
  private viewKey = '';

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
      <div class="map-canvas" role="region" aria-label="Map: arrow keys move it, + and − zoom. The table lists the same items"></div>
      <div class="map-buttons">
        <button aria-label="Zoom in" @click=${() => this.view?.zoom(1)}>+</button>
        <button aria-label="Zoom out" @click=${() => this.view?.zoom(-1)}>−</button>
        <button @click=${this.fitAll}>Fit</button>
      </div>
    `;
  }

  protected override updated(): void {
    const { rows, tiles } = this;
    // Waits until the area is known, or tiles of the whole world would be loaded for nothing.
    if (!this.isConnected || (rows === undefined && this.view === undefined)) return;
    this.view ??= new MapView(
      this.querySelector('.map-canvas') as HTMLElement,
      (key) => choose({ chosen: key, view: '' }),
      (view) => choose({ view }, true),
    );
    const { chosen = '', view = '' } = route.get().query;
    this.updateArea(this.view, rows, chosen, view);
    this.view.draw({ rows: rows ?? noRows, chosen, tiles });
  }

  /**
   * Shows the area in the URL, or else the selected row, or else all rows. New rows must not move an area that the user
   * chose.
   */
  private updateArea(map: MapView, rows: readonly Row[] | undefined, chosen: string, view: string): void {
    const selected = rows?.find(({ key }) => key === chosen);
    const all = (rows ?? []).flatMap(({ places, trail }) => [...places, ...trail]);
    const viewKey = JSON.stringify([this.project, rows !== undefined, selected === undefined ? '' : chosen, view]);
    const isChanged = viewKey !== this.viewKey;
    this.viewKey = viewKey;
    if (view !== '') {
      if (isChanged) map.show(view);
    } else if (selected !== undefined) {
      if (isChanged) map.fit([...selected.places, ...selected.trail]);
    } else if (isChanged || !map.shows(all)) map.fit(all);
  }

  private fitAll(): void {
    this.viewKey = '';
    choose({ view: '', chosen: '' });
    this.requestUpdate();
  }
}

customElements.define('world-map', WorldMap);
