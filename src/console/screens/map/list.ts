/** The items of the map as a compact list: drivers, routes with their stops, and other jobs. */
import { html, nothing, type TemplateResult } from 'lit';
import { choose, linkTo, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { searchField } from '../../parts/search-field.ts';
import { instant } from '../../parts/times.ts';
import { toTime } from '../records/collections.ts';
import { placeText } from './degrees.ts';
import type { MapItem } from './items.ts';
import './list.css';
import { swatch } from './swatch.ts';
import { whereabouts } from './whereabouts.ts';

/** Maximum number of rows. More rows would make the page slow, and a search finds the others. */
const maxRows = 500;

const titles = { device: 'Drivers', route: 'Routes', job: 'Other jobs' } as const;

/** `<map-list .items=… .time=…>`: `time` is undefined for the latest locations. */
class MapList extends PageElement {
  static override properties = { items: { attribute: false }, time: { attribute: false } };
  declare items: readonly MapItem[];
  declare time: number | undefined;

  constructor() {
    super();
    this.items = [];
    watch(this, route);
  }

  protected override render(): TemplateResult {
    const { q = '', chosen = '' } = route.get().query;
    const search = q.toLowerCase();
    const matching = search === '' ? this.items : this.items.filter((item) => textOf(item).includes(search));
    const shown = matching.slice(0, maxRows);
    const selected = this.items.find(({ key }) => key === chosen);
    // The row that Tab reaches. Arrow keys move from there.
    const entry = shown.some(({ key }) => key === chosen) ? chosen : shown[0]?.key;
    return html`
      ${searchField('Search the list', 'Name, id, status or address')}
      <div class="map-rows" role="region" aria-label="Items on the map" @keydown=${this.move}>
        ${toSections(shown).map(
          ({ title, items }) => html`
            <h2>${title} <span class="count">${items.filter(({ kind }) => title !== titles.route || kind === 'route').length}</span></h2>
            <ul>${items.map((item) => this.renderRow(item, item.key === chosen, item.key === entry))}</ul>
          `,
        )}
        ${shown.length === 0 ? html`<p class="empty">No matches. Change the search, or show hidden layers.</p>` : nothing}
        ${matching.length > maxRows ? html`<p class="quiet">The first ${maxRows} of ${matching.length.toLocaleString('en')} items. Search to find the others.</p>` : nothing}
      </div>
      ${selected ? this.renderSelected(selected) : nothing}
    `;
  }

  private renderRow(item: MapItem, isChosen: boolean, isEntry: boolean): TemplateResult {
    const { kind, title, key, places, stop } = item;
    const isStop = kind === 'job' && stop !== undefined;
    return html`
      <li class=${isStop ? 'stop' : kind}>
        <button class="map-row ${isChosen ? 'chosen' : ''}" aria-pressed=${isChosen} tabindex=${isEntry ? 0 : -1} ?disabled=${places.length === 0}
          @click=${() => choose({ chosen: isChosen ? '' : key, view: '' })}>
          ${swatch(item)}
          ${kind === 'device' ? html`<span class="unseen">driver</span>` : nothing}
          <span class="title ${title === item.id ? 'mono' : ''}">${title}</span>
          <span class="detail">${kind === 'device' ? whereabouts(item, this.time).place : item.detail}</span>
        </button>
      </li>
    `;
  }

  private renderSelected(item: MapItem): TemplateResult {
    const { kind, id, title, collection, places, facts } = item;
    const [place] = places;
    const { place: driverPlace, at } = whereabouts(item, this.time);
    const where = kind === 'device' ? driverPlace : place ? placeText(place) : 'none';
    const fact = (name: string, value: string): TemplateResult => html`<dt>${name}</dt><dd>${value}</dd>`;
    return html`
      <section class="card map-selected" aria-label="Selected item">
        <div class="row"><h2 class=${title === id ? 'mono' : ''}>${swatch(item)} ${title}</h2>
          <a class="push" href=${linkTo('records', { collection, record: id })} aria-label="Record of ${kind} ${id}">Record</a></div>
        <dl class="facts">
          ${facts.map(([name, value]) => {
            if (name !== 'Last location') return fact(name, value);
            return at === undefined ? fact(name, `${toTime(value)} UTC`) : fact('At', `${instant(at)} UTC`);
          })}
          ${kind === 'route' ? nothing : html`<dt>Latitude, longitude</dt><dd class="mono">${where}</dd>`}
        </dl>
      </section>
    `;
  }

  private move(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 }[event.key];
    if (step === undefined) return;
    const rows = [...this.querySelectorAll<HTMLButtonElement>('.map-rows li button:not(:disabled)')];
    const next = rows[rows.findIndex((row) => row.matches(':focus')) + step];
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
  }
}

function textOf({ kind, id, title, facts }: MapItem): string {
  return `${kind} ${id} ${title} ${facts.map(([, value]) => value).join(' ')}`.toLowerCase();
}

interface Section {
  readonly title: string;
  readonly items: readonly MapItem[];
}

function toSections(items: readonly MapItem[]): readonly Section[] {
  const titleOf = ({ kind, stop }: MapItem): string => (stop === undefined ? titles[kind] : titles.route);
  return [...Map.groupBy(items, titleOf)].map(([title, group]) => ({ title, items: group }));
}

customElements.define('map-list', MapList);
