/** The map screen: devices, jobs and routes of a project, on a map and in a table. */
import { html, nothing, type TemplateResult } from 'lit';
import { callApi, type Schemas } from '../../data/client.ts';
import { listen } from '../../data/events.ts';
import { projects } from '../../data/live.ts';
import { apiUrl } from '../../data/message.ts';
import { choose, linkTo, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { chooseProject, chosenProject } from '../../parts/choose-project.ts';
import { copyButton } from '../../parts/copy-button.ts';
import { empty } from '../../parts/empty.ts';
import { type MapContent, MapData } from './data.ts';
import { layerNames, type Row, toRows } from './kinds.ts';
import { mapTable } from './table.ts';
import './world.ts';
import './map.css';

/** Minimum time between reloads while events arrive. */
const soonMs = 500;
/** Reloads everything after this time without events: a late location changes a trail, but moves no device. */
const quietMs = 2500;

class MapScreen extends PageElement {
  static override properties = { content: { state: true }, errorText: { state: true }, tiles: { state: true } };
  declare private content: MapContent | undefined;
  /** Why nothing is shown. */
  declare private errorText: string;
  /** URL of the map tiles, null if there are none, or undefined until the settings are loaded. */
  declare private tiles: string | null | undefined;
  private shown:
    | { readonly content: MapContent; readonly hiddenKey: string; readonly rows: readonly Row[] }
    | undefined;
  private data: MapData | undefined;
  private project: string | undefined;
  private soonTimer: ReturnType<typeof setTimeout> | undefined;
  private quietTimer: ReturnType<typeof setTimeout> | undefined;
  private removeHandlers = (): void => undefined;

  constructor() {
    super();
    this.errorText = '';
    watch(this, route, projects);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    const scheduleLoad = ({ project }: { readonly project: string | null }): void => {
      if (project === null || project === this.project) this.scheduleLoad();
    };
    const missed = (): void => {
      void this.load(true);
      this.loadSettings();
    };
    this.removeHandlers = listen({
      request: scheduleLoad,
      callback: scheduleLoad,
      change: scheduleLoad,
      records: scheduleLoad,
      missed,
    });
    this.loadSettings();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.removeHandlers();
    clearTimeout(this.soonTimer);
    clearTimeout(this.quietTimer);
    this.soonTimer = undefined;
  }

  protected override willUpdate(): void {
    const project = chosenProject();
    if (project === this.project) return;
    this.project = project;
    this.content = undefined;
    this.data = project === undefined ? undefined : new MapData(project);
    void this.load(true);
  }

  private loadSettings(): void {
    callApi<Schemas['Settings']>('GET', '/settings').then(
      ({ mapTiles }) => {
        this.tiles = mapTiles;
      },
      () => undefined,
    );
  }

  private scheduleLoad(): void {
    this.soonTimer ??= setTimeout(() => {
      this.soonTimer = undefined;
      void this.load(false);
    }, soonMs);
    clearTimeout(this.quietTimer);
    this.quietTimer = setTimeout(() => void this.load(true), quietMs);
  }

  private async load(withAllTrails: boolean): Promise<void> {
    const { data } = this;
    try {
      const content = await data?.load(withAllTrails);
      // The user may have selected another project in the meantime.
      if (data !== this.data) return;
      this.content = content;
      this.errorText = '';
    } catch (error) {
      if (data === this.data) this.errorText = error instanceof Error ? error.message : String(error);
    }
  }

  protected override render(): TemplateResult {
    const { content, project } = this;
    if (project === undefined) return html`<h1>Map</h1>${chooseProject('map')}`;
    const hidden = new Set((route.get().query['hide'] ?? '').split(' ').filter((name) => name !== ''));
    const rows = this.rowsOf(content, hidden);
    const isEmpty = content !== undefined && content.devices.length + content.jobs.length + content.routes.length === 0;
    return html`
      <div class="row"><h1>Map</h1><span class="quiet" role="status">${content ? summary(content) : 'Loading…'}</span></div>
      ${this.errorText === '' ? nothing : html`<p class="note bad" role="alert">${this.errorText}</p>`}
      ${this.renderLegend(hidden)}
      <div class="map-halves">
        <world-map .rows=${rows} .project=${project} .tiles=${hidden.has('tiles') ? undefined : (this.tiles ?? undefined)}></world-map>
        <div class="column map-side">${isEmpty ? renderEmpty(project) : rows && mapTable(rows)}</div>
      </div>
    `;
  }

  /** Returns the same array for the same content, so that the map redraws only after changes. */
  private rowsOf(content: MapContent | undefined, hidden: ReadonlySet<string>): readonly Row[] | undefined {
    const hiddenKey = [...hidden].join(' ');
    if (content !== this.shown?.content || hiddenKey !== this.shown?.hiddenKey) {
      this.shown = content && { content, hiddenKey, rows: toRows(content, hidden) };
    }
    return this.shown?.rows;
  }

  private renderLegend(hidden: ReadonlySet<string>): TemplateResult {
    const names = this.tiles ? [...layerNames, 'tiles'] : layerNames;
    const toggle = (name: string): void => {
      const next = hidden.has(name) ? [...hidden].filter((one) => one !== name) : [...hidden, name];
      choose({ hide: next.join(' ') });
    };
    return html`
      <div class="row" role="group" aria-label="Map layers">
        ${names.map(
          (name) => html`
            <button aria-pressed=${!hidden.has(name)} @click=${() => toggle(name)}>
              <span class="swatch ${name}" aria-hidden="true"></span>${name}
            </button>
          `,
        )}
        ${this.tiles === null ? html`<span class="quiet">To show streets, start the sandbox with <code>--map-tiles</code>.</span>` : nothing}
      </div>
    `;
  }
}

function summary({ devices, jobs, routes, unplaced, omitted }: MapContent): string {
  const counts = [count(devices.length, 'device'), count(jobs.length, 'job'), count(routes.length, 'route')].join(', ');
  const others = unplaced === 0 ? [] : [`${unplaced} without a location`];
  return [counts, ...others, ...omitted].join('; ');
}

function count(number: number, what: string): string {
  return `${number} ${number === 1 ? what : `${what}s`}`;
}

function renderEmpty(project: string): TemplateResult {
  const body =
    '{"deviceId":"van-1","eventDateTime":"2026-03-02T09:30:00+10:00","geoJson":{"type":"Point","coordinates":[153.0281,-27.4679]}}';
  const example = `curl -i ${apiUrl}/projects/${encodeURIComponent(project)}/locations -H 'apikey: sandbox-key' -H 'content-type: application/json' -d '${body}'`;
  return empty(
    'No locations yet',
    html`<div class="column">
      <p>Send the location of a device, or jobs with <code>address.geoJson</code>. Coordinates are [longitude, latitude].</p>
      <pre tabindex="0">${example}</pre>
      <div>${copyButton('Copy', () => example)}</div>
      <p>Or send it from the <a href=${linkTo('reference', { operation: 'submitLocation' })}>API reference</a>.</p>
    </div>`,
  );
}

customElements.define('map-screen', MapScreen);
