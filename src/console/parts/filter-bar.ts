/** Filters of a list as removable tokens, a menu to add them, and saved views. The URL holds the state. */
import { html, nothing, type TemplateResult } from 'lit';
import { choose, route } from '../data/route.ts';
import { PageElement, watch } from '../element.ts';
import './filter-bar.css';
import { cleared, describeFilter, type Filter, isActive, keysOf } from './filter-bar/filter.ts';
import { renderGroups } from './filter-bar/panel.ts';
import { readViews, renderViews, storeViews, type View } from './filter-bar/views.ts';
import { icon } from './icon.ts';

export type { Filter, FilterValue } from './filter-bar/filter.ts';
export type { View } from './filter-bar/views.ts';

/** `<filter-bar name=… .filters=… .others=… .presets=…>`: `name` identifies the list that the saved views belong to. */
class FilterBar extends PageElement {
  static override properties = {
    name: {},
    filters: { attribute: false },
    others: { attribute: false },
    presets: { attribute: false },
    menu: { state: true },
    search: { state: true },
  };
  declare name: string;
  declare filters: readonly Filter[];
  /** Further parameters of the URL that belong to a view, such as the search text. */
  declare others: readonly string[];
  /** Views that every user has. */
  declare presets: readonly View[];
  /** The open menu: `add`, `views`, or the token of a filter. Empty if none is open. */
  declare private menu: string;
  declare private search: string;

  constructor() {
    super();
    this.name = '';
    this.filters = [];
    this.others = [];
    this.presets = [];
    this.menu = '';
    this.search = '';
    watch(this, route);
    this.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || this.menu === '') return;
      event.stopPropagation();
      this.toggle(this.menu);
    });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener('pointerdown', this.leave);
    document.addEventListener('focusin', this.leave);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener('pointerdown', this.leave);
    document.removeEventListener('focusin', this.leave);
  }

  /** Closes the menu when the user continues elsewhere. */
  private readonly leave = ({ target }: Event): void => {
    if (this.menu !== '' && target instanceof Node && !this.querySelector('.menu.open')?.contains(target))
      this.menu = '';
  };

  /** Opens or closes a menu. The focus moves into it, and back to its button. */
  private toggle(menu: string): void {
    const opener = this.querySelector<HTMLElement>('.menu.open > [aria-expanded]');
    const isClosing = this.menu === menu;
    this.menu = isClosing ? '' : menu;
    this.search = '';
    if (isClosing) opener?.focus();
    else void this.updateComplete.then(() => this.querySelector<HTMLElement>('.panel :is(input, button)')?.focus());
  }

  protected override render(): TemplateResult {
    const { query } = route.get();
    const active = this.filters.filter((filter) => isActive(filter, query));
    return html`
      <div class="row tokens" role="group" aria-label="Filters">
        ${this.renderMenu('add', html`${icon('plus')} Filter`, 'Add a filter', () => this.renderAll())}
        ${active.map((filter) => this.renderToken(filter, describeFilter(filter, query)))}
        ${active.length === 0 ? nothing : html`<button type="button" class="plain" @click=${() => choose({ ...cleared(this.filters), page: '' })}>Clear</button>`}
        ${this.renderMenu('views', html`Views ${icon('chevron-down')}`, 'Saved views', () => this.renderViews())}
      </div>
    `;
  }

  private renderAll(): TemplateResult {
    const find = ({ target }: Event): void => {
      this.search = (target as HTMLInputElement).value;
    };
    return html`
      <input type="search" aria-label="Find a filter" placeholder="Find a filter" .value=${this.search} @input=${find} />
      ${renderGroups(this.filters, this.search)}
    `;
  }

  private renderToken(filter: Filter, text: string): TemplateResult {
    const remove = (): void => {
      choose({ ...cleared([filter]), page: '' });
      this.querySelector<HTMLElement>('[aria-expanded]')?.focus();
    };
    const label = html`<span class="quiet">${filter.title}:</span> ${text}`;
    return html`
      <span class="token">
        ${this.renderMenu(filter.key, label, `Change the filter ${filter.title}`, () => renderGroups([filter]))}
        <button type="button" class="plain remove" aria-label=${`Remove the filter ${filter.title}: ${text}`} title="Remove" @click=${remove}>${icon('x')}</button>
      </span>
    `;
  }

  private renderMenu(menu: string, label: unknown, title: string, panel: () => unknown): TemplateResult {
    const isOpen = this.menu === menu;
    return html`
      <div class="menu ${isOpen ? 'open' : ''}">
        <button type="button" class="plain" aria-haspopup="dialog" aria-expanded=${isOpen} title=${title} @click=${() => this.toggle(menu)}>${label}</button>
        ${isOpen ? html`<div class="panel" role="dialog" aria-label=${title}>${panel()}</div>` : nothing}
      </div>
    `;
  }

  private renderViews(): TemplateResult {
    const keys = [...this.filters.flatMap(keysOf), ...this.others];
    const saved = readViews(this.name);
    const { query } = route.get();
    return renderViews(this.presets, saved, {
      open: (view) => {
        choose(Object.fromEntries([...keys, 'page'].map((key) => [key, view.query[key] ?? ''])));
        this.toggle('views');
      },
      save: (name) => {
        const chosen = keys.map((key) => [key, query[key] ?? '']).filter(([, value]) => value !== '');
        storeViews(this.name, [...saved, { name, query: Object.fromEntries(chosen) }]);
        this.requestUpdate();
      },
      remove: (view) => {
        storeViews(
          this.name,
          saved.filter((one) => one.name !== view.name),
        );
        this.requestUpdate();
      },
    });
  }
}

customElements.define('filter-bar', FilterBar);
