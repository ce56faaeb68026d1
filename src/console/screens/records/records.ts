/** The records screen: a table of a project's records, and the details of one record beside it. */
import { html, nothing, type TemplateResult } from 'lit';
import { projectPath, type Schemas } from '../../data/client.ts';
import { projects } from '../../data/live.ts';
import { changesRecords, createResource, type Resource } from '../../data/resource.ts';
import { choose, linkTo, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { chooseProject, chosenProject } from '../../parts/choose-project.ts';
import { closeOnEscape } from '../../parts/close-on-escape.ts';
import '../../parts/data-table.ts';
import type { Column } from '../../parts/data-table.ts';
import { empty } from '../../parts/empty.ts';
import { errorNote } from '../../parts/notices.ts';
import { searchField } from '../../parts/search-field.ts';
import { skeleton } from '../../parts/skeleton.ts';
import '../../parts/split-view.ts';
import { type Collection, collectionOf, collections, idOf, type StoredRecord, usedColumns } from './collections.ts';
import { loadRecords, maxRecords } from './load.ts';
import './missing-ids.ts';
import './record.ts';
import './records.css';
import { createSearch } from './search.ts';
import { recordColumns } from './table.ts';

const defaultSort = '-updatedAt';

class RecordsScreen extends PageElement {
  /** The records of the collection. */
  private readonly resource: Resource<readonly StoredRecord[]> = createResource(this, {
    key: listPath,
    load: () => loadRecords(chosenProject() ?? '', collectionOf(route.get().query['collection'])),
    reloadOn: (event) => changesRecords(event, chosenProject()),
  });
  private readonly search = createSearch();
  /** The columns, and the URL that their links keep. */
  private columns: readonly Column<StoredRecord>[] = [];
  private columnsKey = '';

  constructor() {
    super();
    watch(this, route, projects);
    closeOnEscape(this, this.closeTop);
  }

  /** The request drawer closes first: it is above the record. */
  private readonly closeTop = (): void => {
    const { record = '', request = '' } = route.get().query;
    if (record !== '' && request === '') this.close();
  };

  private readonly close = (): void => {
    choose({ record: '', trail: '', order: '' });
    this.querySelector<HTMLElement>('data-table')?.focus();
  };

  protected override willUpdate(): void {
    const { record: _open, ...query } = route.get().query;
    const collection = collectionOf(query['collection']);
    const used = usedColumns(collection, this.search(this.resource.value ?? [], query['q'] ?? ''));
    const key = [linkTo('records', query), ...used.map((one) => one.key)].join(' ');
    if (this.columnsKey !== key) this.columns = recordColumns(collection, used);
    this.columnsKey = key;
  }

  protected override render(): TemplateResult {
    const project = chosenProject();
    const { collection: name, record = '', q = '' } = route.get().query;
    const collection = collectionOf(name);
    if (project === undefined) return html`<h1>Records</h1>${chooseProject('records')}`;
    const { value: all, errorText } = this.resource;
    const matching = this.search(all ?? [], q);
    const title = collection.title.toLowerCase();
    const count = (number: number): string => number.toLocaleString('en');
    return html`
      <div class="row">
        <h1 tabindex="-1">Records</h1>
        <span class="quiet" role="status">${all ? `${q === '' ? '' : `${count(matching.length)} of `}${count(all.length)} ${title}` : ''}</span>
      </div>
      ${renderTabs(project, collection)}
      <div class="row">
        ${searchField(`Search ${title}`, 'Id, status, address, any field')}
      </div>
      ${errorNote(errorText)}
      ${
        isTruncated(all ?? [], project, collection)
          ? html`<p class="note warn">Only the first ${count(maxRecords)} records are shown.</p>`
          : nothing
      }
      <split-view name="records" .onClose=${this.close}
        .list=${this.renderList(project, collection, matching)}
        .detail=${record === '' ? nothing : html`<record-view .project=${project} .collection=${collection} .recordId=${record} .onClose=${this.close}></record-view>`}></split-view>
    `;
  }

  private renderList(project: string, collection: Collection, matching: readonly StoredRecord[]): unknown {
    const { sort = defaultSort, record = '', q = '' } = route.get().query;
    if (!this.resource.value) return this.resource.errorText === '' ? skeleton(12) : nothing;
    if (matching.length === 0) {
      return q === '' ? renderNone(collection) : renderMissingIds(project, q, false);
    }
    return html`
      ${q === '' ? nothing : renderMissingIds(project, q, true)}
      <data-table label=${collection.title} .columns=${this.columns} .items=${matching}
        .keyOf=${(one: StoredRecord) => idOf(collection, one)} .chosen=${record} .sort=${sort}
        .onSort=${(next: string) => choose({ sort: next }, true)}
        .onOpen=${(one: StoredRecord, isMove: boolean) => choose({ record: idOf(collection, one), trail: '' }, isMove)}></data-table>
    `;
  }
}

/** Returns the path of the list to show, or undefined if none is shown. */
function listPath(): string | undefined {
  const project = chosenProject();
  return project === undefined
    ? undefined
    : projectPath(project, `/${collectionOf(route.get().query['collection']).name}`);
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
    <nav class="tabs" aria-label="Collections">
      ${collections.map(
        ({ name, title }) => html`
          <a aria-current=${name === chosen.name ? 'page' : nothing}
            href=${linkTo('records', { project, collection: name })}>${title} <span class="count">${counts?.[name].toLocaleString('en') ?? ''}</span></a>
        `,
      )}
    </nav>
  `;
}

function renderMissingIds(project: string, text: string, hasMatches: boolean): TemplateResult {
  return html`<missing-ids .project=${project} .text=${text} .hasMatches=${hasMatches}></missing-ids>`;
}

function renderNone({ title, createdBy }: Collection): TemplateResult {
  return empty(
    `No ${title.toLowerCase()} yet`,
    html`<a class="button" href=${linkTo('reference', { operation: createdBy })}>Create one with ${createdBy}</a>`,
  );
}

customElements.define('records-screen', RecordsScreen);
