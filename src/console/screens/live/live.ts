/** The screen Requests: requests as they arrive, and the detail of one beside them. */
import { html, nothing, type TemplateResult } from 'lit';
import { base, projectPath } from '../../data/client.ts';
import { isFiltered } from '../../data/request-list/filter.ts';
import { RequestList } from '../../data/request-list.ts';
import { type RequestRow, rowKey } from '../../data/request-row.ts';
import { requestTotal } from '../../data/request-total.ts';
import { choose, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { closeOnEscape } from '../../parts/close-on-escape.ts';
import { openRow, renderComparison, rowLink } from '../../parts/compare-with.ts';
import { counted } from '../../parts/counted.ts';
import '../../parts/data-table.ts';
import type { Column } from '../../parts/data-table.ts';
import { empty } from '../../parts/empty.ts';
import '../../parts/filter-bar.ts';
import { icon } from '../../parts/icon.ts';
import { errorNote } from '../../parts/notices.ts';
import '../../parts/request-detail/request-detail.ts';
import { searchField } from '../../parts/search-field.ts';
import { skeleton } from '../../parts/skeleton.ts';
import '../../parts/split-view.ts';
import { requestColumns } from './columns.ts';
import { fromShow, requestFilters, views } from './filters.ts';
import './first-request.ts';
import './live.css';

class LiveScreen extends PageElement {
  private readonly list = new RequestList(this);
  /** The columns, and the URL that their links keep. */
  private columns: readonly Column<RequestRow>[] = [];
  private columnsHash = '';

  constructor() {
    super();
    watch(this, route, requestTotal);
    closeOnEscape(this, this.closeTop);
  }

  private readonly closeTop = (): void => {
    const { compare = '', request = '' } = route.get().query;
    if (compare !== '') choose({ compare: '' });
    else if (request !== '') this.close();
  };

  private readonly close = (): void => {
    choose({ request: '', detail: '' });
    this.querySelector<HTMLElement>('data-table')?.focus();
  };

  protected override willUpdate(): void {
    const { query } = route.get();
    const { show = '', project = '' } = query;
    if (show !== '' && this.list.isLoaded && this.list.counts) choose(fromShow(show, this.list.counts), true);
    const hash = rowLink('request', '');
    if (this.columnsHash !== hash) this.columns = requestColumns(project !== '');
    this.columnsHash = hash;
  }

  protected override render(): TemplateResult {
    const { project = '', request = '' } = route.get().query;
    const isPaused = this.list.newer !== undefined;
    return html`
      <div class="row">
        <h1>Requests</h1>
        <span class="quiet" role="status" aria-live=${this.list.isStreaming ? 'off' : 'polite'}>${this.renderCount()}</span>
        ${project === '' ? nothing : html`<a class="button compact push" title="Download HAR" href=${`${base}${projectPath(project)}/requests?format=har`} download=${`${project}.har`}>${icon('download')} Download HAR</a>`}
        <button class="compact ${project === '' ? 'push' : ''}" title=${isPaused ? 'Resume' : 'Pause'} aria-pressed=${isPaused} @click=${() => this.list.pause()}>${icon(isPaused ? 'play' : 'pause')} ${isPaused ? 'Resume' : 'Pause'}</button>
      </div>
      <div class="row filters">
        ${searchField('Search requests', 'Id, path or text in a body')}
        <filter-bar name="requests" .filters=${requestFilters(this.list.counts)} .others=${['q', 'sort']} .presets=${views}></filter-bar>
      </div>
      ${errorNote(this.list.errorText)}${renderComparison('request')}
      <split-view name="requests" .list=${this.renderList()} .onClose=${this.close}
        .detail=${request === '' ? nothing : this.renderDetail(request)}></split-view>
    `;
  }

  /** The number of all requests is the one in the navigation, so that both agree. */
  private renderCount(): string {
    const { counts, newer } = this.list;
    if (counts === undefined) return '';
    const { query } = route.get();
    const { project = '' } = query;
    const pausedText = newer === undefined ? '' : `; paused, ${newer} new`;
    if (!isFiltered(query)) return `${counted(counts.total, 'request')}${pausedText}`;
    const known = requestTotal.get();
    const all = Math.max(counts.total, known?.project === project ? known.count : 0);
    return `${counts.total.toLocaleString('en')} of ${counted(all, 'request')}${pausedText}`;
  }

  private renderDetail(id: string): TemplateResult {
    const coversList = matchMedia('(max-width: 900px)').matches;
    return html`
      <aside class="request-pane" aria-label="Request" tabindex="0">
        <request-detail request-id=${id} ?takes-focus=${coversList} .onClose=${this.close}></request-detail>
      </aside>
    `;
  }

  private renderList(): unknown {
    const { rows, isLoaded, counts, fresh } = this.list;
    const { query } = route.get();
    if (rows.length === 0) return this.renderNoRows();
    const opened = rows.find(({ id }) => id === query['request']);
    return html`
      <data-table label="Requests" aria-busy=${!isLoaded} .columns=${this.columns} .items=${rows} .keyOf=${rowKey} .fresh=${fresh}
        .chosen=${opened ? rowKey(opened) : ''} .total=${counts?.total} .sort=${this.list.sort}
        .onSort=${(sort: string) => choose({ sort }, true)} .onOpen=${({ id }: RequestRow, isMove: boolean) => openRow('request', id, isMove)} .onEnd=${() => void this.list.loadMore()}></data-table>
    `;
  }

  private renderNoRows(): unknown {
    const { query } = route.get();
    if (!this.list.isLoaded) return this.list.errorText === '' ? skeleton(12) : nothing;
    const isOfNone = this.list.counts?.total === 0;
    if (!isFiltered(query)) return isOfNone ? html`<first-request></first-request>` : nothing;
    const clear = (): void =>
      choose(Object.fromEntries(Object.keys(query).map((key) => [key, key === 'project' ? (query[key] ?? '') : ''])));
    return empty('No matches', html`<button @click=${clear}>Clear filters</button>`);
  }
}

customElements.define('live-screen', LiveScreen);
