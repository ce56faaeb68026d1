/** The records screen: tables of a project's records, and the details of one record. */
import { html, nothing, type TemplateResult } from 'lit';
import { listAll, projectPath, type Schemas } from '../../data/client.ts';
import { projects } from '../../data/live.ts';
import { changesRecords, createResource, type Resource } from '../../data/resource.ts';
import { choose, linkTo, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { chooseProject, chosenProject } from '../../parts/choose-project.ts';
import { empty } from '../../parts/empty.ts';
import { keepFocus } from '../../parts/keep-focus.ts';
import { errorNote } from '../../parts/notices.ts';
import { paged } from '../../parts/pager.ts';
import { searchField } from '../../parts/search-field.ts';
import { createArrange, defaultSort } from './arrange.ts';
import { type Collection, collectionOf, collections, type StoredRecord } from './collections.ts';
import './record.ts';
import { recordTable } from './table.ts';
import './records.css';

/** Maximum number of records that are loaded. */
const maxRecords = 20_000;

class RecordsScreen extends PageElement {
  /** The records of the collection. */
  private readonly resource: Resource<readonly StoredRecord[]> = createResource(this, {
    key: listPath,
    load: () => listAll<StoredRecord>(listPath() ?? '', maxRecords),
    reloadOn: (event) => changesRecords(event, chosenProject()),
  });
  private record: string | undefined;
  private readonly arrange = createArrange();

  constructor() {
    super();
    watch(this, route, projects);
    keepFocus(this);
  }

  /** Moves the focus when a record was opened or closed. */
  protected override updated(): void {
    const { record = '' } = route.get().query;
    const previous = this.record;
    if (record === previous || (previous !== undefined && record === '' && this.resource.value === undefined)) return;
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
    const { q = '', sort = defaultSort } = route.get().query;
    const { value, errorText } = this.resource;
    const title = collection.title.toLowerCase();
    const all = value ?? [];
    const matching = this.arrange(collection, all, { q, sort });
    const { shown, pager } = paged(matching);
    return html`
      <div class="row">
        <h1 tabindex="-1">Records</h1>
        <span class="quiet" role="status">${value ? `${matching.length.toLocaleString('en')} of ${all.length.toLocaleString('en')} ${title}` : 'Loading…'}</span>
      </div>
      ${renderTabs(project, collection)}
      <div class="row" ?hidden=${all.length === 0}>
        ${searchField(`Search ${title}`, 'Any field, such as id, status or address')}
        ${pager}
      </div>
      ${errorNote(errorText)}
      ${
        isTruncated(all, project, collection)
          ? html`<p class="note warn">Only the first ${maxRecords.toLocaleString('en')} records are shown.</p>`
          : nothing
      }
      ${value && matching.length === 0 ? renderEmpty(collection, all.length > 0) : nothing}
      ${shown.length > 0 ? recordTable(collection, shown, sort) : nothing}
    `;
  }
}

/** Returns the path of the list to show, or undefined if none is shown. */
function listPath(): string | undefined {
  const { collection, record = '' } = route.get().query;
  const project = chosenProject();
  return project === undefined || record !== '' ? undefined : projectPath(project, `/${collectionOf(collection).name}`);
}

function countsOf(project: string): Schemas['ProjectSummary']['counts'] | undefined {
  return projects.get().find(({ id }) => id === project)?.counts;
}

function isTruncated({ length }: readonly StoredRecord[], project: string, { name }: Collection): boolean {
  return length >= maxRecords && (countsOf(project)?.[name] ?? 0) > length;
}

function renderTabs(project: string, chosen: Collection): TemplateResult {
  const counts = countsOf(project);
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
