/** Shows the open request in a panel over the screen. The screen with the list of requests shows it beside the list. */
import { html, nothing, type TemplateResult } from 'lit';
import { choose, route } from '../data/route.ts';
import { PageElement, watch } from '../element.ts';
import { closeOnEscape } from './close-on-escape.ts';
import './request-detail/request-detail.ts';

class RequestDrawer extends PageElement {
  /** The element that had the focus before the drawer was opened. */
  private opener: Element | null = null;
  private isOpen = false;

  constructor() {
    super();
    watch(this, route);
    closeOnEscape(this, () => {
      if (this.isOpen) this.close();
    });
  }

  private get requestId(): string {
    const { screen, query } = route.get();
    return screen === 'live' ? '' : (query['request'] ?? '');
  }

  protected override willUpdate(): void {
    const isOpen = this.requestId !== '';
    if (isOpen && !this.isOpen) this.opener = document.activeElement;
    this.isOpen = isOpen;
  }

  private readonly close = (): void => {
    choose({ request: '', detail: '' });
    if (this.opener instanceof HTMLElement) this.opener.focus();
  };

  protected override render(): TemplateResult | typeof nothing {
    if (this.requestId === '') return nothing;
    return html`
      <aside class="drawer" aria-label="Request">
        <request-detail request-id=${this.requestId} takes-focus .onClose=${this.close}></request-detail>
      </aside>
    `;
  }
}

customElements.define('request-drawer', RequestDrawer);
