/** A page of records as a table that can be sorted by every column. */
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { choose, linkTo, route } from '../../data/route.ts';
import { type Collection, type Column, idOf, type StoredRecord } from './collections.ts';

export function recordTable(collection: Collection, shown: readonly StoredRecord[], sort: string): TemplateResult {
  return html`
    <div class="scroll records" tabindex="0" role="region" aria-label=${collection.title}>
      <table>
        <thead><tr>${collection.columns.map((column) => heading(column, sort))}</tr></thead>
        <tbody>
          ${repeat(
            shown,
            (record) => idOf(collection, record),
            (record) => row(collection, record),
          )}
        </tbody>
      </table>
    </div>
  `;
}

function heading({ key, title }: Column, sort: string): TemplateResult {
  const isAscending = sort === key;
  const isDescending = sort === `-${key}`;
  const next = isAscending ? `-${key}` : key;
  return html`
    <th scope="col" aria-sort=${isAscending ? 'ascending' : isDescending ? 'descending' : nothing}>
      <button type="button" @click=${() => choose({ sort: next, page: '' }, true)}>
        ${title}<span aria-hidden="true" class="quiet">${isAscending ? '▲' : isDescending ? '▼' : '↕'}</span>
      </button>
    </th>
  `;
}

function row(collection: Collection, record: StoredRecord): TemplateResult {
  const [, ...others] = collection.columns;
  return html`
    <tr>
      <th scope="row" title=${idOf(collection, record)}>${recordLink(collection, idOf(collection, record))}</th>
      ${others.map((column) => cell(column, record))}
    </tr>
  `;
}

function cell({ text, isLong }: Column, record: StoredRecord): TemplateResult {
  const fullText = text(record);
  return html`<td class=${isLong ? 'long' : ''} title=${fullText === '' ? nothing : fullText}>${fullText}</td>`;
}

/** Links to a record. The link keeps the search and the page, for the way back to the list. */
export function recordLink({ name }: Collection, id: string): TemplateResult {
  const { query } = route.get();
  return html`<a class="mono" data-record=${id} href=${linkTo('records', { ...query, collection: name, record: id })}>${id}</a>`;
}
