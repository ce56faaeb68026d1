/** The details of one record: its fields, related records, and the requests that refer to it. */
import { html, nothing, type TemplateResult } from 'lit';
import { ApiError, callApi, listAll, projectPath, type Schemas } from '../../data/client.ts';
import { changesRecords, createResource, type Resource } from '../../data/resource.ts';
import { linkTo, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { copyButton } from '../../parts/copy-button.ts';
import { empty } from '../../parts/empty.ts';
import { jsonView } from '../../parts/json-view.ts';
import { keepFocus } from '../../parts/keep-focus.ts';
import { errorNote } from '../../parts/notices.ts';
import { type Collection, collectionOf, type StoredRecord, toTime } from './collections.ts';
import { historyTable } from './history.ts';
import { jobsOfRoute, loadJobs, trailTable } from './related.ts';
import { recordLink } from './table.ts';

type RequestSummary = Schemas['RequestSummary'];

interface Shown {
  /** Undefined if the record does not exist. */
  readonly record: StoredRecord | undefined;
  readonly requests: readonly RequestSummary[];
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
  };
  declare project: string;
  declare collection: Collection;
  declare recordId: string;
  private readonly resource: Resource<Shown> = createResource(this, {
    key: () => `${this.project}/${this.collection.name}/${this.recordId}`,
    load: () => loadShown(this.project, this.collection, this.recordId),
    reloadOn: (event) => changesRecords(event, this.project),
  });

  constructor() {
    super();
    watch(this, route);
    keepFocus(this);
  }

  protected override render(): TemplateResult {
    const { collection, recordId } = this;
    const { value: shown, errorText } = this.resource;
    const { query } = route.get();
    return html`
      <div><a class="button" href=${linkTo('records', { ...query, record: '', trail: '' })}>← All ${collection.title.toLowerCase()}</a></div>
      <h1 tabindex="-1">${collection.noun[0]?.toUpperCase()}${collection.noun.slice(1)} <span class="mono">${recordId}</span></h1>
      ${errorNote(errorText)}
      ${shown ? this.renderShown(shown) : errorText === '' ? html`<p class="quiet">Loading…</p>` : nothing}
    `;
  }

  private renderShown({ record, requests, trail, jobs }: Shown): TemplateResult {
    return html`
      ${record ? this.renderRecord(record) : this.renderMissing(requests)}
      ${record && this.collection.name === 'routes' ? jobsOfRoute(record, jobs) : nothing}
      ${trail.length > 0 ? trailTable(trail) : nothing}
      <section class="column">
        <h2>Related requests</h2>
        ${requests.length === 0 ? html`<p class="quiet">No related requests in the journal.</p>` : historyTable(requests)}
      </section>
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
        <dt>Project</dt><dd>${this.project}</dd>
        ${columns.map((column) => html`<dt>${column.title}</dt><dd>${this.renderFact(column.key, column.text(record))}</dd>`)}
        <dt>Created</dt><dd>${toTime(record['createdAt'])}</dd>
        <dt>Updated</dt><dd>${toTime(record['updatedAt'])}</dd>
      </dl>
      <section class="column">
        <div class="row">
          <h2>All fields</h2>
          ${copyButton('Copy as JSON', () => text)}
          ${
            isOnMap(this.collection, record)
              ? html`<a class="button" href=${linkTo('map', { project: this.project, chosen: `${this.collection.noun}:${this.recordId}` })}>Show on map</a>`
              : nothing
          }
        </div>
        ${jsonView(text)}
      </section>
    `;
  }

  private renderFact(key: string, text: string): TemplateResult {
    return key === 'routeId' ? recordLink(collectionOf('routes'), text) : html`${text}`;
  }

  private renderMissing(requests: readonly RequestSummary[]): TemplateResult {
    const title = `No ${this.collection.noun} ${this.recordId} in project ${this.project}`;
    const hint =
      requests.length === 0
        ? html`<p>No request refers to it. It may be in another project, or this project was reset.</p>`
        : html`<p>
            The requests below refer to it. It may have been rejected, have failed later (<a href=${linkTo('problems')}>Problems</a>),
            or still be pending (<a href=${linkTo('clock')}>Clock and state</a>).
          </p>`;
    return empty(title, hint);
  }
}

async function loadShown(project: string, { name }: Collection, id: string): Promise<Shown> {
  const recordName = encodeURIComponent(`${name}/${id}`);
  const path = projectPath(project, `/${name}/${encodeURIComponent(id)}`);
  const isDevice = name === 'locations';
  const [record, requests, trail = []] = await Promise.all([
    orUndefined(callApi<StoredRecord>('GET', isDevice ? `${path}?limit=1` : path)),
    listAll<RequestSummary>(projectPath(project, `/requests?record=${recordName}&bodies=false`)),
    isDevice ? orUndefined(listAll<StoredRecord>(path)) : undefined,
  ]);
  const jobs = name === 'routes' && record ? await loadJobs(project, record) : [];
  return { record, requests, trail, jobs };
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
