/** The map screen: drivers, jobs and routes of a project, on a map and in a list, now and along their trails. */
import { html, nothing, type TemplateResult } from 'lit';
import { apiUrl } from '../../api.ts';
import { projects, settings } from '../../data/live.ts';
import { loadPlace } from '../../data/load-place.ts';
import { type RequestPlace, toCurlExample } from '../../data/request-place.ts';
import { createResource, type Resource } from '../../data/resource.ts';
import { choose, linkTo, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { chooseProject, chosenProject } from '../../parts/choose-project.ts';
import { copyButton } from '../../parts/copy-button.ts';
import { counted } from '../../parts/counted.ts';
import { empty } from '../../parts/empty.ts';
import { errorNote } from '../../parts/notices.ts';
import { skeleton } from '../../parts/skeleton.ts';
import { changesRecords } from '../../state.ts';
import { createMapLoader, type MapContent } from './data.ts';
import { type LayerName, layerNames, type MapItem, toItems } from './items.ts';
import { type Period, periodOf } from './trail-time.ts';
import './list.ts';
import './map-element.ts';
import './time-bar.ts';
import './colors.css';
import './map.css';
import './swatch.css';

interface Shown {
  readonly content: MapContent;
  readonly hiddenKey: string;
  readonly items: readonly MapItem[];
  /** Undefined without trails. */
  readonly period: Period | undefined;
}

class MapScreen extends PageElement {
  static override properties = { slidTime: { state: true } };
  /** Time of the slider while it moves; the URL contains the time on which the user settled. */
  declare private slidTime: { readonly time: number | undefined } | undefined;
  private readonly load = createMapLoader();
  private readonly resource: Resource<MapContent> = createResource(this, {
    key: chosenProject,
    load: () => this.load(chosenProject() ?? ''),
    reloadOn: (event) => changesRecords(event, chosenProject()),
  });
  private readonly locationPlace: Resource<RequestPlace | undefined> = createResource(this, {
    key: () => (isEmpty(this.resource.value) ? 'example' : undefined),
    load: () => loadPlace('submitLocation'),
  });
  private shown: Shown | undefined;

  constructor() {
    super();
    watch(this, route, projects, settings);
  }

  protected override render(): TemplateResult {
    const project = chosenProject();
    const { value: content, errorText } = this.resource;
    if (project === undefined) return html`<h1>Map</h1>${chooseProject('map')}`;
    const hidden = new Set((route.get().query['hide'] ?? '').split(' ').filter((name) => name !== ''));
    const shown = this.show(content, hidden);
    const time = this.timeIn(shown?.period);
    const tiles = hidden.has('tiles') ? undefined : (settings.get()?.mapTiles ?? undefined);
    return html`
      <div class="row">
        <h1>Map</h1><span class="quiet" role="status">${content ? summary(content) : ''}</span>
        <div class="push">${renderLegend(hidden)}</div>
      </div>
      ${errorNote(errorText)}
      <div class="map-halves">
        <div class="map-frame">
          <world-map .items=${shown?.items} .project=${project} .time=${time} .tiles=${tiles}></world-map>
          ${shown?.period ? html`<map-time .period=${shown.period} .time=${time} .moved=${this.moveTo}></map-time>` : nothing}
        </div>
        ${content === undefined ? html`<div class="map-side">${skeleton(12)}</div>` : isEmpty(content) ? html`<div class="map-side">${renderEmpty(project, this.locationPlace.value)}</div>` : shown ? html`<map-list class="map-side" .items=${shown.items} .time=${time}></map-list>` : nothing}
      </div>
    `;
  }

  /** Returns the same items for the same content, so that the map projects them only after changes. */
  private show(content: MapContent | undefined, hidden: ReadonlySet<string>): Shown | undefined {
    const hiddenKey = [...hidden].join(' ');
    if (content !== this.shown?.content || hiddenKey !== this.shown?.hiddenKey) {
      const items = content && toItems(content, hidden);
      this.shown = content && items && { content, hiddenKey, items, period: periodOf(items.map(({ trail }) => trail)) };
    }
    return this.shown;
  }

  private timeIn(period: Period | undefined): number | undefined {
    const linked = Date.parse(route.get().query['at'] ?? '');
    const time = this.slidTime ? this.slidTime.time : Number.isNaN(linked) ? undefined : linked;
    return period === undefined || time === undefined || time >= period.to ? undefined : Math.max(time, period.from);
  }

  private readonly moveTo = (time: number | undefined, isSettled: boolean): void => {
    this.slidTime = isSettled ? undefined : { time };
    if (isSettled) choose({ at: time === undefined ? '' : new Date(Math.round(time)).toISOString() }, true);
  };
}

function isEmpty(content: MapContent | undefined): boolean {
  return content !== undefined && content.devices.length + content.jobs.length + content.routes.length === 0;
}

const layerTexts: Readonly<Record<LayerName | 'tiles', string>> = {
  devices: 'Drivers',
  trails: 'Trails',
  routes: 'Routes',
  jobs: 'Stops and jobs',
  tiles: 'Streets',
};

function renderLegend(hidden: ReadonlySet<string>): TemplateResult {
  const tiles = settings.get()?.mapTiles;
  const names = tiles ? ([...layerNames, 'tiles'] as const) : layerNames;
  const toggle = (name: string): void => {
    const next = hidden.has(name) ? [...hidden].filter((one) => one !== name) : [...hidden, name];
    choose({ hide: next.join(' ') });
  };
  return html`
    <div class="row legend" role="group" aria-label="Map layers">
      ${names.map(
        (name) => html`
          <button aria-pressed=${!hidden.has(name)} @click=${() => toggle(name)}>
            <span class="swatch ${name}" aria-hidden="true"></span>${layerTexts[name]}
          </button>
        `,
      )}
    </div>
  `;
}

function summary({ devices, jobs, routes, unplaced, omitted }: MapContent): string {
  const counts = [counted(devices.length, 'driver'), counted(jobs.length, 'job'), counted(routes.length, 'route')].join(
    ', ',
  );
  const others = unplaced === 0 ? [] : [`${unplaced} without a location`];
  return [counts, ...others, ...omitted].join('; ');
}

const exampleLocation = {
  deviceId: 'van-1',
  eventDateTime: '2026-03-02T09:30:00+10:00',
  geoJson: { type: 'Point', coordinates: [153.0281, -27.4679] },
};

function renderEmpty(project: string, place: RequestPlace | undefined): TemplateResult {
  const example = place ? toCurlExample(apiUrl, place, project, exampleLocation) : '';
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
