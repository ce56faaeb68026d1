/** The columns of the tables of records. */
import { html, type TemplateResult } from 'lit';
import { linkTo, route } from '../../data/route.ts';
import type { Column as TableColumn } from '../../parts/data-table.ts';
import { type Collection, type Column, idOf, type StoredRecord } from './collections.ts';

/** Width of the table from which the time is shown, and by how much more for each further column, in pixels. */
const timeAt = 380;
const perColumn = 140;

/** Returns these columns of a table. The first two are always shown, then those with long texts come first. */
export function recordColumns(
  collection: Collection,
  columns: readonly Column[],
): readonly TableColumn<StoredRecord>[] {
  const [, , ...others] = columns;
  const byUse = [...new Set([...others.filter(isUpdated), ...others.filter(({ isLong }) => isLong), ...others])];
  return columns.map((column, index) => ({
    key: column.key,
    title: column.title,
    width: toWidth(column, index),
    sortKey: (record) => toSortKey(column.text(record)),
    ...(index > 1 && { hideBelow: timeAt + perColumn * byUse.indexOf(column) }),
    cell:
      index === 0
        ? (record) => rowLink(collection, idOf(collection, record))
        : (record) => html`<span title=${column.text(record)}>${column.text(record)}</span>`,
  }));
}

function isUpdated({ key }: Column): boolean {
  return key === 'updatedAt';
}

function toWidth(column: Column, index: number): string {
  if (index === 0) return 'minmax(7rem, 1.2fr)';
  if (column.isTime) return '152px';
  if (column.key === 'status') return 'minmax(120px, 1fr)';
  if (column.key === 'driver') return 'minmax(6rem, 1.2fr)';
  if (column.key === 'routeId') return 'minmax(6rem, 1fr)';
  return column.isLong ? 'minmax(7rem, 2fr)' : 'minmax(5rem, 1fr)';
}

/** Pads numbers, so that J-2 comes before J-10. */
function toSortKey(text: string): string {
  return text.toLowerCase().replaceAll(/\d+/g, (digits) => digits.padStart(12, '0'));
}

function rowLink({ name }: Collection, id: string): TemplateResult {
  const { query } = route.get();
  return html`<a class="row-link mono" href=${linkTo('records', { ...query, collection: name, record: id, trail: '' })}>${id}</a>`;
}

/** Links to a record. The link keeps the search, for the way back to the list. */
export function recordLink({ name }: Collection, id: string): TemplateResult {
  const { query } = route.get();
  return html`<a class="mono" href=${linkTo('records', { ...query, collection: name, record: id })}>${id}</a>`;
}
