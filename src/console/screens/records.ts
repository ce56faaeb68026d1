/** What a project has stored: tables of its records, and one of them closely. */
import { html, nothing, type TemplateResult } from 'lit';
import { askAll, ofProject, Refusal } from '../data/client.ts';
import { projects } from '../data/live.ts';
import { followRecords } from '../data/record-feed.ts';
import { choose, linkTo, route } from '../data/route.ts';
import { PageElement, watch } from '../element.ts';
import { chooseProject, chosenProject } from '../parts/choose-project.ts';
import { empty } from '../parts/empty.ts';
import { keepFocus } from '../parts/keep-focus.ts';
import { type Arranged, createArrange, usualSort } from './records-arrange.ts';
import { type Collection, collectionOf, collections, type StoredRecord } from './records-collections.ts';
import './records-one.ts';
import { pager, recordTable } from './records-table.ts';
import './records.css';

/** More are not loaded into the page. */
const mostRecords = 20_000;

class RecordsScreen extends PageElement {
  static override properties = { all: { state: true }, why: { state: true } };
  /** The records of the collection, once they have come. */
  declare private all: readonly StoredRecord[] | undefined;
  /** Why they have not. */
  declare private why: string;
  /** What they are of. */
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
    this.why = '';
    watch(this, route, projects);
    keepFocus(this);
  }

  /** The list that is shown; empty where none is. */
  private wantedPath(): string {
    const { collection, record = '' } = route.get().query;
    const project = chosenProject();
    return project === undefined || record !== '' ? '' : ofProject(project, `/${collectionOf(collection).name}`);
  }

  protected override willUpdate(): void {
    const path = this.wantedPath();
    if (path === this.path) return;
    this.path = path;
    this.all = undefined;
    this.why = '';
    if (path !== '') this.feed.now();
  }

  private async load(): Promise<void> {
    const { path } = this;
    if (path === '') return;
    try {
      const all = await askAll<StoredRecord>(path, mostRecords);
      if (path !== this.path) return;
      this.all = all;
      this.why = '';
    } catch (error) {
      if (path === this.path) this.why = error instanceof Refusal ? error.message : String(error);
    }
  }

  /** Where a record was opened or left, the focus goes along. */
  protected override updated(): void {
    const { record = '' } = route.get().query;
    const before = this.record;
    if (record === before || (before !== undefined && record === '' && this.all === undefined)) return;
    this.record = record;
    if (before === undefined) return;
    const goal = record === '' ? this.querySelector<HTMLElement>(`[data-record="${CSS.escape(before)}"]`) : null;
    const view = this.querySelector<PageElement>('record-view');
    const heading = (): HTMLElement | null => this.querySelector<HTMLElement>('h1');
    void Promise.resolve(view?.updateComplete).then(() => (goal ?? heading())?.focus());
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
    const { q = '', sort = usualSort, page = '' } = route.get().query;
    const all = this.all ?? [];
    const arranged = this.arrange(collection, all, { q, sort, page: Number(page) });
    return html`
      <div class="row">
        <h1 tabindex="-1">Records</h1>
        <span class="quiet" role="status">${this.all ? count(arranged, all, collection) : 'Loading…'}</span>
      </div>
      ${this.renderTabs(project, collection)}
      <div class="row" ?hidden=${all.length === 0}>
        <input class="grow" type="search" aria-label="Search ${collection.title.toLowerCase()}" placeholder="any field: id, status, address, …"
          .value=${q} @input=${({ target }: Event) => choose({ q: (target as HTMLInputElement).value, page: '' }, true)} />
        ${pager(arranged)}
      </div>
      ${this.why === '' ? nothing : html`<p class="note bad">${this.why}</p>`}
      ${
        this.isCut(project, collection)
          ? html`<p class="note warn">Only the first ${mostRecords.toLocaleString('en')} are shown here.</p>`
          : nothing
      }
      ${this.all && arranged.fitting.length === 0 ? none(collection, all.length > 0) : nothing}
      ${arranged.shown.length > 0 ? recordTable(collection, arranged, sort) : nothing}
    `;
  }

  private isCut(project: string, { name }: Collection): boolean {
    const there = projects.get().find(({ id }) => id === project)?.counts[name] ?? 0;
    return this.all !== undefined && this.all.length >= mostRecords && there > this.all.length;
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

function count({ fitting }: Arranged, all: readonly StoredRecord[], { title }: Collection): string {
  return `${fitting.length.toLocaleString('en')} of ${all.length.toLocaleString('en')} ${title.toLowerCase()}`;
}

function none({ title, madeBy }: Collection, isSearch: boolean): TemplateResult {
  if (isSearch) {
    return empty(
      'Nothing fits',
      html`<button @click=${() => choose({ q: '', page: '' })}>Show all ${title.toLowerCase()}</button>`,
    );
  }
  const next = html`<p>
    They come with ${madeBy}: try it in the <a href=${linkTo('reference')}>API reference</a>. What was accepted and is
    still to be carried out stands under <a href=${linkTo('clock')}>Clock and state</a>, what failed under
    <a href=${linkTo('problems')}>Problems</a>.
  </p>`;
  return empty(`No ${title.toLowerCase()} so far`, next);
}

customElements.define('records-screen', RecordsScreen);
