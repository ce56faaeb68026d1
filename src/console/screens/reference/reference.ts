/** The API reference screen: shows the API document, and lets the user try each operation with this sandbox. */
import { html, nothing, type TemplateResult } from 'lit';
import { apiKey } from '../../data/api-key.ts';
import { toMessage } from '../../data/client.ts';
import { listen } from '../../data/events.ts';
import { settings } from '../../data/live.ts';
import { choose, linkTo, route } from '../../data/route.ts';
import { isDark } from '../../data/theme.ts';
import { PageElement, watch } from '../../element.ts';
import { errorNote } from '../../parts/notices.ts';
import { loadDocument } from './document.ts';
import type { TriedRequest } from './outcome.ts';
import { ReferenceView } from './view.ts';
import './outcome.ts';
import './reference.css';

/** Placeholder for the project if none is selected. */
const exampleProject = 'demo';

class ReferenceScreen extends PageElement {
  static override properties = { errorText: { state: true }, tried: { state: true } };
  /** Why nothing is shown. */
  declare private errorText: string;
  /** The last request that the user tried. */
  declare private tried: TriedRequest | undefined;
  private view: ReferenceView | undefined;
  private project: string | undefined;
  /** The operation that the view opened last, or was asked to open. */
  private opened = '';
  private unsubscribe = (): void => undefined;
  /** The status line stays at the top and must not cover an element that is scrolled there. */
  private readonly statusSize = new ResizeObserver(([entry]) => {
    this.style.setProperty('--status-height', `${entry?.borderBoxSize[0]?.blockSize ?? 0}px`);
  });

  constructor() {
    super();
    this.errorText = '';
    watch(this, route, apiKey, isDark, settings);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.unsubscribe = listen(({ kind }) => {
      if (kind === 'missed' && this.view === undefined) void this.load();
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.unsubscribe();
    document.documentElement.classList.remove('dark-mode');
  }

  protected override render(): TemplateResult {
    return html`
      <div class="row">
        <h1>API reference</h1>
        <label class="push">
          API key
          <input size="18" autocomplete="off" spellcheck="false" .value=${apiKey.get()}
            @change=${({ target }: Event) => apiKey.set((target as HTMLInputElement).value.trim())} />
        </label>
      </div>
      ${settings.get()?.apiKey === null ? html`<p class="note warn">This sandbox has its own API keys. Enter one of them to try operations.</p>` : nothing}
      ${errorNote(this.errorText)}
      <p class="quiet reference-status" role="status">
        ${
          this.tried === undefined
            ? html`Try any operation. Requests are sent to this sandbox and listed under <a href=${linkTo('live')}>Live</a>.`
            : html`<reference-outcome .tried=${this.tried}></reference-outcome>`
        }
      </p>
      <div class="reference-body"></div>
    `;
  }

  protected override firstUpdated(): void {
    const status = this.querySelector('.reference-status');
    if (status) this.statusSize.observe(status);
  }

  protected override updated(): void {
    const { project: selected = exampleProject, operation = '' } = route.get().query;
    // Swagger UI applies its dark colors if the root element has this class.
    document.documentElement.classList.toggle('dark-mode', isDark.get());
    this.view?.setKey(apiKey.get());
    if (selected !== this.project) {
      this.project = selected;
      void this.load();
    } else if (operation !== this.opened) this.open(operation);
  }

  private async load(): Promise<void> {
    const { project = exampleProject } = this;
    try {
      const document = await loadDocument(project);
      if (project !== this.project || !this.isConnected) return;
      this.errorText = '';
      this.show(document);
    } catch (error) {
      this.errorText = toMessage(error);
    }
  }

  private show(document: Awaited<ReturnType<typeof loadDocument>>): void {
    // React keeps the element it renders into, so each document gets a new element.
    const host = window.document.createElement('div');
    this.querySelector('.reference-body')?.replaceChildren(host);
    const handlers = {
      opened: (operation: string, isOpen: boolean) => this.updateUrl(operation, isOpen),
      tried: (tried: TriedRequest) => {
        this.tried = tried;
      },
    };
    this.view = new ReferenceView(host, document, handlers, () => {
      this.view?.setKey(apiKey.get());
      this.opened = '';
      this.open(route.get().query['operation'] ?? '');
    });
  }

  private open(operation: string): void {
    this.opened = operation;
    if (operation === '' || this.view === undefined) return;
    this.errorText = this.view.open(operation) ? '' : `Operation ${operation} not found.`;
  }

  /** Updates the URL with the operation that was opened last. */
  private updateUrl(operation: string, isOpen: boolean): void {
    if (isOpen) {
      this.opened = operation;
      choose({ operation });
    } else if (operation === this.opened) {
      this.opened = '';
      choose({ operation: '' });
    }
  }
}

customElements.define('reference-screen', ReferenceScreen);
