/** The callbacks that a list shows: the sandbox filters them, sorts them and sends them in pages of slim rows. */
import type { ReactiveController } from 'lit';
import { type PageElement, watch } from '../element.ts';
import { callApi, projectPath, type Schemas } from './client.ts';
import { connection, listen, type SandboxEvent } from './events.ts';
import { createFreshKeys } from './fresh-keys.ts';
import { createReloader } from './reloader.ts';
import { isOf, toLoadError } from './resource.ts';
import { route } from './route.ts';
import { type SortKeys, sortOf } from './sorting.ts';

export type CallbackRow = Schemas['CallbackRow'];
export type RowAttempt = CallbackRow['attempts'][number];

/** The values by which the list is sorted: the same as those of the sandbox. */
export const callbackSortKeys = {
  at: ({ at }) => at,
  type: ({ type }) => type,
  state: ({ state }) => state,
  attempts: ({ attemptCount }) => attemptCount,
  status: ({ attempts }) => attempts.at(-1)?.status ?? 0,
  latency: ({ attempts }) => attempts.at(-1)?.durationMs ?? -1,
  operation: ({ operation }) => operation,
} satisfies SortKeys<CallbackRow>;

/** Parameters of the URL that filter the list, and their names in the control API. */
const filterNames: readonly (readonly [parameter: string, name: string])[] = [
  ['state', 'state'],
  ['type', 'type'],
  ['operation', 'operation'],
  ['entity', 'entity'],
  ['requestId', 'requestId'],
  ['q', 'contains'],
];

const pageSize = 200;
const maxPageSize = 1000;
/** Maximum length of a search text in the control API. */
const maxTextLength = 200;

/** Whether the URL filters the list. The state does not count in the inbox, which has only one. */
export function isFiltered(query: Readonly<Record<string, string>>): boolean {
  return filterNames.some(([parameter]) => (query[parameter] ?? '') !== '');
}

export class CallbackRows implements ReactiveController {
  rows: readonly CallbackRow[] = [];
  counts: Schemas['CallbackCounts'] | undefined;
  /** Whether the rows are those of the selection. Until then, those of other filters stay visible. */
  isLoaded = false;
  hasMore = false;
  /** Whether callbacks have arrived or changed since the selection. Their numbers are not announced. */
  isStreaming = false;
  /** The order of the shown rows. */
  sort = '';
  private readonly host: PageElement;
  private readonly freshKeys = createFreshKeys(() => this.host.requestUpdate());
  private readonly project: () => string;
  /** The state that all rows have, or an empty text. */
  private readonly state: () => string;
  private error: unknown;
  private selection: string | undefined;
  private shownProject: string | undefined;
  /** The order in which the sandbox sends the rows; an empty text for the newest first. */
  private asked = '';
  private wanted = pageSize;
  /** Number of started loads: only the result of the latest counts. */
  private loads = 0;
  private unsubscribe = (): void => undefined;
  private readonly reloader = createReloader(() => this.load());

  constructor(host: PageElement, project: () => string, state: () => string) {
    this.host = host;
    this.project = project;
    this.state = state;
    host.addController(this);
    // Its errors are not shown while the page is disconnected.
    watch(host, connection);
  }

  /** Ids of the rows that have just arrived. */
  get fresh(): ReadonlySet<string> {
    return this.freshKeys.keys();
  }

  get errorText(): string {
    return toLoadError(this.error);
  }

  hostConnected(): void {
    this.unsubscribe = listen((event) => {
      if (!this.mayChange(event)) return;
      this.isStreaming = true;
      this.reloader.soon();
    });
  }

  hostUpdate(): void {
    const selection = this.toPath({});
    const isSame = selection === this.selection;
    const sort = sortOf(route.get().query, callbackSortKeys);
    // While all rows are loaded, the newest first, the table sorts them.
    const asked = isSame && this.isLoaded && !this.hasMore && this.asked === '' ? '' : sort;
    if (isSame && asked === this.asked) {
      if (this.isLoaded) this.sort = sort;
      return;
    }
    this.selection = selection;
    this.asked = asked;
    if (this.project() !== this.shownProject) {
      this.shownProject = this.project();
      this.rows = [];
      this.counts = undefined;
    }
    this.error = undefined;
    this.isLoaded = false;
    this.wanted = pageSize;
    this.isStreaming = false;
    this.reloader.now();
  }

  hostDisconnected(): void {
    this.unsubscribe();
    this.reloader.end();
  }

  /** Loads further rows. */
  loadMore(): void {
    const upTo = this.rows.length + pageSize;
    if (!this.hasMore || this.wanted >= upTo) return;
    this.wanted = upTo;
    this.reloader.now();
  }

  private mayChange(event: SandboxEvent): boolean {
    if (event.kind === 'missed') return true;
    if (!isOf(event, this.project())) return false;
    return event.kind === 'callback' || (event.kind === 'change' && ['reset', 'snapshot'].includes(event.what));
  }

  private toPath(more: Readonly<Record<string, string>>): string {
    const { query } = route.get();
    const { q = '' } = query;
    const filters = filterNames.map(([parameter, name]) => [name, query[parameter] ?? ''] as const);
    const ofAll = { contains: q.slice(0, maxTextLength), ...(this.state() !== '' && { state: this.state() }) };
    const all = { ...Object.fromEntries(filters), ...ofAll, ...more };
    const used = Object.entries(all).filter(([, value]) => value !== '');
    return projectPath(this.project(), `/callbacks?view=rows&order=newest&${new URLSearchParams(used)}`);
  }

  /** Marks new rows above the last one that was there before: those below it are only loaded later. */
  private markNew(rows: readonly CallbackRow[]): void {
    const known = new Set(this.rows.map(({ id }) => id));
    const end = rows.findLastIndex(({ id }) => known.has(id));
    const above = end < 0 ? rows : rows.slice(0, end);
    this.freshKeys.add(above.map(({ id }) => id).filter((id) => !known.has(id)));
  }

  private async load(): Promise<void> {
    this.loads += 1;
    const { loads, asked } = this;
    try {
      const rows: CallbackRow[] = [];
      let counts: Schemas['CallbackCounts'] | undefined;
      let cursor: string | undefined;
      do {
        const limit = String(Math.min(maxPageSize, this.wanted - rows.length));
        const paging: Readonly<Record<string, string>> = cursor === undefined ? { counts: 'true' } : { cursor };
        const path = this.toPath({ limit, sort: asked, ...paging });
        const page = await callApi<Schemas['CallbackRowPage']>('GET', path);
        rows.push(...page.items);
        counts ??= page.counts;
        cursor = page.next;
      } while (cursor !== undefined && rows.length < this.wanted && loads === this.loads);
      if (loads !== this.loads) return;
      if (this.isLoaded) this.markNew(rows);
      this.rows = rows;
      this.counts = counts;
      this.hasMore = cursor !== undefined;
      this.error = undefined;
      this.isLoaded = true;
      this.sort = sortOf(route.get().query, callbackSortKeys);
    } catch (error) {
      if (loads === this.loads) this.error = error;
    }
    this.host.requestUpdate();
  }
}
