/** The details of one record: its fields, related records, and all its events. */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { ApiError, callApi, listAll, projectPath } from '../../data/client.ts';
import { changesRecords, createResource } from '../../data/resource.ts';
import { linkTo, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { copyButton } from '../../parts/copy-button.ts';
import { icon } from '../../parts/icon.ts';
import { jsonView } from '../../parts/json-view.ts';
import { keepFocus } from '../../parts/keep-focus.ts';
import { errorNote } from '../../parts/notices.ts';
import { skeleton } from '../../parts/skeleton.ts';
import '../entity/events.ts';
import type { Entity } from '../entity/load.ts';
import { renderMissing } from '../entity/missing.ts';
import { type Collection, collectionOf, type StoredRecord, toTime } from './collections.ts';
import { jobsOfRoute, loadJobs, trailTable } from './related.ts';
import { recordLink } from './table.ts';

interface Shown {
  /** Undefined if the record does not exist. */
  readonly record: StoredRecord | undefined;
  /** The trail, if the record is a device. */
  readonly trail: readonly StoredRecord[];
  /** The jobs in order, if the record is a route. */
  readonly jobs: readonly StoredRecord[];
}

class RecordView extends PageElement {
  static override properties = {
    project: { attribute: false },
    collection: { attribute: false },
    recordId: { attribute: false },
    entity: { state: true },
  };
  declare project: string;
  declare collection: Collection;
  declare recordId: string;
  declare private entity: Entity | undefined;
  onClose: () => void = () => undefined;
  private shownId = '';
  private readonly resource = createResource<Shown>(this, {
    key: () => `${this.project}/${this.collection.name}/${this.recordId}`,
    load: () => loadShown(this.project, this.collection, this.recordId),
    reloadOn: (event) => changesRecords(event, this.project),
  });

  constructor() {
    super();
    watch(this, route);
    keepFocus(this);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('project') || changed.has('recordId')) this.entity = undefined;
  }

  /** The detail covers the list on narrow screens, so it takes the focus. */
  protected override updated(): void {
    if (this.shownId === this.recordId) return;
    this.shownId = this.recordId;
    this.querySelector('aside')?.scrollTo(0, 0);
    if (matchMedia('(max-width: 900px)').matches) this.querySelector<HTMLElement>('h2')?.focus();
  }

  protected override render(): TemplateResult {
    const { project, collection, recordId } = this;
    const { value: shown, errorText } = this.resource;
    return html`
      <aside class="column" aria-label="Record" tabindex="0">
        <div class="row">
          <h2 tabindex="-1"><span class="quiet">${collection.noun}</span> <span class="mono">${recordId}</span></h2>
          ${shown ? renderState(shown.record) : nothing}
          <span class="row push">
            ${shown?.record && isOnMap(collection, shown.record) ? this.renderMapLink() : nothing}
            <a class="button icon" aria-label="All events on one page" title="All events on one page" href=${linkTo('entity', { project, id: recordId })}>${icon('rotate-ccw-clock')}</a>
            <button type="button" class="icon close" aria-label="Close" title="Close (Esc)" @click=${() => this.onClose()}>${icon('x')}</button>
          </span>
        </div>
        ${errorNote(errorText)}
        ${shown ? this.renderShown(shown) : errorText === '' ? skeleton(4) : nothing}
        <entity-events .project=${project} .entityId=${recordId} .onLoad=${(entity: Entity) => (this.entity = entity)}></entity-events>
      </aside>
    `;
  }

  private renderMapLink(): TemplateResult {
    const link = linkTo('map', { project: this.project, chosen: `${this.collection.noun}:${this.recordId}` });
    return html`<a class="button icon" aria-label="Show on map" title="Show on map" href=${link}>${icon('map-pin')}</a>`;
  }

  private renderShown({ record, trail, jobs }: Shown): unknown {
    if (!record) return this.entity ? renderMissing(this.entity, this.project) : nothing;
    return html`
      ${this.renderRecord(record)}
      ${this.collection.name === 'routes' ? jobsOfRoute(record, jobs) : nothing}
      ${trail.length > 0 ? trailTable(trail) : nothing}
    `;
  }

  private renderRecord(record: StoredRecord): TemplateResult {
    const { trail: _points, items: _first, next: _more, ...fields } = record;
    const text = JSON.stringify(fields, null, 2);
    const columns = this.collection.columns
      .slice(1)
      .filter(({ key, text: toText }) => key !== 'updatedAt' && toText(record));
    return html`
      <dl class="facts">
        ${columns.map((column) => html`<dt>${column.title}</dt><dd>${this.renderFact(column.key, column.text(record))}</dd>`)}
        <dt>Created</dt><dd>${toTime(record['createdAt'])}</dd>
        <dt>Updated</dt><dd>${toTime(record['updatedAt'])}</dd>
      </dl>
      <details open>
        <summary>All fields</summary>
        <div class="fields">${copyButton('Copy JSON', () => text)}${jsonView(text)}</div>
      </details>
    `;
  }

  private renderFact(key: string, text: string): TemplateResult {
    return key === 'routeId' ? recordLink(collectionOf('routes'), text) : html`${text}`;
  }
}

function renderState(record: StoredRecord | undefined): TemplateResult | typeof nothing {
  if (!record) return html`<span class="chip bad">no record</span>`;
  const { status } = record;
  return typeof status === 'string' ? html`<span class="chip info">${status}</span>` : nothing;
}

async function loadShown(project: string, { name }: Collection, id: string): Promise<Shown> {
  const path = projectPath(project, `/${name}/${encodeURIComponent(id)}`);
  const isDevice = name === 'locations';
  const [record, trail = []] = await Promise.all([
    orUndefined(callApi<StoredRecord>('GET', isDevice ? `${path}?limit=1` : path)),
    isDevice ? orUndefined(listAll<StoredRecord>(path)) : undefined,
  ]);
  const jobs = name === 'routes' && record ? await loadJobs(project, record) : [];
  return { record, trail, jobs };
}

function isOnMap({ name }: Collection, { address }: StoredRecord): boolean {
  const hasLocation = typeof address === 'object' && address !== null && 'geoJson' in address;
  return name === 'locations' || name === 'routes' || (name === 'jobs' && hasLocation);
}

/** Returns undefined instead of failing if the record does not exist. */
async function orUndefined<Value>(value: Promise<Value>): Promise<Value | undefined> {
  try {
    return await value;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

customElements.define('record-view', RecordView);
