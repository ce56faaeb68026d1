/** One record closely: its fields, what belongs to it, and the requests that named it. */
import { html, nothing, type TemplateResult } from 'lit';
import { ask, askAll, ofProject, Refusal, type Schemas } from '../data/client.ts';
import { followRecords } from '../data/record-feed.ts';
import { linkTo, route } from '../data/route.ts';
import { PageElement, watch } from '../element.ts';
import { copyButton } from '../parts/copy-button.ts';
import { empty } from '../parts/empty.ts';
import { jsonView } from '../parts/json-view.ts';
import { keepFocus } from '../parts/keep-focus.ts';
import { type Collection, collectionOf, type StoredRecord, toTime } from './records-collections.ts';
import { historyTable } from './records-history.ts';
import { jobsOfRoute, loadJobs, trailTable } from './records-parts.ts';
import { recordLink } from './records-table.ts';

type Journalled = Schemas['RequestSummary'];

interface Shown {
  /** Undefined where there is none such. */
  readonly record: StoredRecord | undefined;
  readonly requests: readonly Journalled[];
  /** Of a device. */
  readonly trail: readonly StoredRecord[];
  /** Of a route, in its order. */
  readonly jobs: readonly StoredRecord[];
}

class RecordView extends PageElement {
  static override properties = {
    project: { attribute: false },
    collection: { attribute: false },
    recordId: { attribute: false },
    shown: { state: true },
    why: { state: true },
  };
  declare project: string;
  declare collection: Collection;
  declare recordId: string;
  declare private shown: Shown | undefined;
  declare private why: string;
  private key = '';
  private readonly feed = followRecords(
    this,
    () => this.project,
    () => this.load(),
  );

  constructor() {
    super();
    this.why = '';
    watch(this, route);
    keepFocus(this);
  }

  protected override willUpdate(): void {
    const key = `${this.project}\n${this.collection.name}\n${this.recordId}`;
    if (key === this.key) return;
    this.key = key;
    this.shown = undefined;
    this.why = '';
    this.feed.now();
  }

  private async load(): Promise<void> {
    const { key, project, recordId: id, collection } = this;
    try {
      const named = encodeURIComponent(`${collection.name}/${id}`);
      const path = ofProject(project, `/${collection.name}/${encodeURIComponent(id)}`);
      const isDevice = collection.name === 'locations';
      const [record, requests, trail] = await Promise.all([
        found(ask<StoredRecord>('GET', isDevice ? `${path}?limit=1` : path)),
        askAll<Journalled>(ofProject(project, `/requests?record=${named}&bodies=false`)),
        isDevice ? found(askAll<StoredRecord>(path)) : undefined,
      ]);
      const jobs = collection.name === 'routes' && record ? await loadJobs(project, record) : [];
      if (key !== this.key) return;
      this.shown = { record, requests, trail: trail ?? [], jobs };
      this.why = '';
    } catch (error) {
      if (key === this.key) this.why = error instanceof Refusal ? error.message : String(error);
    }
  }

  protected override render(): TemplateResult {
    const { collection, recordId, shown } = this;
    const { query } = route.get();
    return html`
      <div><a class="button" href=${linkTo('records', { ...query, record: '', trail: '' })}>← All ${collection.title.toLowerCase()}</a></div>
      <h1 tabindex="-1">${collection.noun[0]?.toUpperCase()}${collection.noun.slice(1)} <span class="mono">${recordId}</span></h1>
      ${this.why === '' ? nothing : html`<p class="note bad">${this.why}</p>`}
      ${shown ? this.renderShown(shown) : this.why === '' ? html`<p class="quiet">Loading…</p>` : nothing}
    `;
  }

  private renderShown({ record, requests, trail, jobs }: Shown): TemplateResult {
    return html`
      ${record ? this.renderRecord(record) : this.renderMissing(requests)}
      ${record && this.collection.name === 'routes' ? jobsOfRoute(record, jobs) : nothing}
      ${trail.length > 0 ? trailTable(trail) : nothing}
      <section class="column">
        <h2 id="history">Requests that named it</h2>
        ${requests.length === 0 ? html`<p class="quiet">The journal holds none (any more).</p>` : historyTable(requests)}
      </section>
    `;
  }

  private renderRecord(record: StoredRecord): TemplateResult {
    const { trail: _points, items: _first, next: _more, ...fields } = record;
    const text = JSON.stringify(fields, null, 2);
    const told = this.collection.columns
      .slice(1)
      .filter(({ key, text: toText }) => key !== 'updatedAt' && toText(record));
    return html`
      <dl class="facts">
        <dt>Project</dt><dd>${this.project}</dd>
        ${told.map((column) => html`<dt>${column.title}</dt><dd>${this.renderFact(column.key, column.text(record))}</dd>`)}
        <dt>Created</dt><dd>${toTime(record['createdAt'])}</dd>
        <dt>Updated</dt><dd>${toTime(record['updatedAt'])}</dd>
      </dl>
      <section class="column">
        <div class="row">
          <h2 id="fields">All fields</h2>
          ${copyButton('Copy as JSON', () => text)}
          ${
            isOnMap(this.collection, record)
              ? html`<a class="button" href=${linkTo('map', { project: this.project, chosen: `${this.collection.noun}:${this.recordId}` })}>Map</a>`
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

  private renderMissing(requests: readonly Journalled[]): TemplateResult {
    const title = `There is no ${this.collection.noun} ${this.recordId} in project ${this.project}`;
    const why =
      requests.length === 0
        ? html`<p>No request has named it either. Is it in another project, or was this one reset?</p>`
        : html`<p>
            The requests below named it. It may have been refused, have failed later (<a href=${linkTo('problems')}>Problems</a>),
            or is still to be carried out (<a href=${linkTo('clock')}>Clock and state</a>).
          </p>`;
    return empty(title, why);
  }
}

function isOnMap({ name }: Collection, { address }: StoredRecord): boolean {
  const isPlaced = typeof address === 'object' && address !== null && 'geoJson' in address;
  return name === 'locations' || name === 'routes' || (name === 'jobs' && isPlaced);
}

/** The answer, or undefined where it is that there is none such. */
async function found<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return undefined;
    throw error;
  }
}

customElements.define('record-view', RecordView);
