/** A page of records as a table, sorted by any column. */
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { choose, linkTo, route } from '../data/route.ts';
import { type Arranged, pageSize } from './records-arrange.ts';
import { type Collection, type Column, idOf, type StoredRecord } from './records-collections.ts';

export function recordTable(collection: Collection, { shown }: Arranged, sort: string): TemplateResult {
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
  const isUp = sort === key;
  const isDown = sort === `-${key}`;
  const next = isUp ? `-${key}` : key;
  return html`
    <th scope="col" aria-sort=${isUp ? 'ascending' : isDown ? 'descending' : nothing}>
      <button type="button" @click=${() => choose({ sort: next, page: '' }, true)}>
        ${title}<span aria-hidden="true" class="quiet">${isUp ? '▲' : isDown ? '▼' : '↕'}</span>
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
  const whole = text(record);
  return html`<td class=${isLong ? 'long' : ''} title=${whole === '' ? nothing : whole}>${whole}</td>`;
}

/** Opens a record here; the way back leads to the list as it is now. */
export function recordLink({ name }: Collection, id: string): TemplateResult {
  const { query } = route.get();
  return html`<a class="mono" data-record=${id} href=${linkTo('records', { ...query, collection: name, record: id })}>${id}</a>`;
}

/** Pages on and back. `key`: where the page stands in the address. */
export function pager(
  { fitting, page, pages }: Omit<Arranged, 'shown' | 'fitting'> & { readonly fitting: readonly unknown[] },
  key = 'page',
): TemplateResult | typeof nothing {
  if (pages <= 1) return nothing;
  const first = (page - 1) * pageSize + 1;
  const last = Math.min(fitting.length, page * pageSize);
  const number = (value: number): string => value.toLocaleString('en');
  const to = (target: number) => () => choose({ [key]: target === 1 ? '' : String(target) }, true);
  return html`
    <nav class="row" aria-label="Pages">
      <button ?disabled=${page === 1} @click=${to(1)}>First</button>
      <button ?disabled=${page === 1} @click=${to(page - 1)}>Previous</button>
      <span role="status">${number(first)} to ${number(last)} of ${number(fitting.length)}</span>
      <button ?disabled=${page === pages} @click=${to(page + 1)}>Next</button>
      <button ?disabled=${page === pages} @click=${to(pages)}>Last</button>
    </nav>
  `;
}
