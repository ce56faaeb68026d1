/** A button that opens a panel below itself. The browser closes the panel on Escape and on a click elsewhere. */
import { html, nothing, type TemplateResult } from 'lit';
import { PageElement } from '../element.ts';
import './drop-down.css';

/** Distance between button, panel and the edge of the page, in pixels. */
const margin = 6;

/**
 * `<drop-down name=… label=… look=… .content=… .panel=…>`: `content` is inside the button, `panel` renders the opened
 * panel. The panel may call `close`. The event `opened` comes before it is shown. Arrow keys move between its buttons and links.
 */
export class DropDown extends PageElement {
  static override properties = {
    name: {},
    label: {},
    look: {},
    content: { attribute: false },
    panel: { attribute: false },
    isOpen: { state: true },
  };
  /** Unique in the page. */
  declare name: string;
  declare label: string;
  /** Classes of the button. */
  declare look: string;
  declare content: unknown;
  declare panel: (close: () => void) => TemplateResult;
  declare private isOpen: boolean;

  constructor() {
    super();
    this.look = '';
    this.isOpen = false;
  }

  readonly close = (): void => this.querySelector<HTMLElement>('[popover]')?.hidePopover();

  open(): void {
    this.querySelector<HTMLElement>('[popover]')?.showPopover();
  }

  protected override render(): TemplateResult {
    const { name, label, look, content, isOpen } = this;
    return html`
      <button type="button" class=${look} popovertarget=${`${name}-panel`} aria-haspopup="dialog" aria-expanded=${isOpen}
        aria-label=${label} title=${label}>${content}</button>
      <div popover class="floating" id=${`${name}-panel`} role="dialog" aria-label=${label}
        @beforetoggle=${this.toggle} @toggle=${this.toggle} @keydown=${this.move}>${isOpen ? this.panel(this.close) : nothing}</div>
    `;
  }

  private toggle(event: ToggleEvent): void {
    if (event.target !== event.currentTarget) return;
    const isOpen = event.newState === 'open';
    // The content goes only after the browser has closed the panel, or the focus would not return to the button.
    if (!isOpen && event.type === 'beforetoggle') return;
    this.isOpen = isOpen;
    if (event.type === 'beforetoggle') this.dispatchEvent(new Event('opened'));
  }

  protected override updated(changed: Map<string, unknown>): void {
    if (!changed.has('isOpen') || !this.isOpen) return;
    const panel = this.querySelector<HTMLElement>('[popover]');
    const button = this.querySelector('button');
    if (!panel || !button) return;
    // Until then, the browser has not shown the panel, and it has no size.
    requestAnimationFrame(() => {
      place(panel, button.getBoundingClientRect());
      panel.querySelector<HTMLElement>('input, a, button')?.focus();
    });
  }

  private move(event: KeyboardEvent): void {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0 || event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    const all = [...this.querySelectorAll<HTMLElement>('[popover] :is(a, button:enabled)')];
    const at = all.findIndex((one) => one.matches(':focus'));
    all[(at + step + all.length) % all.length]?.focus();
  }
}

/** Places a panel below its button, or above it in the lower half of the page. It stays inside of the page. */
function place(panel: HTMLElement, { left, top, bottom }: DOMRect): void {
  const isBelow = top < innerHeight / 2;
  const { style } = panel;
  style.left = `${Math.max(margin, Math.min(left, innerWidth - panel.offsetWidth - margin))}px`;
  style.top = isBelow ? `${bottom + margin}px` : 'auto';
  style.bottom = isBelow ? 'auto' : `${innerHeight - top + margin}px`;
  style.maxHeight = `${(isBelow ? innerHeight - bottom : top) - 2 * margin}px`;
}

customElements.define('drop-down', DropDown);
