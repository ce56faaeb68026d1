/** The items of the map as a table. Selecting a row shows it on the map. */
import { html, nothing, type TemplateResult } from 'lit';
import { choose, linkTo, route } from '../../data/route.ts';
import { placeText, type Row } from './kinds.ts';

/** Number of rows per page. */
const pageSize = 100;

export function mapTable(all: readonly Row[]): TemplateResult {
  const { q = '', chosen = '', page = '1' } = route.get().query;
  const search = q.toLowerCase();
  const matching = all.filter(({ kind, id, text }) => `${kind} ${id} ${text}`.toLowerCase().includes(search));
  const pages = Math.max(1, Math.ceil(matching.length / pageSize));
  const current = Math.min(pages, Math.max(1, Math.trunc(Number(page)) || 1));
  const shown = matching.slice((current - 1) * pageSize, current * pageSize);
  return html`
    <div class="row">
      <input class="grow" type="search" aria-label="Search the table" placeholder="Kind, id, status, address or time"
        .value=${q} @input=${({ target }: Event) => choose({ q: (target as HTMLInputElement).value, page: '' }, true)} />
      ${pages > 1 ? pager(current, pages) : nothing}
    </div>
    <div class="scroll map-rows" tabindex="0" role="region" aria-label="Items on the map">
      <table>
        <thead><tr><th scope="col">Item</th><th scope="col">Latitude, longitude</th><th scope="col">Details</th></tr></thead>
        <tbody>${shown.map((row) => tableRow(row, row.key === chosen))}</tbody>
      </table>
      ${shown.length === 0 ? html`<p class="empty">No matches. Change the search, or show hidden layers.</p>` : nothing}
    </div>
  `;
}

function pager(current: number, pages: number): TemplateResult {
  return html`
    <button ?disabled=${current === 1} @click=${() => choose({ page: String(current - 1) })}>Previous</button>
    <span class="quiet" role="status">Page ${current} of ${pages}</span>
    <button ?disabled=${current === pages} @click=${() => choose({ page: String(current + 1) })}>Next</button>
  `;
}

function tableRow({ key, collection, kind, id, places, text }: Row, isChosen: boolean): TemplateResult {
  const [first] = places;
  const record = linkTo('records', { collection, record: id });
  return html`
    <tr class=${isChosen ? 'chosen' : ''}>
      <td>
        <button aria-pressed=${isChosen} ?disabled=${first === undefined} @click=${() => choose({ chosen: isChosen ? '' : key, view: '' })}>
          <span class="swatch ${kind}" aria-hidden="true"></span>${kind} ${id}
        </button>
      </td>
      <td class="mono">${first === undefined ? 'no location' : placeText(first)}${places.length > 1 ? html` <span class="quiet">and ${places.length - 1} more</span>` : nothing}</td>
      <td>${text} <a href=${record} aria-label="Record of ${kind} ${id}">Record</a></td>
    </tr>
  `;
}
