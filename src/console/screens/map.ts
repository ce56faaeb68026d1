/** Where the devices, the jobs and the routes of a project are: on a map, and the same in a table. */
import { html, nothing, type TemplateResult } from 'lit';
import { ask, type Schemas } from '../data/client.ts';
import { listen } from '../data/events.ts';
import { projects } from '../data/live.ts';
import { apiUrl } from '../data/message.ts';
import { choose, linkTo, route } from '../data/route.ts';
import { PageElement, watch } from '../element.ts';
import { chooseProject, chosenProject } from '../parts/choose-project.ts';
import { copyButton } from '../parts/copy-button.ts';
import { empty } from '../parts/empty.ts';
import { MapData, type Things } from './map-data.ts';
import { layerNames, type Row, toRows } from './map-kinds.ts';
import { mapTable } from './map-table.ts';
import './map-world.ts';
import './map.css';

/** Reloads at most this often while things happen… */
const soonMs = 500;
/** …and whole once they have been quiet for so long: a late location lengthens a trail, and moves no device. */
const quietMs = 2500;

class MapScreen extends PageElement {
  static override properties = { things: { state: true }, why: { state: true }, tiles: { state: true } };
  declare private things: Things | undefined;
  /** Why there is nothing to show. */
  declare private why: string;
  /** Null where there are none; undefined until that is known. */
  declare private tiles: string | null | undefined;
  private shown: { readonly things: Things; readonly by: string; readonly rows: readonly Row[] } | undefined;
  private data: MapData | undefined;
  private of: string | undefined;
  private soon: ReturnType<typeof setTimeout> | undefined;
  private quiet: ReturnType<typeof setTimeout> | undefined;
  private endListening = (): void => undefined;

  constructor() {
    super();
    this.why = '';
    watch(this, route, projects);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    const plan = ({ project }: { readonly project: string | null }): void => {
      if (project === null || project === this.of) this.plan();
    };
    const missed = (): void => {
      void this.load(true);
      this.loadSettings();
    };
    this.endListening = listen({ request: plan, callback: plan, change: plan, records: plan, missed });
    this.loadSettings();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.endListening();
    clearTimeout(this.soon);
    clearTimeout(this.quiet);
    this.soon = undefined;
  }

  protected override willUpdate(): void {
    const project = chosenProject();
    if (project === this.of) return;
    this.of = project;
    this.things = undefined;
    this.data = project === undefined ? undefined : new MapData(project);
    void this.load(true);
  }

  private loadSettings(): void {
    ask<Schemas['Settings']>('GET', '/settings').then(
      ({ mapTiles }) => {
        this.tiles = mapTiles;
      },
      () => undefined,
    );
  }

  private plan(): void {
    this.soon ??= setTimeout(() => {
      this.soon = undefined;
      void this.load(false);
    }, soonMs);
    clearTimeout(this.quiet);
    this.quiet = setTimeout(() => void this.load(true), quietMs);
  }

  private async load(isWhole: boolean): Promise<void> {
    const { data } = this;
    try {
      const things = await data?.load(isWhole);
      // Another project may have been chosen meanwhile.
      if (data !== this.data) return;
      this.things = things;
      this.why = '';
    } catch (error) {
      if (data === this.data) this.why = error instanceof Error ? error.message : String(error);
    }
  }

  protected override render(): TemplateResult {
    const { things, of } = this;
    if (of === undefined) return html`<h1>Map</h1>${chooseProject('map')}`;
    const hidden = new Set((route.get().query['hide'] ?? '').split(' ').filter((name) => name !== ''));
    const rows = this.rowsOf(things, hidden);
    const isBare = things !== undefined && things.devices.length + things.jobs.length + things.routes.length === 0;
    return html`
      <div class="row"><h1>Map</h1><span class="quiet" role="status">${things ? summary(things) : 'Loading…'}</span></div>
      ${this.why === '' ? nothing : html`<p class="note bad" role="alert">${this.why}</p>`}
      ${this.renderLegend(hidden)}
      <div class="map-halves">
        <world-map .rows=${rows} .of=${of} .tiles=${hidden.has('tiles') ? undefined : (this.tiles ?? undefined)}></world-map>
        <div class="column map-side">${isBare ? nothingYet(of) : rows && mapTable(rows)}</div>
      </div>
    `;
  }

  /** The same rows for the same things: the map draws only what is new. */
  private rowsOf(things: Things | undefined, hidden: ReadonlySet<string>): readonly Row[] | undefined {
    const by = [...hidden].join(' ');
    if (things !== this.shown?.things || by !== this.shown?.by) {
      this.shown = things && { things, by, rows: toRows(things, hidden) };
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
      <div class="row" role="group" aria-label="What the map shows">
        ${names.map(
          (name) => html`
            <button aria-pressed=${!hidden.has(name)} @click=${() => toggle(name)}>
              <span class="swatch ${name}" aria-hidden="true"></span>${name}
            </button>
          `,
        )}
        ${this.tiles === null ? html`<span class="quiet">The outlines are coarse: started with <code>--map-tiles</code>, the sandbox shows streets.</span>` : nothing}
      </div>
    `;
  }
}

function summary({ devices, jobs, routes, unplaced, leftOut }: Things): string {
  const counts = [count(devices.length, 'device'), count(jobs.length, 'job'), count(routes.length, 'route')].join(', ');
  const others = unplaced === 0 ? [] : [`${unplaced} more ${unplaced === 1 ? 'has' : 'have'} no place`];
  return [counts, ...others, ...leftOut].join('; ');
}

function count(number: number, what: string): string {
  return `${number} ${number === 1 ? what : `${what}s`}`;
}

function nothingYet(project: string): TemplateResult {
  const body =
    '{"deviceId":"van-1","eventDateTime":"2026-03-02T09:30:00+10:00","geoJson":{"type":"Point","coordinates":[153.0281,-27.4679]}}';
  const example = `curl -i ${apiUrl}/projects/${encodeURIComponent(project)}/locations -H 'apikey: sandbox-key' -H 'content-type: application/json' -d '${body}'`;
  return empty(
    'Nothing of this project has a place yet',
    html`<div class="column">
      <p>Send where a device is, or jobs with <code>address.geoJson</code>, longitude first.</p>
      <pre tabindex="0">${example}</pre>
      <div>${copyButton('Copy', () => example)}</div>
      <p>Or try it in the <a href=${linkTo('reference', { operation: 'submitLocation' })}>API reference</a>.</p>
    </div>`,
  );
}

customElements.define('map-screen', MapScreen);
