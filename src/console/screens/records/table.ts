/** The columns of the tables of records. */
import { html, type TemplateResult } from 'lit';
import { linkTo, route } from '../../data/route.ts';
import type { Column as TableColumn } from '../../parts/data-table.ts';
import { type Collection, type Column, idOf, type StoredRecord } from './collections.ts';

/** Width of the table from which the time is shown, and by how much more for each further column, in pixels. */
const timeAt = 380;
const perColumn = 140;

/** Returns the columns of a collection. The first two are always shown, then those with long texts come first. */
export function recordColumns(collection: Collection): readonly TableColumn<StoredRecord>[] {
  const [, , ...others] = collection.columns;
  const byUse = [...new Set([...others.filter(isTime), ...others.filter(({ isLong }) => isLong), ...others])];
  return collection.columns.map((column, index) => ({
    key: column.key,
    title: column.title,
    width: toWidth(column, index),
    sortKey: (record) => toSortKey(column.text(record)),
    ...(index > 1 && { hideBelow: timeAt + perColumn * byUse.indexOf(column) }),
    cell:
      index === 0 ? (record) => rowLink(collection, idOf(collection, record)) : (record) => renderText(column, record),
  }));
}

function isTime({ key }: Column): boolean {
  return key === 'updatedAt';
}

/** Names of fields with a time in the zone of the sender. Rows show it in minutes. */
const zonedTimes: ReadonlySet<string> = new Set(['deliveryDate', 'scheduledDate', 'routeDate', 'eventDateTime']);

/** Length of `2026-03-02 09:30`. */
const minuteLength = 16;

function renderText({ key, text: toText }: Column, record: StoredRecord): TemplateResult {
  const text = toText(record);
  return html`<span title=${text}>${zonedTimes.has(key) ? text.slice(0, minuteLength) : text}</span>`;
}

function toWidth(column: Column, index: number): string {
  if (index === 0) return 'minmax(7rem, 1.2fr)';
  if (isTime(column)) return '136px';
  if (zonedTimes.has(column.key)) return '116px';
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
