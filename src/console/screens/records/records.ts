/** The records screen: tables of a project's records, and the details of one record. */
import { html, nothing, type TemplateResult } from 'lit';
import { ApiError, listAll, projectPath } from '../../data/client.ts';
import { projects } from '../../data/live.ts';
import { followRecords } from '../../data/record-feed.ts';
import { choose, linkTo, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { chooseProject, chosenProject } from '../../parts/choose-project.ts';
import { empty } from '../../parts/empty.ts';
import { keepFocus } from '../../parts/keep-focus.ts';
import { type Arranged, createArrange, defaultSort } from './arrange.ts';
import { type Collection, collectionOf, collections, type StoredRecord } from './collections.ts';
import './record.ts';
import { pager, recordTable } from './table.ts';
import './records.css';

/** Maximum number of records that are loaded. */
const maxRecords = 20_000;

class RecordsScreen extends PageElement {
  static override properties = { all: { state: true }, errorText: { state: true } };
  /** The records of the collection, once they are loaded. */
  declare private all: readonly StoredRecord[] | undefined;
  /** Why they could not be loaded. */
  declare private errorText: string;
  /** The path from which the records were loaded. */
  private path = '';
  private record: string | undefined;
  private readonly arrange = createArrange();
  private readonly feed = followRecords(
    this,
    () => (this.path === '' ? undefined : chosenProject()),
    () => this.load(),
  );

  constructor() {
    super();
    this.errorText = '';
    watch(this, route, projects);
    keepFocus(this);
  }

  /** Returns the path of the list to show, or an empty text if none is shown. */
  private listPath(): string {
    const { collection, record = '' } = route.get().query;
    const project = chosenProject();
    return project === undefined || record !== '' ? '' : projectPath(project, `/${collectionOf(collection).name}`);
  }

  protected override willUpdate(): void {
    const path = this.listPath();
    if (path === this.path) return;
    this.path = path;
    this.all = undefined;
    this.errorText = '';
    if (path !== '') this.feed.now();
  }

  private async load(): Promise<void> {
    const { path } = this;
    if (path === '') return;
    try {
      const all = await listAll<StoredRecord>(path, maxRecords);
      if (path !== this.path) return;
      this.all = all;
      this.errorText = '';
    } catch (error) {
      if (path === this.path) this.errorText = error instanceof ApiError ? error.message : String(error);
    }
  }

  /** Moves the focus when a record was opened or closed. */
  protected override updated(): void {
    const { record = '' } = route.get().query;
    const previous = this.record;
    if (record === previous || (previous !== undefined && record === '' && this.all === undefined)) return;
    this.record = record;
    if (previous === undefined) return;
    const row = record === '' ? this.querySelector<HTMLElement>(`[data-record="${CSS.escape(previous)}"]`) : null;
    const view = this.querySelector<PageElement>('record-view');
    const heading = (): HTMLElement | null => this.querySelector<HTMLElement>('h1');
    void Promise.resolve(view?.updateComplete).then(() => (row ?? heading())?.focus());
  }

  protected override render(): TemplateResult {
    const project = chosenProject();
    const { collection: name, record = '' } = route.get().query;
    const collection = collectionOf(name);
    if (project === undefined) return html`<h1>Records</h1>${chooseProject('records')}`;
    if (record === '') return this.renderList(project, collection);
    return html`<record-view .project=${project} .collection=${collection} .recordId=${record}></record-view>`;
  }

  private renderList(project: string, collection: Collection): TemplateResult {
    const { q = '', sort = defaultSort, page = '' } = route.get().query;
    const all = this.all ?? [];
    const arranged = this.arrange(collection, all, { q, sort, page: Number(page) });
    return html`
      <div class="row">
        <h1 tabindex="-1">Records</h1>
        <span class="quiet" role="status">${this.all ? count(arranged, all, collection) : 'Loading…'}</span>
      </div>
      ${this.renderTabs(project, collection)}
      <div class="row" ?hidden=${all.length === 0}>
        <input class="grow" type="search" aria-label="Search ${collection.title.toLowerCase()}" placeholder="Any field, such as id, status or address"
          .value=${q} @input=${({ target }: Event) => choose({ q: (target as HTMLInputElement).value, page: '' }, true)} />
        ${pager(arranged)}
      </div>
      ${this.errorText === '' ? nothing : html`<p class="note bad">${this.errorText}</p>`}
      ${
        this.isTruncated(project, collection)
          ? html`<p class="note warn">Only the first ${maxRecords.toLocaleString('en')} records are shown.</p>`
          : nothing
      }
      ${this.all && arranged.matching.length === 0 ? renderEmpty(collection, all.length > 0) : nothing}
      ${arranged.shown.length > 0 ? recordTable(collection, arranged, sort) : nothing}
    `;
  }

  private isTruncated(project: string, { name }: Collection): boolean {
    const stored = projects.get().find(({ id }) => id === project)?.counts[name] ?? 0;
    return this.all !== undefined && this.all.length >= maxRecords && stored > this.all.length;
  }

  private renderTabs(project: string, chosen: Collection): TemplateResult {
    const counts = projects.get().find(({ id }) => id === project)?.counts;
    return html`
      <nav class="row" aria-label="Collections">
        ${collections.map(
          ({ name, title }) => html`
            <a class="button ${name === chosen.name ? 'chosen' : ''}" aria-current=${name === chosen.name ? 'page' : nothing}
              href=${linkTo('records', { project, collection: name })}>${title} <span class="quiet">${counts?.[name].toLocaleString('en') ?? ''}</span></a>
          `,
        )}
      </nav>
    `;
  }
}

function count({ matching }: Arranged, all: readonly StoredRecord[], { title }: Collection): string {
  return `${matching.length.toLocaleString('en')} of ${all.length.toLocaleString('en')} ${title.toLowerCase()}`;
}

function renderEmpty({ title, createdBy }: Collection, isSearch: boolean): TemplateResult {
  if (isSearch) {
    return empty('No matches', html`<button @click=${() => choose({ q: '', page: '' })}>Clear search</button>`);
  }
  const next = html`<p>
    Created by ${createdBy}: try it in the <a href=${linkTo('reference')}>API reference</a>. Pending entries are listed
    under <a href=${linkTo('clock')}>Clock and state</a>, failed entries under <a href=${linkTo('problems')}>Problems</a>.
  </p>`;
  return empty(`No ${title.toLowerCase()} yet`, next);
}

customElements.define('records-screen', RecordsScreen);
