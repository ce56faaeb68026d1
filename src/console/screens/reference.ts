/** The API as its document tells it, and every operation to be tried against this sandbox. */
import { html, nothing, type TemplateResult } from 'lit';
import { apiKey } from '../data/api-key.ts';
import { ask, Refusal, type Schemas } from '../data/client.ts';
import { listen } from '../data/events.ts';
import { choose, linkTo, route } from '../data/route.ts';
import { theme } from '../data/theme.ts';
import { PageElement, watch } from '../element.ts';
import { loadDocument } from './reference-document.ts';
import type { Tried } from './reference-outcome.ts';
import { ReferenceView } from './reference-view.ts';
import './reference-outcome.ts';
import './reference.css';

/** What is put in for the project where none is chosen. */
const anyProject = 'demo';

class ReferenceScreen extends PageElement {
  static override properties = { why: { state: true }, hasOwnKeys: { state: true }, tried: { state: true } };
  /** Why it is not there. */
  declare private why: string;
  /** Whether the sandbox was given keys, which it tells nobody. */
  declare private hasOwnKeys: boolean;
  /** The latest request that was tried. */
  declare private tried: Tried | undefined;
  private view: ReferenceView | undefined;
  private of: string | undefined;
  /** What the view was last told to open, or told that it had. */
  private opened = '';
  private endListening = (): void => undefined;
  private readonly dark = matchMedia('(prefers-color-scheme: dark)');
  private readonly renew = (): void => this.requestUpdate();
  /** What is brought to the top must not be covered by the line that stays there. */
  private readonly saidSize = new ResizeObserver(([entry]) => {
    this.style.setProperty('--said-height', `${entry?.borderBoxSize[0]?.blockSize ?? 0}px`);
  });

  constructor() {
    super();
    this.why = '';
    this.hasOwnKeys = false;
    watch(this, route, apiKey, theme);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.dark.addEventListener('change', this.renew);
    this.endListening = listen({ missed: () => this.view ?? this.load() });
    ask<Schemas['Settings']>('GET', '/settings').then(
      ({ apiKey: published }) => {
        this.hasOwnKeys = published === null;
      },
      () => undefined,
    );
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.dark.removeEventListener('change', this.renew);
    this.endListening();
    document.documentElement.classList.remove('dark-mode');
  }

  protected override render(): TemplateResult {
    return html`
      <div class="row">
        <h1>API reference</h1>
        <label class="push">
          Key to send
          <input size="18" autocomplete="off" spellcheck="false" .value=${apiKey.get()}
            @change=${({ target }: Event) => apiKey.set((target as HTMLInputElement).value.trim())} />
        </label>
      </div>
      ${this.hasOwnKeys ? html`<p class="note warn">This sandbox was started with keys of its own: type in one of them to try operations.</p>` : nothing}
      ${this.why === '' ? nothing : html`<p class="note bad" role="alert">${this.why}</p>`}
      <p class="quiet reference-said" role="status">
        ${
          this.tried === undefined
            ? html`Every operation can be tried here: what it does is done in this sandbox, and stands under <a href=${linkTo('live')}>Live</a>.`
            : html`<reference-outcome .tried=${this.tried}></reference-outcome>`
        }
      </p>
      <div class="reference-body"></div>
    `;
  }

  protected override firstUpdated(): void {
    const said = this.querySelector('.reference-said');
    if (said) this.saidSize.observe(said);
  }

  protected override updated(): void {
    const { project = anyProject, operation = '' } = route.get().query;
    // The sheet of Swagger UI has its dark colours under this class of the whole page.
    document.documentElement.classList.toggle('dark-mode', isDark(this.dark.matches));
    this.view?.setKey(apiKey.get());
    if (project !== this.of) {
      this.of = project;
      void this.load();
    } else if (operation !== this.opened) this.open(operation);
  }

  private async load(): Promise<void> {
    const { of = anyProject } = this;
    try {
      const document = await loadDocument(of);
      if (of !== this.of || !this.isConnected) return;
      this.why = '';
      this.show(document);
    } catch (error) {
      this.why = error instanceof Refusal ? error.message : String(error);
    }
  }

  private show(document: Awaited<ReturnType<typeof loadDocument>>): void {
    // React keeps what it renders into; another document gets another place.
    const host = window.document.createElement('div');
    this.querySelector('.reference-body')?.replaceChildren(host);
    const told = {
      opened: (operation: string, isOpen: boolean) => this.follow(operation, isOpen),
      tried: (tried: Tried) => {
        this.tried = tried;
      },
    };
    this.view = new ReferenceView(host, document, told, () => {
      this.view?.setKey(apiKey.get());
      this.opened = '';
      this.open(route.get().query['operation'] ?? '');
    });
  }

  private open(operation: string): void {
    this.opened = operation;
    if (operation === '' || this.view === undefined) return;
    this.why = this.view.open(operation) ? '' : `There is no operation ${operation}.`;
  }

  /** The address names what was opened last. */
  private follow(operation: string, isOpen: boolean): void {
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
