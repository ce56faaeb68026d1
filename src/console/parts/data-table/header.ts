/** Renders the header of a table, with buttons that sort. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Column } from './column.ts';

type Order = 'ascending' | 'descending';

export function renderHeader<Item>(
  columns: readonly Column<Item>[],
  sort: string,
  onSort: ((sort: string) => void) | undefined,
): TemplateResult {
  return html`
    <div role="rowgroup" class="header">
      <div class="line" role="row" aria-rowindex="1">
        ${columns.map((column) =>
          column.sortKey === undefined || onSort === undefined
            ? html`<span role="columnheader" class=${column.align ?? nothing} title=${column.hint ?? nothing}>${column.title}</span>`
            : renderSorting(column, orderOf(column.key, sort), onSort),
        )}
      </div>
    </div>
  `;
}

function orderOf(key: string, sort: string): Order | undefined {
  if (sort === key) return 'ascending';
  return sort === `-${key}` ? 'descending' : undefined;
}

/** Each click leads to the next order: descending, ascending, the order of the list. */
function renderSorting<Item>(
  { key, title, align, hint = title }: Column<Item>,
  order: Order | undefined,
  onSort: (sort: string) => void,
): TemplateResult {
  const next = { ascending: '', descending: key, none: `-${key}` }[order ?? 'none'];
  const arrow = { ascending: ' ↑', descending: ' ↓', none: '' }[order ?? 'none'];
  return html`
    <span role="columnheader" class=${align ?? nothing} aria-sort=${order ?? nothing}>
      <button type="button" title=${hint === title ? `Sort by ${title.toLowerCase()}` : `${hint}: sort by it`} @click=${() => onSort(next)}>${title}<span aria-hidden="true">${arrow}</span></button>
    </span>
  `;
}
