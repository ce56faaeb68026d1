/**
 * The list of requests that a screen shows, newest first. The sandbox filters it and sends it in pages of slim rows; new
 * requests arrive by events, and enter the list once per frame.
 */
import type { ReactiveController } from 'lit';
import { type PageElement, watch } from '../element.ts';
import { connection, listen, type SandboxEvent } from './events.ts';
import { createReloader } from './reloader.ts';
import { createArrivals } from './request-list/arrivals.ts';
import { matchesRow, selectionOf } from './request-list/filter.ts';
import { createFreshKeys } from './request-list/fresh-keys.ts';
import { loadPage, type Page, withCounts } from './request-list/load-page.ts';
import { changesRows, withCallbacks, withNew, withNewest, withOlder } from './request-list/rows.ts';
import { type RequestCounts, type RequestRow, rowKey, toRow } from './request-row.ts';
import { isOf, toLoadError } from './resource.ts';
import { route } from './route.ts';
import { createStore, type Store } from './store.ts';

const pageSize = 100;
/** The counts change with each request, so they are loaded at most this often. */
const countsMs = 2000;
/** How often a list of the last minutes is loaded: requests leave it without an event. */
const agingMs = 5000;

/** The list on the page, so that the palette can pause it. */
export const shownRequests: Store<RequestList | undefined> = createStore<RequestList | undefined>(undefined);

/** The list follows the selection in the URL. */
export class RequestList implements ReactiveController {
  rows: readonly RequestRow[] = [];
  counts: RequestCounts | undefined;
  /** Whether the rows are those of the selection. Until then, those of other filters stay visible. */
  isLoaded = false;
  /** Number of requests that surely match and arrived while the list was paused; undefined if it is not paused. */
  newer: number | undefined;
  private readonly host: PageElement;
  private readonly freshKeys = createFreshKeys(() => this.host.requestUpdate());
  private error: unknown;
  private selection: string | undefined;
  private project: string | undefined;
  private cursor: string | undefined;
  /** Requests and callbacks that are not in the list yet. */
  private readonly arrivals = createArrivals(() => this.flush());
  private isLoadingMore = false;
  /** Number of started loads: only the result of the latest counts. */
  private loads = 0;
  /** Number of restarts: an older page of a list before the last one is not added. */
  private restarts = 0;
  private agingTimer: ReturnType<typeof setInterval> | undefined;
  private unsubscribe = (): void => undefined;
  private readonly newest = createReloader(() => this.loadNewest());
  private readonly counting = createReloader(() => this.loadCounts(), countsMs);

  constructor(host: PageElement) {
    this.host = host;
    host.addController(this);
    // Its errors are not shown while the page is disconnected.
    watch(host, connection);
  }

  /** Keys of the rows that have just arrived. */
  get fresh(): ReadonlySet<string> {
    return this.freshKeys.keys();
  }

  get errorText(): string {
    return toLoadError(this.error);
  }

  get hasMore(): boolean {
    return this.cursor !== undefined;
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
    if (selection === this.selection) return;
    this.selection = selection;
    if (query['project'] !== this.project) {
      this.project = query['project'];
      this.rows = [];
      this.counts = undefined;
    }
    this.newer = undefined;
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

  /** Loads older rows. */
  async loadMore(limit = 500): Promise<void> {
    const { cursor, restarts } = this;
    if (cursor === undefined || this.isLoadingMore) return;
    this.isLoadingMore = true;
    const page = await loadPage(limit, { cursor }).catch(() => undefined);
    this.isLoadingMore = false;
    if (page === undefined || restarts !== this.restarts || cursor !== this.cursor) return;
    this.rows = withOlder(this.rows, page.items);
    this.cursor = page.next;
    this.host.requestUpdate();
  }

  /** Loads all again: rows may have been deleted. */
  private restart(): void {
    this.restarts += 1;
    this.error = undefined;
    this.isLoaded = false;
    this.cursor = undefined;
    this.arrivals.take();
    this.newest.now();
  }

  /** Loads the newest rows and the counts, in place of the rows that they cover. */
  private async loadNewest(): Promise<void> {
    this.loads += 1;
    const { loads, isLoaded, rows } = this;
    const pending = isLoaded ? rows.findLastIndex(({ entries }) => entries.pending > 0) + 1 : 0;
    const limit = Math.max(pageSize, Math.min(500, pending));
    try {
      const page = await loadPage(limit, isLoaded ? undefined : withCounts);
      if (loads === this.loads) this.take(page);
    } catch (error) {
      if (loads === this.loads) this.error = error;
    }
    this.host.requestUpdate();
  }

  private take({ items, counts, next }: Page): void {
    const arrived = this.arrivals.take();
    const before = this.isLoaded ? this.rows : [];
    const known = new Set(before.map(rowKey));
    // Without a next page, older rows have left the selection.
    const rows = withNewest(next === undefined ? [] : before, items, arrived.rows);
    if (this.isLoaded) this.freshKeys.add(items.map(rowKey).filter((key) => !known.has(key)));
    // Without older rows below the page, the next page is the one after it.
    if (rows.length <= items.length + arrived.rows.length) this.cursor = next;
    this.rows = withCallbacks(rows, arrived.callbacks);
    if (counts === undefined) this.counting.soon();
    else this.counts = counts;
    this.error = undefined;
    this.isLoaded = true;
  }

  private receive(event: SandboxEvent): void {
    const { project = '', outcome = '' } = route.get().query;
    if (event.kind === 'request') this.receiveRow(toRow(event));
    if (event.kind === 'callback' && this.isOpen) this.arrivals.addCallback(event);
    const isShown = project === '' || isOf(event, project);
    if (event.kind === 'missed' || (isShown && event.kind === 'change' && event.what === 'reset')) this.restart();
    else if (isShown && this.newer === undefined && changesRows(event, this.rows, outcome !== '')) this.newest.soon();
  }

  /** Whether the list takes what arrives. If it is paused or could not be loaded, the next load has it. */
  private get isOpen(): boolean {
    return this.newer === undefined && (this.isLoaded || this.error === undefined);
  }

  private receiveRow(row: RequestRow): void {
    const isMatch = matchesRow(row, route.get().query);
    if (isMatch === false) return;
    if (this.newer !== undefined) {
      if (isMatch) this.newer += 1;
      this.host.requestUpdate();
    } else if (!isMatch) this.newest.soon();
    else if (this.isOpen) this.arrivals.addRow(row);
  }

  /** Adds what has arrived to the list. */
  private flush(): void {
    if (!this.isLoaded || this.newer !== undefined) return;
    const before = this.rows;
    const { rows, callbacks } = this.arrivals.take();
    this.rows = withCallbacks(withNew(before, rows), callbacks);
    this.freshKeys.add(rows.map(rowKey));
    if (this.rows === before) return;
    const added = Math.max(0, this.rows.length - before.length);
    if (this.counts) this.counts = { ...this.counts, total: this.counts.total + added };
    this.host.requestUpdate();
    this.counting.soon();
  }

  private async loadCounts(): Promise<void> {
    const { selection } = this;
    const page = await loadPage(1, withCounts).catch(() => undefined);
    if (page?.counts && selection === this.selection) this.counts = page.counts;
    this.host.requestUpdate();
  }
}
