/** A list of rows of equal height that renders only the visible rows, so that thousands of rows scroll smoothly. */
import { html, type PropertyValues, type TemplateResult } from 'lit';
import { PageElement } from '../element.ts';
import './virtual-list.css';

/** Height of a row in pixels. It must match the style sheet. */
const rowHeight = 36;

/** Number of rows rendered above and below the visible ones, so that scrolling shows no gap. */
const overscan = 10;

/**
 * `<virtual-list .items=… .row=…>`: `row` renders one item, `keyOf` returns its key, `label` is the accessible name of
 * the list. The element has a height of its own and scrolls.
 */
class VirtualList extends PageElement {
  static override properties = {
    items: { attribute: false },
    row: { attribute: false },
    keyOf: { attribute: false },
    label: {},
    top: { state: true },
  };
  declare items: readonly unknown[];
  declare row: (item: unknown) => TemplateResult;
  declare keyOf: (item: unknown) => string;
  declare label: string;
  declare private top: number;
  /** The first visible item, if the list is scrolled down. It keeps its position when items are added above it. */
  private anchor = '';
  private readonly observer = new ResizeObserver(() => this.requestUpdate());

  constructor() {
    super();
    this.items = [];
    this.top = 0;
    this.label = '';
    this.addEventListener('scroll', () => {
      this.top = this.scrollTop;
      const first = this.top < rowHeight ? undefined : this.items[Math.floor(this.top / rowHeight)];
      this.anchor = first === undefined ? '' : this.keyOf(first);
    });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.observer.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.observer.disconnect();
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (!changed.has('items') || this.anchor === '') return;
    const index = this.items.findIndex((item) => this.keyOf(item) === this.anchor);
    const before = Math.floor(this.top / rowHeight);
    if (index >= 0 && index !== before) this.scrollTop = this.top + (index - before) * rowHeight;
  }

  protected override render(): TemplateResult {
    const height = this.clientHeight || 600;
    const first = Math.max(0, Math.floor(this.top / rowHeight) - overscan);
    const last = Math.min(this.items.length, Math.ceil((this.top + height) / rowHeight) + overscan);
    const shown = this.items.slice(first, last);
    return html`
      <div class="whole" role="list" aria-label=${this.label} .style=${`height: ${this.items.length * rowHeight}px`}>
        ${shown.map(
          (item, index) => html`
            <div class="one" role="listitem" aria-setsize=${this.items.length} aria-posinset=${first + index + 1}
              .style=${`transform: translateY(${(first + index) * rowHeight}px)`}>
              ${this.row(item)}
            </div>
          `,
        )}
      </div>
    `;
  }
}

customElements.define('virtual-list', VirtualList);
