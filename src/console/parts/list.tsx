/** A list that the sandbox filters, sorts, counts and sends in pages, with the detail of one item beside it. */
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { formatCount } from '../../lib/format.ts';
import type { SandboxEvent } from '../events.ts';
import { type Filter, firstPage } from '../filter.ts';
import { useEscape } from '../keys.ts';
import { choose, linkTo, route } from '../route.ts';
import { useApi } from '../use-api.ts';
import { Filters } from './filters.tsx';
import { Empty, ErrorNote, Icon, Skeleton } from './small.tsx';
import { type Column, Table } from './table.tsx';

export interface Page<Row, Counts> {
  readonly items: readonly Row[];
  readonly next?: string;
  readonly counts?: Counts & { readonly total: number };
}

interface ListProps<Row, Counts> {
  readonly label: string;
  /** What a row is, such as `request`: also the parameter of the URL that opens it. */
  readonly item: string;
  /** Path of the list in the control API, with the parameters that it always has. */
  readonly path: string;
  /** Rows of another scope are never shown, also not until its own are loaded. */
  readonly scope: string;
  readonly columns: readonly Column<Row>[];
  readonly filters: (counts: Counts | undefined) => readonly Filter[];
  readonly placeholder: string;
  readonly reloadOn: (event: SandboxEvent) => boolean;
  /** Shown beside the number of items. */
  readonly actions?: ComponentChildren;
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
  const { label, item, scope, filters, placeholder, reloadOn, empty, detail } = props;
  const { query } = route.value;
  const keys = filters(undefined).map(({ key }) => key);
  const path = toPath(props.path, keys);
  const page = useApi<Page<Row, Counts>>(path, { reloadOn, kept: scope });
  const [isPaused, setIsPaused] = useState(false);
  const [isOver, setIsOver] = useState(false);
  const opened = query[item] ?? '';
  const held = useHeld(page.value?.items, page.isCurrent ? path : '', isPaused || isOver || opened !== '');
  const list = useRef<HTMLDivElement>(null);
  const isFiltered = [...keys, 'q'].some((key) => (query[key] ?? '') !== '');
  const close = (): void => {
    choose({ [item]: '', detail: '' });
    list.current?.focus();
  };
  useEscape(() => opened !== '' && close());

  const { counts, next } = page.value ?? {};
  const { rows } = held;
  return (
    <>
      <div class="row filters">
        <Filters label={`Search ${label.toLowerCase()}`} placeholder={placeholder} filters={filters(counts)} />
        <span class="push" />
        <NewRows count={held.newer} item={item} release={held.release} />
        <span class="quiet" role="status" aria-live={page.loads > 1 ? 'off' : 'polite'}>
          {counts && toCount(counts.total, isFiltered ? props.total : undefined, item)}
        </span>
        {props.actions}
        <Pause isPaused={isPaused} toggle={() => setIsPaused(!isPaused)} />
      </div>
      <ErrorNote text={page.errorText} />
      <div class={`split ${opened === '' ? '' : 'open'}`}>
        <div
          class="rows"
          onPointerEnter={({ pointerType }) => setIsOver(pointerType === 'mouse')}
          onPointerLeave={() => setIsOver(false)}
        >
          {rows && rows.length > 0 && (
            <Table
              {...props}
              key={path}
              rows={rows}
              isCurrent={page.isCurrent}
              isLive={page.loads > 1}
              total={counts?.total}
              list={list}
            />
          )}
          {rows?.length === 0 && (isFiltered ? <NoMatches keys={keys} /> : empty)}
          {!rows && page.errorText === '' && <Skeleton rows={12} />}
          <Pages next={next} shown={rows?.length} total={counts?.total} />
        </div>
        {opened !== '' && (
          <aside class="detail" aria-label={item.charAt(0).toUpperCase() + item.slice(1)}>
            <button type="button" class="back plain" onClick={close}>
              <Icon name="chevrons-left" /> Back
            </button>
            {detail(opened, close)}
          </aside>
        )}
      </div>
    </>
  );
}

function NewRows(props: { readonly count: number; readonly item: string; readonly release: () => void }) {
  const { count, item, release } = props;
  if (count === 0) return null;
  return (
    <button type="button" class="pill" onClick={release}>
      <Icon name="arrow-up" /> {formatCount(count, `new ${item}`)}
    </button>
  );
}

function Pause({ isPaused, toggle }: { readonly isPaused: boolean; readonly toggle: () => void }) {
  const title = isPaused ? 'Resume' : 'Pause';
  return (
    <button type="button" class="compact" title={title} aria-pressed={isPaused} onClick={toggle}>
      <Icon name={isPaused ? 'play' : 'pause'} /> {title}
    </button>
  );
}

function toPath(path: string, keys: readonly string[]): string {
  const { query } = route.value;
  const { q = '', sort = '', cursor = '' } = query;
  const own = keys.map((key) => [key, query[key] ?? ''] as const);
  const all = [...own, ['contains', q.slice(0, maxTextLength)], ['sort', sort], ['cursor', cursor]] as const;
  const used = new URLSearchParams([...all.filter(([, value]) => value !== '').map((one) => [...one])]);
  return `${path}&order=newest&counts=true&limit=${pageSize}&${used}`;
}

function toCount(count: number, total: number | undefined, item: string): string {
  if (total === undefined) return formatCount(count, item);
  return `${count.toLocaleString('en')} of ${formatCount(Math.max(total, count), item)}`;
}

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
  const byId = new Map((loaded ?? []).map((row) => [row.id, row]));
  const rows = isSame ? before.rows.map((row) => byId.get(row.id) ?? row) : loaded;
  shown.current = rows && { key, rows };
  const known = new Set(rows?.map(({ id }) => id));
  const release = (): void => {
    shown.current = undefined;
    renderAgain((count) => count + 1);
  };
  return { rows, newer: loaded?.filter(({ id }) => !known.has(id)).length ?? 0, release };
}

function NoMatches({ keys }: { readonly keys: readonly string[] }) {
  const cleared = Object.fromEntries([...keys, 'q'].map((key) => [key, '']));
  return (
    <Empty line="No matches">
      <button type="button" onClick={() => choose({ ...cleared, ...firstPage })}>
        Clear filters
      </button>
    </Empty>
  );
}

function Pages(props: {
  readonly next: string | undefined;
  readonly shown: number | undefined;
  readonly total: number | undefined;
}) {
  const { next, shown = 0, total = 0 } = props;
  const { screen, query } = route.value;
  const page = Math.max(1, Math.trunc(Number(query['page'])) || 1);
  if (page === 1 && next === undefined) return null;
  const first = (page - 1) * pageSize;
  return (
    <nav class="row pages" aria-label="Pages">
      {page > 1 && <a href={linkTo(screen, { ...query, ...firstPage })}>First page</a>}
      <span class="quiet">
        {(first + 1).toLocaleString('en')} to {(first + shown).toLocaleString('en')} of {total.toLocaleString('en')}
      </span>
      {next !== undefined && <a href={linkTo(screen, { ...query, cursor: next, page: String(page + 1) })}>Next page</a>}
    </nav>
  );
}
