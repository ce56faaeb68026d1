/** A list with the detail of one item beside it. On narrow screens the detail covers the list. */
import { html, nothing, type TemplateResult } from 'lit';
import { PageElement } from '../element.ts';
import './split-view.css';

const minPercent = 25;
const maxPercent = 75;
const defaultPercent = 50;

/**
 * `<split-view name=… .list=… .detail=… .onClose=…>`: without a `detail`, the list has the whole width.
 *
 * The user resizes both parts with the mouse or with the arrow keys. The browser stores the size under `name`.
 */
class SplitView extends PageElement {
  static override properties = {
    name: {},
    list: { attribute: false },
    detail: { attribute: false },
    percent: { state: true },
  };
  declare name: string;
  declare list: unknown;
  declare detail: unknown;
  /** Closes the detail: the button Back of narrow screens. */
  onClose: () => void = () => undefined;
  /** Width of the detail. */
  declare private percent: number;

  constructor() {
    super();
    this.name = '';
    this.list = nothing;
    this.detail = nothing;
    this.percent = defaultPercent;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.percent = within(Number(localStorage.getItem(this.storageKey) ?? defaultPercent));
  }

  private get storageKey(): string {
    return `field-sandbox.split.${this.name}`;
  }

  private resize(percent: number): void {
    this.percent = within(percent);
    localStorage.setItem(this.storageKey, String(this.percent));
  }

  private readonly press = (event: KeyboardEvent): void => {
    const percent = toPercent(event.key, this.percent);
    if (percent === undefined) return;
    event.preventDefault();
    this.resize(percent);
  };

  private readonly drag = (event: PointerEvent): void => {
    const { currentTarget, pointerId } = event;
    if (!(currentTarget instanceof HTMLElement)) return;
    event.preventDefault();
    currentTarget.focus();
    currentTarget.setPointerCapture(pointerId);
    const { right, width } = this.getBoundingClientRect();
    currentTarget.onpointermove = ({ clientX }) => this.resize((100 * (right - clientX)) / width);
    currentTarget.onlostpointercapture = () => {
      currentTarget.onpointermove = null;
    };
  };

  protected override render(): TemplateResult {
    // lit sets a property to undefined where a template says nothing.
    const isOpen = (this.detail ?? nothing) !== nothing;
    return html`
      <div class="split ${isOpen ? 'open' : ''}" .style=${`--detail: ${this.percent}%`}>
        <div class="list">${this.list}</div>
        ${isOpen ? this.renderDetail() : nothing}
      </div>
    `;
  }

  private renderDetail(): TemplateResult {
    return html`
      <div class="divider" role="separator" tabindex="0" aria-orientation="vertical" aria-label="Resize the detail"
        aria-valuenow=${Math.round(this.percent)} aria-valuemin=${minPercent} aria-valuemax=${maxPercent}
        @keydown=${this.press} @pointerdown=${this.drag} @dblclick=${() => this.resize(defaultPercent)}></div>
      <div class="detail">
        <button type="button" class="plain back" @click=${() => this.onClose()}><span aria-hidden="true">‹</span> Back</button>
        ${this.detail}
      </div>
    `;
  }
}

function within(percent: number): number {
  return Number.isFinite(percent) ? Math.max(minPercent, Math.min(maxPercent, percent)) : defaultPercent;
}

/** Returns the width of the detail after a key. The separator moves as the arrow points. */
function toPercent(key: string, percent: number): number | undefined {
  switch (key) {
    case 'ArrowLeft':
      return percent + 2;
    case 'ArrowRight':
      return percent - 2;
    case 'Home':
      return maxPercent;
    case 'End':
      return minPercent;
    default:
      return undefined;
  }
}

customElements.define('split-view', SplitView);
