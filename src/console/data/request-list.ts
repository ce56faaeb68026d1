/**
 * The list of requests that a screen shows. The sandbox filters it, sorts it and sends it in pages of slim rows; new
 * requests arrive by events, and enter the list once per frame.
 */
import type { ReactiveController } from 'lit';
import { type PageElement, watch } from '../element.ts';
import { connection, listen, type SandboxEvent } from './events.ts';
import { createFreshKeys } from './fresh-keys.ts';
import { createReloader } from './reloader.ts';
import { createArrivals } from './request-list/arrivals.ts';
import { createCounts } from './request-list/counts.ts';
import { matchesRow, selectionOf } from './request-list/filter.ts';
import { createPageLoader, type Page, withCounts } from './request-list/load-page.ts';
import {
  changesLoaded,
  firstPageSize,
  isWhole,
  noRows,
  withArrived,
  withFirstPage,
  withNextPage,
} from './request-list/loaded-rows.ts';
import { requestSortKeys } from './request-list/sorting.ts';
import { type RequestCounts, type RequestRow, rowKey, toRow } from './request-row.ts';
import { isOf, toLoadError } from './resource.ts';
import { route } from './route.ts';
import { sortOf } from './sorting.ts';
import { createStore, type Store } from './store.ts';

/** How often a list of the last minutes is loaded: requests leave it without an event. */
const agingMs = 5000;

/** The list on the page, so that the palette can pause it. */
export const shownRequests: Store<RequestList | undefined> = createStore<RequestList | undefined>(undefined);

/**
 * The list follows the selection and the order in the URL. While all rows are loaded, the table sorts them. Otherwise the
 * sandbox does, and the rows are the first ones of the sorted list.
 */
export class RequestList implements ReactiveController {
  /** Whether the rows are those of the selection. Until then, those of other filters stay visible. */
  isLoaded = false;
  /** The order of the shown rows. */
  sort = '';
  /** Whether requests have arrived since the selection. Their numbers are not announced: there may be 100 per second. */
  isStreaming = false;
  /** Number of requests that surely match and arrived while the list was paused; undefined if it is not paused. */
  newer: number | undefined;
  private readonly host: PageElement;
  private readonly freshKeys = createFreshKeys(() => this.host.requestUpdate());
  private error: unknown;
  private selection: string | undefined;
  private project: string | undefined;
  private loaded = noRows;
  private readonly arrivals = createArrivals(() => this.flush());
  private readonly pages = createPageLoader();
  private agingTimer: ReturnType<typeof setInterval> | undefined;
  private unsubscribe = (): void => undefined;
  private readonly newest = createReloader(() => this.loadNewest());
  private readonly counting = createCounts(() => this.host.requestUpdate());

  constructor(host: PageElement) {
    this.host = host;
    host.addController(this);
    // Its errors are not shown while the page is disconnected.
    watch(host, connection);
  }

  get rows(): readonly RequestRow[] {
    return this.loaded.rows;
  }

  get fresh(): ReadonlySet<string> {
    return this.freshKeys.keys();
  }

  get counts(): RequestCounts | undefined {
    return this.counting.value;
  }

  get errorText(): string {
    return toLoadError(this.error);
  }

  hostConnected(): void {
    shownRequests.set(this);
    this.unsubscribe = listen((event) => this.receive(event));
    this.agingTimer = setInterval(() => {
      if ((route.get().query['within'] ?? '') !== '' && this.newer === undefined) this.newest.now();
    }, agingMs);
  }

  hostUpdate(): void {
    const { query } = route.get();
    const selection = selectionOf(query);
    const isSame = selection === this.selection;
    const sort = sortOf(query, requestSortKeys);
    const asked = isSame && this.isLoaded && isWhole(this.loaded) ? '' : sort;
    if (isSame && asked === this.loaded.sort) {
      if (this.isLoaded) this.sort = sort;
      return;
    }
    this.selection = selection;
    const isSameProject = query['project'] === this.project;
    this.project = query['project'];
    this.loaded = { ...(isSameProject ? this.loaded : noRows), sort: asked };
    if (!isSameProject) this.counting.clear();
    this.newer = isSame && this.newer !== undefined ? 0 : undefined;
    this.restart();
  }

  hostDisconnected(): void {
    shownRequests.set(undefined);
    this.unsubscribe();
    for (const { end } of [this.newest, this.counting]) end();
    clearInterval(this.agingTimer);
  }

  /** Stops the list, or lets it continue with what has arrived since. */
  pause(): void {
    this.newer = this.newer === undefined ? 0 : undefined;
    if (this.newer === undefined) this.newest.now();
    this.host.requestUpdate();
  }

  async loadMore(): Promise<void> {
    const { sort, next: cursor } = this.loaded;
    const page = cursor === undefined ? undefined : await this.pages.next({ sort, cursor });
    if (page === undefined || cursor !== this.loaded.next) return;
    this.loaded = withNextPage(this.loaded, page);
    this.host.requestUpdate();
  }

  /** Loads all again: rows may have been deleted. */
  private restart(): void {
    this.pages.restart();
    this.isStreaming = false;
    this.error = undefined;
    this.isLoaded = false;
    this.loaded = { ...this.loaded, next: undefined };
    this.arrivals.take();
    this.newest.now();
  }

  /** Loads the first rows and the counts, in place of the rows that they cover. */
  private async loadNewest(): Promise<void> {
    const { isLoaded, loaded } = this;
    const limit = firstPageSize(isLoaded ? loaded : noRows);
    try {
      const page = await this.pages.first(limit, { sort: loaded.sort, ...(!isLoaded && withCounts) });
      if (page) this.take(page);
    } catch (error) {
      this.error = error;
    }
    this.host.requestUpdate();
  }

  private take(page: Page): void {
    const before = this.isLoaded ? this.loaded : { ...this.loaded, rows: [] };
    const known = new Set(before.rows.map(rowKey));
    this.loaded = withFirstPage(before, page, this.arrivals.take());
    if (this.isLoaded) this.freshKeys.add(page.items.map(rowKey).filter((key) => !known.has(key)));
    this.counting.set(page.counts);
    this.error = undefined;
    this.isLoaded = true;
    this.sort = sortOf(route.get().query, requestSortKeys);
  }

  private receive(event: SandboxEvent): void {
    const { query } = route.get();
    if (event.kind === 'request') this.receiveRow(toRow(event));
    if (event.kind === 'callback' && this.isOpen) this.arrivals.addCallback(event);
    const isShown = (query['project'] ?? '') === '' || isOf(event, query['project']);
    if (event.kind === 'missed' || (isShown && event.kind === 'change' && event.what === 'reset')) this.restart();
    else if (isShown && this.newer === undefined && changesLoaded(event, this.loaded, query)) this.newest.soon();
  }

  /** Whether the list takes what arrives. If it is paused or could not be loaded, the next load has it. */
  private get isOpen(): boolean {
    return this.newer === undefined && (this.isLoaded || this.error === undefined);
  }

  private receiveRow(row: RequestRow): void {
    const isMatch = matchesRow(row, route.get().query);
    if (isMatch === false) return;
    this.isStreaming = true;
    if (this.newer !== undefined) {
      if (isMatch) this.newer += 1;
      this.host.requestUpdate();
    } else if (!isMatch) this.newest.soon();
    else if (this.isOpen) this.arrivals.addRow(row);
  }

  private flush(): void {
    if (!this.isLoaded || this.newer !== undefined) return;
    const before = this.rows;
    const arrived = this.arrivals.take();
    this.loaded = withArrived(this.loaded, arrived);
    const shown = new Set(this.rows);
    this.freshKeys.add(arrived.rows.filter((row) => shown.has(row)).map(rowKey));
    if (this.rows === before && arrived.rows.length === 0) return;
    this.counting.add(Math.max(0, this.rows.length - before.length));
    this.host.requestUpdate();
  }
}
