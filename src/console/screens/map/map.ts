/** The map screen: devices, jobs and routes of a project, on a map and in a table. */
import { html, nothing, type TemplateResult } from 'lit';
import { apiUrl } from '../../data/export-request.ts';
import { projects, settings } from '../../data/live.ts';
import { loadPlace } from '../../data/load-place.ts';
import { type RequestPlace, toCurlExample } from '../../data/request-place.ts';
import { createResource, isOf, type Resource } from '../../data/resource.ts';
import { choose, linkTo, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { chooseProject, chosenProject } from '../../parts/choose-project.ts';
import { copyButton } from '../../parts/copy-button.ts';
import { counted } from '../../parts/counted.ts';
import { empty } from '../../parts/empty.ts';
import { errorNote } from '../../parts/notices.ts';
import { loadMap, type MapContent } from './data.ts';
import { layerNames, type Row, toRows } from './kinds.ts';
import { mapTable } from './table.ts';
import './map-element.ts';
import './map.css';

class MapScreen extends PageElement {
  private readonly resource: Resource<MapContent> = createResource(this, {
    key: chosenProject,
    load: () => loadMap(chosenProject() ?? ''),
    reloadOn: (event) => isOf(event, chosenProject()),
  });
  private readonly locationPlace: Resource<RequestPlace | undefined> = createResource(this, {
    key: () => (isEmpty(this.resource.value) ? 'example' : undefined),
    load: () => loadPlace('submitLocation'),
  });
  private shown:
    | { readonly content: MapContent; readonly hiddenKey: string; readonly rows: readonly Row[] }
    | undefined;

  constructor() {
    super();
    watch(this, route, projects, settings);
  }

  protected override render(): TemplateResult {
    const project = chosenProject();
    const { value: content, errorText } = this.resource;
    if (project === undefined) return html`<h1>Map</h1>${chooseProject('map')}`;
    const hidden = new Set((route.get().query['hide'] ?? '').split(' ').filter((name) => name !== ''));
    const rows = this.rowsOf(content, hidden);
    return html`
      <div class="row"><h1>Map</h1><span class="quiet" role="status">${content ? summary(content) : 'Loading…'}</span></div>
      ${errorNote(errorText)}
      ${renderLegend(hidden)}
      <div class="map-halves">
        <world-map .rows=${rows} .project=${project} .tiles=${hidden.has('tiles') ? undefined : (settings.get()?.mapTiles ?? undefined)}></world-map>
        <div class="column map-side">${isEmpty(content) ? renderEmpty(project, this.locationPlace.value) : rows && mapTable(rows)}</div>
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
}

function isEmpty(content: MapContent | undefined): boolean {
  return content !== undefined && content.devices.length + content.jobs.length + content.routes.length === 0;
}

function renderLegend(hidden: ReadonlySet<string>): TemplateResult {
  const tiles = settings.get()?.mapTiles;
  const names = tiles ? [...layerNames, 'tiles'] : layerNames;
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
      ${tiles === null ? html`<span class="quiet">To show streets, start the sandbox with <code>--map-tiles</code>.</span>` : nothing}
    </div>
  `;
}

function summary({ devices, jobs, routes, unplaced, omitted }: MapContent): string {
  const counts = [counted(devices.length, 'device'), counted(jobs.length, 'job'), counted(routes.length, 'route')].join(
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
