/** The items of the map as a table. Selecting a row shows it on the map. */
import { html, nothing, type TemplateResult } from 'lit';
import { choose, linkTo, route } from '../../data/route.ts';
import { paged } from '../../parts/pager.ts';
import { searchField } from '../../parts/search-field.ts';
import { table } from '../../parts/table.ts';
import { placeText, type Row } from './kinds.ts';

/** Number of rows per page. */
const pageSize = 100;

export function mapTable(all: readonly Row[]): TemplateResult {
  const { q = '', chosen = '' } = route.get().query;
  const search = q.toLowerCase();
  const matching = all.filter(({ kind, id, text }) => `${kind} ${id} ${text}`.toLowerCase().includes(search));
  const { shown, pager } = paged(matching, pageSize);
  return html`
    <div class="row">
      ${searchField('Search the table', 'Kind, id, status, address or time')}
      ${pager}
    </div>
    ${table(
      'Items on the map',
      ['Item', 'Latitude, longitude', 'Details'],
      shown.map((row) => tableRow(row, row.key === chosen)),
      'map-rows',
    )}
    ${shown.length === 0 ? html`<p class="empty">No matches. Change the search, or show hidden layers.</p>` : nothing}
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
