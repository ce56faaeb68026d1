/** A list of rows of one height, of which only those in sight are in the page: thousands scroll without lag. */
import { html, type TemplateResult } from 'lit';
import { PageElement } from '../element.ts';
import './virtual-list.css';

/** In pixels, as in the style sheet. */
const rowHeight = 36;

/** Rows above and below those in sight, so that scrolling shows no gap. */
const spare = 10;

/**
 * `<virtual-list .items=… .row=…>`: `row` renders one item, `keyOf` names it, `label` says what the list is. The element
 * has a height of its own and scrolls.
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
  private readonly observer = new ResizeObserver(() => this.requestUpdate());

  constructor() {
    super();
    this.items = [];
    this.top = 0;
    this.label = '';
    this.addEventListener('scroll', () => {
      this.top = this.scrollTop;
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

  protected override render(): TemplateResult {
    const height = this.clientHeight || 600;
    const first = Math.max(0, Math.floor(this.top / rowHeight) - spare);
    const last = Math.min(this.items.length, Math.ceil((this.top + height) / rowHeight) + spare);
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
