/** A table whose rows open by mouse and by keyboard. On narrow screens, a row has two lines. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { firstPage } from '../filter.ts';
import { inBothZones, instant, type Kind, shortId } from '../format.ts';
import { isForList, toTarget, useKeys } from '../keys.ts';
import { choose, linkTo, route } from '../route.ts';
import { projects } from '../state.ts';

export interface Column<Row> {
  /** The name by which the sandbox sorts. */
  readonly key: string;
  readonly title: string;
  /** Classes of the cells: their width, and where they are shown if there is no room. */
  readonly look?: string;
  readonly hint?: string;
  /** Whether the sandbox does not sort by it. */
  readonly isUnsorted?: boolean;
  /** A link of class `row-link` covers its row. */
  readonly cell: (row: Row) => ComponentChildren;
}

interface TableProps<Row> {
  readonly label: string;
  readonly item: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** What the rows are: those of another path are shown from the first one on. */
  readonly path: string;
  /** Number of all rows, if not all are here. */
  readonly total?: number | undefined;
  readonly isCurrent: boolean;
  /** Whether rows that come now have just arrived. */
  readonly isLive: boolean;
  readonly list: { readonly current: HTMLDivElement | null };
}

/** Arrow keys, `j` and `k` move the active row, and Enter opens it. While a row is open, a move opens the next one. */
export function Table<Row extends { readonly id: string }>(props: TableProps<Row>) {
  const { label, item, columns, rows, path, total = rows.length, isCurrent, isLive, list } = props;
  const opened = route.value.query[item] ?? '';
  const [active, setActive] = useState(opened);
  useEffect(() => {
    if (opened !== '') setActive(opened);
  }, [opened]);
  useEffect(() => {
    list.current?.scrollTo(0, 0);
    setActive(opened);
  }, [path]);
  useEffect(() => document.getElementById(`row-${active}`)?.scrollIntoView({ block: 'nearest' }), [active, path]);
  useKeys((event) => {
    if (!list.current || !isForList(event, list.current)) return;
    const at = rows.findIndex(({ id }) => id === active);
    const row = rows[toTarget(event.key, at, rows.length) ?? -1];
    if (!row) return;
    event.preventDefault();
    if (event.key === 'Enter') choose({ [item]: row.id });
    else {
      setActive(row.id);
      if (opened === '') list.current.focus({ preventScroll: true });
      else choose({ [item]: row.id }, true);
    }
  });
  return (
    <div
      ref={list}
      class="table"
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-busy={!isCurrent}
      aria-rowcount={total + 1}
      aria-activedescendant={rows.some(({ id }) => id === active) ? `row-${active}` : undefined}
    >
      <table role="presentation">
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <Header key={column.key} column={column} />
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup" class={isLive ? 'live' : ''}>
          {rows.map((row) => {
            const { id } = row;
            const look = `${id === opened ? 'chosen' : ''} ${id === active ? 'active' : ''}`;
            return (
              <tr key={id} id={`row-${id}`} role="row" class={look} aria-selected={id === opened}>
                {columns.map(({ key, look: ofCell, cell }) => (
                  <td key={key} role="gridcell" class={ofCell}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** Each click on a title leads to the next order: descending, ascending, the newest first. */
function Header<Row>({ column: { key, title, look, hint, isUnsorted = false } }: { readonly column: Column<Row> }) {
  const { sort = '' } = route.value.query;
  const order = sort === key ? 'ascending' : sort === `-${key}` ? 'descending' : undefined;
  const next = { ascending: '', descending: key, none: `-${key}` }[order ?? 'none'];
  return (
    <th role="columnheader" class={look} aria-sort={order} title={hint}>
      {isUnsorted ? (
        title
      ) : (
        <button
          type="button"
          title={hint === undefined ? `Sort by ${title.toLowerCase()}` : `${hint}: sort by it`}
          onClick={() => choose({ sort: next, ...firstPage }, true)}
        >
          {title}
          <span aria-hidden="true">{order && (order === 'ascending' ? ' ↑' : ' ↓')}</span>
        </button>
      )}
    </th>
  );
}

/** The link of a row, which opens it beside the list and keeps the filters. */
export function RowLink(props: {
  readonly item: string;
  readonly id: string;
  readonly hint?: string;
  /** Default: the id. */
  readonly children?: ComponentChildren;
}) {
  const { item, id, hint = id, children } = props;
  const { screen, query } = route.value;
  return (
    <a class="row-link" tabIndex={-1} href={linkTo(screen, { ...query, [item]: id })} title={hint}>
      {children ?? <span class="mono">{shortId(id)}</span>}
      {children !== undefined && <span class="unseen"> {id}</span>}
    </a>
  );
}

interface PlainTableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  /** The cells by the titles of their columns. The first column names the row. */
  readonly columns: Readonly<Record<string, (row: Row, index: number) => ComponentChildren>>;
  /** Number of rows that are shown until the user asks for all. */
  readonly max?: number;
  /** What is shown below a row, if anything. */
  readonly below?: (row: Row) => ComponentChildren;
}

/** A table without a selection. It scrolls by keyboard if it is wider than the screen. */
export function PlainTable<Row>({ label, rows, columns, max = rows.length, below }: PlainTableProps<Row>) {
  const [isWhole, setIsWhole] = useState(false);
  const titles = Object.keys(columns);
  const [first, ...others] = Object.values(columns);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {titles.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, isWhole ? rows.length : max).map((row, index) => {
            const more = below?.(row);
            return (
              <>
                <tr>
                  <th scope="row">{first?.(row, index)}</th>
                  {others.map((cell, at) => (
                    <td key={titles[at + 1]}>{cell(row, index)}</td>
                  ))}
                </tr>
                {more && (
                  <tr>
                    <td colSpan={titles.length}>{more}</td>
                  </tr>
                )}
              </>
            );
          })}
        </tbody>
      </table>
      {rows.length > max && !isWhole && (
        <button type="button" class="plain" onClick={() => setIsWhole(true)}>
          Show all
        </button>
      )}
    </div>
  );
}

/** Dots in the colors of their kinds. `label` describes them; `before` and `after` count those left out. */
export function Dots(props: {
  readonly label: string;
  readonly kinds: readonly Kind[];
  readonly before?: string;
  readonly after?: string;
}) {
  const { label, kinds, before = '', after = '' } = props;
  return (
    <span class="dots" role="img" aria-label={label} title={label}>
      {before !== '' && <span class="quiet">{before}</span>}
      {kinds.map((kind, index) => (
        <span key={index} class={`dot ${kind}`} />
      ))}
      {after !== '' && <span class="quiet">{after}</span>}
    </span>
  );
}

/** The first two ids, and the number of the others, which is always visible: `JOB-1, JOB-2 +48`. */
export function RowIds({ ids, idCount }: { readonly ids: readonly string[]; readonly idCount: number }) {
  const shown = ids.slice(0, 2);
  const more = idCount - shown.length;
  if (idCount === 0) return null;
  const first = <span title={ids.join(', ')}>{shown.map(shortId).join(', ')}</span>;
  if (more === 0) return first;
  return (
    <span class="ids">
      {first}
      <span class="quiet"> +{more.toLocaleString('en')}</span>
    </span>
  );
}

/** A time on the clock of a project; of another day than today, with its date. */
export function RowTime({ at, project }: { readonly at: string; readonly project: string | undefined }) {
  const today = projects.value?.find(({ id }) => id === project)?.clock.now ?? at;
  return (
    <time class="mono quiet" dateTime={at} title={inBothZones(at)}>
      {at.slice(0, 10) === today.slice(0, 10) ? at.slice(11, 23) : instant(at).slice(5, 16)}
    </time>
  );
}
