/** A table of rows of equal height that renders only the visible rows, so that thousands of rows scroll smoothly. */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { repeat } from 'lit/directives/repeat.js';
import { sorted, sortNameOf } from '../data/sorting.ts';
import { PageElement } from '../element.ts';
import './data-table.css';
import { toTarget } from '../keys.ts';
import type { Column } from './data-table/column.ts';
import { renderHeader } from './data-table/header.ts';
import { isForTable } from './data-table/keys.ts';

export type { Column } from './data-table/column.ts';

/** Height of a row in pixels. It must match the style sheet. */
const rowHeight = 32;

/** Number of rows rendered above and below the visible ones, so that scrolling shows no gap. */
const overscan = 8;

const noKeys: ReadonlySet<string> = new Set();

/**
 * `<data-table label=… .columns=… .items=… .keyOf=…>` has a height of its own and scrolls.
 *
 * Arrow keys, `j` and `k` move the active row, and Enter opens it. While a row is `chosen`, a move opens the next one.
 */
export class DataTable<Item = unknown> extends PageElement {
  static override properties = {
    columns: { attribute: false },
    items: { attribute: false },
    keyOf: { attribute: false },
    chosen: {},
    sort: {},
    label: {},
    fresh: { attribute: false },
    total: { type: Number },
    top: { state: true },
    active: { state: true },
    width: { state: true },
    height: { state: true },
  };
  declare columns: readonly Column<Item>[];
  declare items: readonly Item[];
  declare keyOf: (item: Item) => string;
  /** Key of the row whose detail is open, or an empty text. */
  declare chosen: string;
  /** Key of the column that sorts, with `-` in front for descending order. Empty: the order of the items. */
  declare sort: string;
  declare label: string;
  /** Keys of the rows that have just arrived. */
  declare fresh: ReadonlySet<string>;
  /** Number of all rows, if not all of them are loaded. */
  declare total: number | undefined;
  /** Opens a row. `isMove`: by moving from one row to another. */
  onOpen: (item: Item, isMove: boolean) => void = () => undefined;
  onSort: ((sort: string) => void) | undefined;
  /** Called while the last row is rendered, to load more. */
  onEnd: (() => void) | undefined;
  declare private top: number;
  declare private active: string;
  declare private width: number;
  /** Measured when it changes: reading it at each update would force a layout. */
  declare private height: number;
  private shown: readonly Item[] = [];
  /** The first visible item, if the table is scrolled down. It keeps its position when items are added above it. */
  private anchor = '';
  private readonly observer = new ResizeObserver(([entry]) => {
    const { width = 0, height = 0 } = entry?.contentRect ?? {};
    Object.assign(this, { width, height });
  });

  constructor() {
    super();
    Object.assign(this, { columns: [], items: [], chosen: '', sort: '', label: '', fresh: noKeys });
    Object.assign(this, { top: 0, active: '', width: Number.POSITIVE_INFINITY, height: 600 });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.observer.observe(this);
    document.addEventListener('keydown', this.press);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.observer.disconnect();
    document.removeEventListener('keydown', this.press);
  }

  /** Moves the focus to the rows. */
  override focus(): void {
    this.scroller?.focus({ preventScroll: true });
  }

  private get scroller(): HTMLElement | null {
    return this.querySelector<HTMLElement>('.scroller');
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('chosen') && this.chosen !== '') this.active = this.chosen;
    if (changed.has('items') || changed.has('sort') || changed.has('columns')) {
      const column = this.columns.find(({ key }) => key === sortNameOf(this.sort));
      this.shown = sorted(this.items, column?.sortKey, this.sort);
    }
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.get('sort') !== undefined) this.scroller?.scrollTo(0, 0);
    else if (changed.has('items') && this.anchor !== '') this.keepAnchor();
    if (changed.has('chosen') && this.chosen !== '') this.reveal(this.indexOf(this.chosen));
    const lastRendered = (this.top + this.height) / rowHeight + overscan;
    if (this.shown.length > 0 && lastRendered >= this.shown.length) this.onEnd?.();
  }

  private keepAnchor(): void {
    const index = this.indexOf(this.anchor);
    const before = Math.floor(this.top / rowHeight);
    if (index >= 0 && index !== before) this.scroller?.scrollTo(0, this.top + (index - before) * rowHeight);
  }

  private indexOf(key: string): number {
    return key === '' ? -1 : this.shown.findIndex((item) => this.keyOf(item) === key);
  }

  private readonly scrolled = ({ currentTarget }: Event): void => {
    if (!(currentTarget instanceof Element)) return;
    this.top = currentTarget.scrollTop;
    const first = this.top < rowHeight ? undefined : this.shown[Math.floor(this.top / rowHeight)];
    this.anchor = first === undefined ? '' : this.keyOf(first);
  };

  /** Handles keys from anywhere in the page, except from fields, dialogs and other widgets. */
  private readonly press = (event: KeyboardEvent): void => {
    if (!isForTable(event, this)) return;
    const at = this.indexOf(this.active);
    const page = Math.max(1, Math.floor(this.height / rowHeight) - 2);
    const item = this.shown[toTarget(event.key, at, this.shown.length, page) ?? -1];
    if (item === undefined) return;
    event.preventDefault();
    if (event.key === 'Enter') this.onOpen(item, false);
    else this.move(item);
  };

  private move(item: Item): void {
    this.active = this.keyOf(item);
    this.reveal(this.shown.indexOf(item));
    if (this.chosen !== '' && this.chosen !== this.active) this.onOpen(item, true);
  }

  /** Scrolls just as far as the row needs to be visible below the header. */
  private reveal(index: number): void {
    const { scroller } = this;
    if (index < 0 || scroller === null) return;
    const highest = (index + 2) * rowHeight - scroller.clientHeight;
    const top = Math.max(highest, Math.min(scroller.scrollTop, index * rowHeight));
    if (top !== scroller.scrollTop) scroller.scrollTop = top;
  }

  protected override render(): TemplateResult {
    const columns = this.columns.filter(({ hideBelow = 0 }) => hideBelow <= this.width);
    const first = Math.max(0, Math.floor(this.top / rowHeight) - overscan);
    const items = this.shown.slice(first, Math.ceil((this.top + this.height) / rowHeight) + overscan);
    const active = items.findIndex((item) => this.keyOf(item) === this.active);
    return html`
      <div class="scroller" role="grid" tabindex="0" aria-label=${this.label}
        aria-rowcount=${(this.total ?? this.shown.length) + 1} aria-colcount=${columns.length}
        aria-activedescendant=${active < 0 ? nothing : this.rowId(this.active)}
        .style=${`--columns: ${columns.map(({ width }) => width).join(' ')}`} @scroll=${this.scrolled}>
        ${renderHeader(columns, this.sort, this.onSort)}
        <div role="rowgroup" class="rows" .style=${`height: ${this.shown.length * rowHeight}px; padding-top: ${first * rowHeight}px`}>
          ${repeat(items, this.keyOf, (item, index) => this.renderRow(item, first + index, columns))}
        </div>
      </div>
    `;
  }

  private rowId(key: string): string {
    return `${encodeURIComponent(this.label)}:${encodeURIComponent(key)}`;
  }

  private renderRow(item: Item, index: number, columns: readonly Column<Item>[]): TemplateResult {
    const key = this.keyOf(item);
    const classes = `line${key === this.chosen ? ' chosen' : ''}${key === this.active ? ' active' : ''}${this.fresh.has(key) ? ' fresh' : ''}`;
    const open = ({ target }: Event): void => {
      this.active = key;
      this.focus();
      if (!(target as Element).closest('a, button, input, label')) this.onOpen(item, false);
    };
    return html`
      <div class=${classes} role="row" id=${this.rowId(key)} aria-rowindex=${index + 2} aria-selected=${key === this.chosen} @click=${open}>
        ${guard([item, this.columns, columns.length], () => columns.map(({ cell, align }) => html`<span role="gridcell" class=${align ?? nothing}>${cell(item)}</span>`))}
      </div>
    `;
  }
}

customElements.define('data-table', DataTable);
