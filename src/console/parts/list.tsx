/** A list that the sandbox filters, sorts, counts and sends in pages, with the detail of one item beside it. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { formatCount } from '../../lib/format.ts';
import type { Schemas } from '../api.ts';
import { type Filter, firstPage } from '../filter.ts';
import { useEscape } from '../keys.ts';
import { choose, linkTo, route } from '../route.ts';
import { of } from '../state.ts';
import { type Loaded, useApi } from '../use-api.ts';
import { Filters, NoMatches } from './filters.tsx';
import { ErrorNote, Icon, Skeleton } from './small.tsx';
import { type Column, Table } from './table.tsx';

export interface Page<Row, Counts> {
  readonly items: readonly Row[];
  readonly next?: string;
  readonly counts?: Counts & { readonly total: number };
  /** How many older items the sandbox has dropped, if any. */
  readonly dropped?: number;
  /** The columns, if the sandbox decides them. */
  readonly columns?: readonly Schemas['RecordColumn'][];
}

interface ListProps<Row, Counts> {
  /** Whether the list is the screen, so that its label is the title. */
  readonly hasTitle?: boolean;
  readonly label: string;
  /** What a row is, such as `request`: also the parameter of the URL that opens it. */
  readonly item: string;
  /** What the rows are called where they are counted. Default: `item`. */
  readonly noun?: string;
  /** Path of the list in the control API, with the parameters that it always has. Rows of another path are never shown. */
  readonly path: string;
  /** The project whose events may change the rows; empty for all projects. */
  readonly project: string;
  readonly columns: readonly Column<Row>[] | ((page: Page<Row, Counts>) => readonly Column<Row>[]);
  /** The order without a choice of the user. Default: the newest first. */
  readonly sort?: string;
  /** The filters, of what is loaded so far. */
  readonly filters: (page: Partial<Page<Row, Counts>>) => readonly Filter[];
  readonly placeholder: string;
  /** Shown above the rows. Made anew each time: what is kept between renders keeps the rows of its first one. */
  readonly above?: () => ComponentChildren;
  /** Shown beside the number of items. */
  readonly actions?: () => ComponentChildren;
  /** A filter under which rows leave the list as time passes. */
  readonly refreshesWith?: string;
  /** Number of items without any filter, if it is known. */
  readonly total?: number | undefined;
  /** Shown if there is nothing, also without filters. */
  readonly empty: ComponentChildren;
  readonly detail: (id: string, close: () => void) => ComponentChildren;
}

const pageSize = 200;
/** Maximum length of a search text in the control API. */
const maxTextLength = 200;
export function List<Row extends { readonly id: string }, Counts>(props: ListProps<Row, Counts>) {
  const { label, item, noun = item, project } = props;
  const { query } = route.value;
  const keys = props.filters({}).map(({ key }) => key);
  const path = toPath(props.path, keys, props.sort);
  const page = useApi<Page<Row, Counts>>(path, { reloadOn: of(project), kept: props.path });
  const [isRead, setIsRead] = useState(false);
  const opened = query[item] ?? '';
  const isHeld = isRead || opened !== '';
  const held = useHeld(page.value?.items, page.isCurrent ? path : '', isHeld);
  const list = useRef<HTMLDivElement>(null);
  const isFiltered = [...keys, 'q'].some((key) => (query[key] ?? '') !== '');
  const close = (): void => choose({ [item]: '', detail: '' });
  // Not before the list is visible: on a phone, the detail covers it.
  const wasOpen = useRef(false);
  useEffect(() => {
    if (wasOpen.current && opened === '' && document.activeElement === document.body) list.current?.focus();
    wasOpen.current = opened !== '';
  }, [opened]);
  useEscape(() => opened !== '' && close());
  useAging(props.refreshesWith, page.reload);

  const { counts } = page.value ?? {};
  const filters = props.filters(page.value ?? {});
  const about = (
    <>
      <span class="quiet" role="status" aria-live={page.loads > 1 ? 'off' : 'polite'}>
        {counts && toCount(counts.total, isFiltered ? props.total : undefined, noun)}
        {page.value?.dropped !== undefined && `; ${page.value.dropped.toLocaleString('en')} older dropped`}
      </span>
      <span class="row push">{props.actions?.()}</span>
    </>
  );
  return (
    <>
      {props.hasTitle && (
        <div class="row">
          <h1>{label}</h1>
          {about}
        </div>
      )}
      <div class="row filters">
        <Filters label={`Search ${label.toLowerCase()}`} placeholder={props.placeholder} filters={filters} />
        {!props.hasTitle && about}
      </div>
      <ErrorNote text={page.errorText} />
      {props.above?.()}
      <div class={`split ${opened === '' ? '' : 'open'}`}>
        <RowsPane {...props} path={path} page={page} held={held} list={list} setIsRead={setIsRead}>
          {isFiltered ? <NoMatches filters={filters} /> : props.empty}
        </RowsPane>
        {opened !== '' && (
          <aside class="detail" tabIndex={0} aria-label={item.charAt(0).toUpperCase() + item.slice(1)}>
            {props.detail(opened, close)}
          </aside>
        )}
      </div>
    </>
  );
}

interface RowsPaneProps<Row extends { readonly id: string }, Counts>
  extends Pick<ListProps<Row, Counts>, 'label' | 'item' | 'noun' | 'columns'> {
  readonly path: string;
  readonly page: Loaded<Page<Row, Counts>>;
  readonly held: ReturnType<typeof useHeld<Row>>;
  readonly list: { readonly current: HTMLDivElement | null };
  /** Called when the user begins or ends to read the rows: with the pointer or the focus, or scrolled down. */
  readonly setIsRead: (isRead: boolean) => void;
  /** Shown if there is no row. */
  readonly children: ComponentChildren;
}

/** The click of a tap comes after the finger has left. */
const tapMs = 300;

function RowsPane<Row extends { readonly id: string }, Counts>(props: RowsPaneProps<Row, Counts>) {
  const { label, item, noun = item, columns, path, page, held, list, setIsRead, children } = props;
  const { rows, newer, isCalm, release } = held;
  const { screen, query } = route.value;
  const { collection = '' } = query;
  const { counts, next } = page.value ?? {};
  const look = ({ currentTarget }: { readonly currentTarget: HTMLElement }): void =>
    setIsRead((list.current?.scrollTop ?? 0) > 0 || currentTarget.matches(':hover, :has(.table:focus)'));
  return (
    <div
      class="rows column"
      onPointerEnter={() => setIsRead(true)}
      onPointerLeave={({ currentTarget }) => setTimeout(look, tapMs, { currentTarget })}
      onScrollCapture={look}
      onFocusIn={look}
      onFocusOut={look}
    >
      {newer > 0 && (
        <button type="button" class="chosen small newer" onClick={release}>
          <Icon name="arrow-up" /> {formatCount(newer, `new ${noun}`)}
        </button>
      )}
      {rows && rows.length > 0 && (
        <Table
          label={label}
          item={item}
          columns={typeof columns === 'function' ? columns(page.value ?? { items: rows }) : columns}
          path={path}
          rows={rows}
          isCurrent={page.isCurrent}
          isLive={isCalm && page.loads > 1}
          total={counts?.total}
          list={list}
        />
      )}
      {rows?.length === 0 && children}
      {!rows && page.errorText === '' && <Skeleton rows={12} />}
      {!rows && page.errorText !== '' && <a href={linkTo(screen, { collection })}>Show all</a>}
      <Pages next={next} shown={rows?.length} total={counts?.total} />
    </div>
  );
}

/** How often a list loads again from which rows leave as time passes. */
const agingMs = 5000;

function useAging(filter = '', reload: () => void): void {
  const value = route.value.query[filter] ?? '';
  useEffect(() => {
    if (value === '') return;
    const timer = setInterval(reload, agingMs);
    return () => clearInterval(timer);
  }, [value]);
}

function toPath(path: string, keys: readonly string[], byDefault = ''): string {
  const { query } = route.value;
  const { q = '', sort = byDefault, cursor = '' } = query;
  const own = keys.map((key) => [key, query[key] ?? ''] as const);
  const all = [...own, ['contains', q.slice(0, maxTextLength)], ['sort', sort], ['cursor', cursor]] as const;
  const used = new URLSearchParams([...all.filter(([, value]) => value !== '').map((one) => [...one])]);
  return `${path}&order=newest&counts=true&limit=${pageSize}&${used}`;
}

function toCount(count: number, total: number | undefined, item: string): string {
  if (total === undefined) return formatCount(count, item);
  return `${count.toLocaleString('en')} of ${formatCount(Math.max(total, count), item)}`;
}

/** Rows that arrive together light up, unless they are more than these: then the page would do nothing else. */
const maxLit = 10;

/**
 * Holds the rows still: while `isHeld`, rows change in place, but none comes or goes. `newer`: how many would come.
 * `key`: what the rows are; those of another key are never held, nor those without one.
 */
function useHeld<Row extends { readonly id: string }>(
  loaded: readonly Row[] | undefined,
  key: string,
  isHeld: boolean,
) {
  const shown = useRef<{ readonly key: string; readonly rows: readonly Row[] } | undefined>(undefined);
  const [, renderAgain] = useState(0);
  const before = shown.current;
  const isSame = isHeld && key !== '' && before?.key === key && loaded !== undefined;
  const byId = new Map(loaded?.map((row) => [row.id, row]));
  const rows = isSame ? before.rows.map((row) => byId.get(row.id) ?? row) : loaded;
  shown.current = rows && { key, rows };
  const known = new Set(before?.rows.map(({ id }) => id));
  const newer = loaded?.filter(({ id }) => !known.has(id)).length ?? 0;
  const release = (): void => {
    shown.current = undefined;
    renderAgain((count) => count + 1);
  };
  return { rows, newer: isSame ? newer : 0, isCalm: newer <= maxLit, release };
}

function Pages(props: {
  readonly next: string | undefined;
  readonly shown: number | undefined;
  readonly total: number | undefined;
}) {
  const { next, shown = 0, total = 0 } = props;
  const { screen, query } = route.value;
  const page = query['cursor'] ? Math.max(1, Math.trunc(Number(query['page'])) || 1) : 1;
  if (page === 1 && next === undefined) return null;
  const first = (page - 1) * pageSize;
  return (
    <nav class="row small" aria-label="Pages">
      {page > 1 && <a href={linkTo(screen, { ...query, ...firstPage })}>First page</a>}
      <span class="quiet">
        {(first + 1).toLocaleString('en')} to {(first + shown).toLocaleString('en')} of {total.toLocaleString('en')}
      </span>
      {next !== undefined && <a href={linkTo(screen, { ...query, cursor: next, page: String(page + 1) })}>Next page</a>}
    </nav>
  );
}
