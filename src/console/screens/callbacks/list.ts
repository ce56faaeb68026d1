/** The callbacks of a project, or of its inbox, as a table with the detail of one beside it. */
import { html, nothing, type TemplateResult } from 'lit';
import { type CallbackRow, CallbackRows, isFiltered } from '../../data/callback-rows.ts';
import { choose, linkTo, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { closeOnEscape } from '../../parts/close-on-escape.ts';
import { openRow, renderComparison, rowLink } from '../../parts/compare-with.ts';
import { counted } from '../../parts/counted.ts';
import '../../parts/data-table.ts';
import type { Column } from '../../parts/data-table.ts';
import { empty } from '../../parts/empty.ts';
import '../../parts/filter-bar.ts';
import { errorNote } from '../../parts/notices.ts';
import { searchField } from '../../parts/search-field.ts';
import { skeleton } from '../../parts/skeleton.ts';
import '../../parts/split-view.ts';
import './callback.ts';
import { callbackColumns } from './columns.ts';
import { callbackFilters, presets } from './filters.ts';

const keyOf = ({ id }: CallbackRow): string => id;

class CallbackListView extends PageElement {
  static override properties = { project: { attribute: false }, isInbox: { attribute: false } };
  declare project: string;
  declare isInbox: boolean;
  private columns: readonly Column<CallbackRow>[] = [];
  private columnsHash = '';
  private readonly list = new CallbackRows(
    this,
    () => this.project,
    () => (this.isInbox ? 'inbox' : ''),
  );

  constructor() {
    super();
    watch(this, route);
    closeOnEscape(this, this.closeTop);
  }

  /** Escape closes the request over this screen first. */
  private readonly closeTop = (): void => {
    const { compare = '', callback = '', request = '' } = route.get().query;
    if (request !== '') return;
    if (compare !== '') choose({ compare: '' });
    else if (callback !== '') this.close();
  };

  private readonly close = (): void => {
    choose({ callback: '', detail: '' });
    this.querySelector<HTMLElement>('data-table')?.focus();
  };

  protected override willUpdate(): void {
    const hash = rowLink('callback', '');
    if (this.columnsHash !== hash) this.columns = callbackColumns();
    this.columnsHash = hash;
  }

  protected override render(): TemplateResult {
    const { query } = route.get();
    const { callback = '' } = query;
    return html`
      <div class="row filters">
        ${searchField('Search callbacks', 'Entry, reason, request, operation or id')}
        <filter-bar name="callbacks" .filters=${callbackFilters(this.list.counts, this.isInbox)} .others=${['q', 'sort']} .presets=${this.isInbox ? [] : presets}></filter-bar>
        <span class="quiet push" role="status" aria-live=${this.list.isStreaming ? 'off' : 'polite'}>${this.renderCount()}</span>
      </div>
      ${errorNote(this.list.errorText)}
      ${renderComparison('callback')}
      <split-view name="callbacks" .list=${this.renderList(query)} .onClose=${this.close}
        .detail=${callback === '' ? nothing : this.renderDetail(callback)}></split-view>
    `;
  }

  private renderCount(): string {
    const { counts } = this.list;
    return counts === undefined ? '' : counted(counts.total, 'callback');
  }

  private renderDetail(id: string): TemplateResult {
    const coversList = matchMedia('(max-width: 900px)').matches;
    return html`
      <aside class="callback-pane" aria-label="Callback" tabindex="0">
        <callback-view .project=${this.project} .callbackId=${id} .takesFocus=${coversList} .onClose=${this.close}></callback-view>
      </aside>
    `;
  }

  private renderList(query: Readonly<Record<string, string>>): unknown {
    const { rows, isLoaded, counts, errorText } = this.list;
    if (!isLoaded && rows.length === 0) return errorText === '' ? skeleton(12) : nothing;
    if (rows.length === 0) return this.renderEmpty(query);
    return html`
      <data-table label="Callbacks" aria-busy=${!isLoaded} .columns=${this.columns} .items=${rows} 
        .keyOf=${keyOf} .fresh=${this.list.fresh}
        .chosen=${query['callback'] ?? ''} .total=${counts?.total} .sort=${this.list.sort}
        .onSort=${(sort: string) => choose({ sort }, true)} .onOpen=${({ id }: CallbackRow, isMove: boolean) => openRow('callback', id, isMove)} .onEnd=${() => this.list.loadMore()}></data-table>
    `;
  }

  private renderEmpty(query: Readonly<Record<string, string>>): TemplateResult {
    if (isFiltered(query)) {
      const clear = (): void => choose({ state: '', type: '', operation: '', entity: '', requestId: '', q: '' });
      return empty('No matches', html`<button @click=${clear}>Clear filters</button>`);
    }
    if (this.isInbox) {
      return empty(
        'The inbox is empty',
        html`<p>Callbacks are stored here while the <a href=${linkTo('callbacks', { project: this.project, view: 'endpoint' })}>endpoint</a> has no URL or is disabled.</p>`,
      );
    }
    return empty(
      'No callbacks yet',
      html`<div class="column">
        <p>The sandbox sends one when an accepted entry fails, such as the job <code>FAIL-GEOCODE-1</code>.</p>
        <a class="button" href=${linkTo('reference', { project: this.project, operation: 'asyncImportJobs' })}>Import a job in the API reference</a>
      </div>`,
    );
  }
}

customElements.define('callback-list', CallbackListView);
