/** The map as an element: it keeps the view in step with what is to be drawn, and with the address. */
import { html, type TemplateResult } from 'lit';
import { choose, route } from '../data/route.ts';
import { theme } from '../data/theme.ts';
import { PageElement, watch } from '../element.ts';
import type { Row } from './map-kinds.ts';
import { MapView } from './map-view.ts';

const none: readonly Row[] = [];

/** `<world-map .rows=… .tiles=…>`: `rows` is undefined until they are loaded; `of` names the project that they are of. */
class WorldMap extends PageElement {
  static override properties = { rows: { attribute: false }, tiles: { attribute: false }, of: { attribute: false } };
  declare rows: readonly Row[] | undefined;
  declare tiles: string | undefined;
  declare of: string;
  private view: MapView | undefined;
  /** By what the view was last chosen. */
  private aim = '';
  private readonly dark = matchMedia('(prefers-color-scheme: dark)');
  private readonly renew = (): void => this.requestUpdate();

  constructor() {
    super();
    this.of = '';
    watch(this, route, theme);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.dark.addEventListener('change', this.renew);
    this.requestUpdate();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.dark.removeEventListener('change', this.renew);
    this.view?.remove();
    this.view = undefined;
    this.aim = '';
  }

  protected override render(): TemplateResult {
    return html`
      <div class="map-canvas" role="region" aria-label="Map: the arrow keys move it, + and − zoom; the table says the same"></div>
      <div class="map-buttons">
        <button aria-label="Zoom in" @click=${() => this.view?.zoom(1)}>+</button>
        <button aria-label="Zoom out" @click=${() => this.view?.zoom(-1)}>−</button>
        <button @click=${this.fitAll}>Fit</button>
      </div>
    `;
  }

  protected override updated(): void {
    const { rows, tiles } = this;
    // Before it is known where to look, the world's pictures would be loaded in vain.
    if (!this.isConnected || (rows === undefined && this.view === undefined)) return;
    this.view ??= new MapView(
      this.querySelector('.map-canvas') as HTMLElement,
      (key) => choose({ chosen: key, view: '' }),
      (view) => choose({ view }, true),
    );
    const { chosen = '', view = '' } = route.get().query;
    this.look(this.view, rows, chosen, view);
    this.view.draw({ rows: rows ?? none, chosen, tiles });
  }

  /** The address says what is in sight: a view, or what is chosen; else all is. What comes later must not move the map away. */
  private look(map: MapView, rows: readonly Row[] | undefined, chosen: string, view: string): void {
    const one = rows?.find(({ key }) => key === chosen);
    const all = (rows ?? []).flatMap(({ places, trail }) => [...places, ...trail]);
    const aim = JSON.stringify([this.of, rows !== undefined, one === undefined ? '' : chosen, view]);
    const isNew = aim !== this.aim;
    this.aim = aim;
    if (view !== '') {
      if (isNew) map.show(view);
    } else if (one !== undefined) {
      if (isNew) map.fit([...one.places, ...one.trail]);
    } else if (isNew || !map.shows(all)) map.fit(all);
  }

  private fitAll(): void {
    this.aim = '';
    choose({ view: '', chosen: '' });
    this.requestUpdate();
  }
}

customElements.define('world-map', WorldMap);
