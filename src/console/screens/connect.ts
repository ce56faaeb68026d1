/** Connect: where the sandbox is, with which key, and what to paste where. */
import { html, nothing, type TemplateResult } from 'lit';
import { apiKey } from '../data/api-key.ts';
import { ask, base, Refusal, type Schemas } from '../data/client.ts';
import { listen } from '../data/events.ts';
import { projects } from '../data/live.ts';
import { apiUrl } from '../data/message.ts';
import { choose, linkTo, route } from '../data/route.ts';
import { PageElement, watch } from '../element.ts';
import { chosenProject, onlyProject } from '../parts/choose-project.ts';
import { copyButton } from '../parts/copy-button.ts';
import { download } from '../parts/download.ts';
import { tabbed } from '../parts/tabs.ts';
import './connect.css';
import { type Place, type Recipe, recipes } from './connect-recipes.ts';

/** Signs callbacks where no other secret was given. It is published, so that tests can verify without asking. */
const publishedSecret = 'whsec_ZmllbGQtc2FuZGJveCBwdWJsaWMgdGVzdCBzZWNyZXQ=';
/** Any project id works; this one stands in the texts while none is chosen. */
const anyProject = 'demo';

class ConnectScreen extends PageElement {
  static override properties = { settings: { state: true }, why: { state: true } };
  declare private settings: Schemas['Settings'] | undefined;
  declare private why: string;
  private endListening = (): void => undefined;

  constructor() {
    super();
    this.why = '';
    watch(this, route, projects, apiKey);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    // They are the same as long as the server runs.
    this.endListening = listen({ missed: () => void this.load() });
    void this.load();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.endListening();
  }

  private async load(): Promise<void> {
    try {
      this.settings = await ask<Schemas['Settings']>('GET', '/settings');
      this.why = '';
    } catch (error) {
      this.why = error instanceof Refusal ? error.message : String(error);
    }
  }

  protected override render(): TemplateResult {
    const url = apiUrl + toBasePath(this.settings?.profile);
    const control = location.origin + base;
    const place: Place = { url, control, key: apiKey.get(), project: chosenProject() ?? anyProject };
    const chosen = recipes.find(({ name }) => name === route.get().query['recipe']) ?? recipes[0];
    return html`
      <h1>Connect</h1>
      ${this.why === '' ? nothing : html`<p class="note bad">${this.why}</p>`}
      ${this.renderPlace(place)}
      <h2>Recipes</h2>
      ${
        chosen &&
        tabbed(
          { label: 'Recipes', tabs: recipes, chosen: chosen.name, choose: (recipe) => choose({ recipe }) },
          renderRecipe(chosen, place),
        )
      }
    `;
  }

  private renderPlace({ url, control, key, project }: Place): TemplateResult {
    return html`
      <section class="card column" aria-label="Where it is">
        <dl class="facts">
          <dt>Base URL</dt>
          <dd class="row"><code>${url}</code>${copyButton('Copy URL', () => url)}</dd>
          ${this.settings && renderSecure(this.settings)}
          <dt>Header</dt>
          <dd class="row"><code>apikey: ${key}</code>${copyButton('Copy header', () => `apikey: ${key}`)}</dd>
          <dt>Project</dt>
          <dd>
            <code>${project}</code>
            <span class="quiet">${whichProject()} works, and needs no setting up.</span>
          </dd>
          <dt>Control API</dt>
          <dd><a href="${base}/control.json">${control}</a></dd>
        </dl>
        ${this.renderKey(key)}
      </section>
      ${renderCallbacks(project)}
    `;
  }

  private renderKey(key: string): TemplateResult {
    const change = ({ target }: Event): void => apiKey.set((target as HTMLInputElement).value.trim());
    const isOther = this.settings !== undefined && this.settings.apiKey === null;
    return html`
      <div class="row">
        <label>Key <input size="24" autocomplete="off" spellcheck="false" .value=${key} @input=${change} aria-describedby="key-note" /></label>
        <span class="quiet" id="key-note">
          ${
            isOther
              ? 'This sandbox was started with keys of its own, which it never shows: type yours. '
              : 'The published one is in use. '
          }What stands here is used for requests from this page and in the texts below, and kept nowhere.
        </span>
      </div>
    `;
  }
}

function toBasePath(profile: Schemas['Settings']['profile'] | undefined): string {
  const basePath = profile?.['basePath'];
  return typeof basePath === 'string' ? basePath : '';
}

/** Where it is over TLS, by the name under which this page was asked for, and what to trust. */
function renderSecure({ tlsUrl, caUrl, profile }: Schemas['Settings']): TemplateResult | typeof nothing {
  if (tlsUrl === null) return nothing;
  const own = new URL(tlsUrl);
  own.hostname = location.hostname;
  const url = own.origin + toBasePath(profile);
  return html`
    <dt>Over https</dt>
    <dd class="row">
      <code>${url}</code>${copyButton('Copy https URL', () => url)}
      ${caUrl === null ? nothing : html`<a href="${base}/ca.pem" download="ca.pem">Certificate to trust</a>`}
    </dd>
  `;
}

/** Why it is this project that stands in the texts. */
function whichProject(): string {
  if (onlyProject() !== undefined) return 'the only project. Any id';
  if (chosenProject() !== undefined) return 'as chosen. Any id';
  return 'for instance, as long as none is chosen above: any id';
}

function renderCallbacks(project: string): TemplateResult {
  return html`
    <section class="card column" aria-labelledby="connect-callbacks">
      <h2 id="connect-callbacks">Callbacks</h2>
      <p>
        Failures downstream are told by callback. They wait in the inbox until there is an endpoint:
        <a href=${linkTo('callbacks', { project })}>set one for ${project}</a>.
      </p>
      <p>
        They are signed as <a href="https://www.standardwebhooks.com" rel="noreferrer">Standard Webhooks</a> say, with the
        secret given with the endpoint or by <code>--callback-secret</code>, which is never shown; where none was given,
        with this published one:
      </p>
      <div class="row"><code class="secret">${publishedSecret}</code>${copyButton('Copy secret', () => publishedSecret)}</div>
    </section>
  `;
}

function renderRecipe({ file, about, text }: Recipe, place: Place): TemplateResult {
  const filled = text(place);
  const isFile = /\.\w+$/.test(file);
  return html`
    <p>${about}</p>
    <div class="row">
      <span class="quiet">For <code>${file}</code></span>
      <span class="row push">
        ${copyButton('Copy', () => filled)}
        ${isFile ? html`<button @click=${() => download(file.split('/').at(-1) ?? file, 'text/plain', filled)}>Download</button>` : nothing}
      </span>
    </div>
    <pre tabindex="0" aria-label=${file}>${filled}</pre>
    <p class="quiet">Where the sandbox asks for an admin token, add <code>authorization: Bearer …</code> to requests under <code>/_sandbox</code>.</p>
  `;
}

customElements.define('connect-screen', ConnectScreen);
