/** The API reference screen: shows the API document, and lets the user try each operation with this sandbox. */
import { html, nothing, type TemplateResult } from 'lit';
import { apiKey } from '../../data/api-key.ts';
import { ApiError, callApi, type Schemas } from '../../data/client.ts';
import { listen } from '../../data/events.ts';
import { choose, linkTo, route } from '../../data/route.ts';
import { theme } from '../../data/theme.ts';
import { PageElement, watch } from '../../element.ts';
import { loadDocument } from './document.ts';
import type { TriedRequest } from './outcome.ts';
import { ReferenceView } from './view.ts';
import './outcome.ts';
import './reference.css';

/** Placeholder for the project if none is selected. */
const exampleProject = 'demo';

class ReferenceScreen extends PageElement {
  static override properties = { errorText: { state: true }, hasOwnKeys: { state: true }, tried: { state: true } };
  /** Why nothing is shown. */
  declare private errorText: string;
  /** Whether the sandbox was started with secret keys, which it does not return. */
  declare private hasOwnKeys: boolean;
  /** The last request that the user tried. */
  declare private tried: TriedRequest | undefined;
  private view: ReferenceView | undefined;
  private project: string | undefined;
  /** The operation that the view opened last, or was asked to open. */
  private opened = '';
  private removeHandlers = (): void => undefined;
  private readonly dark = matchMedia('(prefers-color-scheme: dark)');
  private readonly rerender = (): void => this.requestUpdate();
  /** The status line stays at the top and must not cover an element that is scrolled there. */
  private readonly statusSize = new ResizeObserver(([entry]) => {
    this.style.setProperty('--said-height', `${entry?.borderBoxSize[0]?.blockSize ?? 0}px`);
  });

  constructor() {
    super();
    this.errorText = '';
    this.hasOwnKeys = false;
    watch(this, route, apiKey, theme);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.dark.addEventListener('change', this.rerender);
    this.removeHandlers = listen({ missed: () => this.view ?? this.load() });
    callApi<Schemas['Settings']>('GET', '/settings').then(
      ({ apiKey: published }) => {
        this.hasOwnKeys = published === null;
      },
      () => undefined,
    );
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.dark.removeEventListener('change', this.rerender);
    this.removeHandlers();
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
      ${this.hasOwnKeys ? html`<p class="note warn">This sandbox has its own API keys. Enter one of them to try operations.</p>` : nothing}
      ${this.errorText === '' ? nothing : html`<p class="note bad" role="alert">${this.errorText}</p>`}
      <p class="quiet reference-said" role="status">
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
    const status = this.querySelector('.reference-said');
    if (status) this.statusSize.observe(status);
  }

  protected override updated(): void {
    const { project: selected = exampleProject, operation = '' } = route.get().query;
    // Swagger UI applies its dark colors if the root element has this class.
    document.documentElement.classList.toggle('dark-mode', isDark(this.dark.matches));
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
      this.errorText = error instanceof ApiError ? error.message : String(error);
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

function isDark(isSystemDark: boolean): boolean {
  const name = theme.get();
  return name === 'dark' || (name === 'system' && isSystemDark);
}

customElements.define('reference-screen', ReferenceScreen);
