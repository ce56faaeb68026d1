/** The connect screen: the URL and the key of the sandbox, and a first request to copy. */
import { html, nothing, type TemplateResult } from 'lit';
import { apiUrl } from '../../api.ts';
import { access } from '../../data/access.ts';
import { apiKey } from '../../data/api-key.ts';
import { base, type Schemas } from '../../data/client.ts';
import { projects, settings } from '../../data/live.ts';
import { loadPlace } from '../../data/load-place.ts';
import type { RequestPlace } from '../../data/request-place.ts';
import { createResource, type Resource } from '../../data/resource.ts';
import { linkTo, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { chosenProject, onlyProject, whatKeyOpens } from '../../parts/choose-project.ts';
import { copyButton, copyIcon } from '../../parts/copy-button.ts';
import './connect.css';
import { type Connection, firstRequest } from './first-request.ts';

/**
 * Signs callbacks if no other secret was set. It is published, so that tests can verify signatures without a request.
 */
const publishedSecret = 'whsec_ZmllbGQtc2FuZGJveCBwdWJsaWMgdGVzdCBzZWNyZXQ=';
/** Placeholder for the project id, if none is selected. Every project id works. */
const exampleProject = 'demo';

class ConnectScreen extends PageElement {
  private readonly importPlace: Resource<RequestPlace | undefined> = createResource(this, {
    key: () => 'asyncImportJobs',
    load: () => loadPlace('asyncImportJobs'),
  });

  constructor() {
    super();
    watch(this, route, projects, apiKey, settings, access);
  }

  protected override render(): TemplateResult {
    const basePath = toBasePath(settings.get()?.profile);
    const place = this.importPlace.value;
    const values: Connection = {
      url: apiUrl + basePath,
      control: location.origin + base,
      key: apiKey.get(),
      project: chosenProject() ?? exampleProject,
      ...(place && { place: { ...place, target: place.target.slice(basePath.length) } }),
    };
    const request = firstRequest(values);
    return html`
      <h1>Connect</h1>
      <div class="connect-cards">${renderConnection(values)}${renderCallbacks(values.project)}</div>
      <section class="card column" aria-labelledby="first-request">
        <div class="row">
          <h2 id="first-request" class="grow">First request</h2>
          ${copyButton('Copy', () => request)}
        </div>
        <p>
          Imports two jobs, one of which fails downstream, and reads the callback that reports it. docs/guides of the project has
          the same for Node, Python, Java, CI services and containers.
        </p>
        <pre tabindex="0" aria-label="First request">${request}</pre>
        <p class="quiet">If the sandbox requires an admin token, add <code>authorization: Bearer …</code> to requests under <code>/_sandbox</code>.</p>
      </section>
    `;
  }
}

function renderConnection({ url, control, key, project }: Connection): TemplateResult {
  const loaded = settings.get();
  return html`
      <section class="card column" aria-label="Connection">
        <h2>Connection</h2>
        <dl class="facts">
          <dt>Base URL</dt>
          <dd class="row"><code>${url}</code>${copyIcon('Copy URL', () => url)}</dd>
          ${loaded && renderHttps(loaded)}
          ${renderKey(key)}
          <dt>Header</dt>
          <dd class="row"><code>apikey: ${key}</code>${copyIcon('Copy header', () => `apikey: ${key}`)}</dd>
          <dt>Project</dt>
          <dd>
            <code>${project}</code>
            <span class="quiet">${describeProject()}${whatKeyOpens() || 'Any project id works without setup.'}</span>
          </dd>
          <dt>Control API</dt>
          <dd><a href="${base}/control.json">${control}</a></dd>
        </dl>
      </section>
    `;
}

function renderKey(key: string): TemplateResult {
  const change = ({ target }: Event): void => apiKey.set((target as HTMLInputElement).value.trim());
  const hasSecretKeys = settings.get()?.apiKey === null;
  return html`
    <dt><label for="connect-key">API key</label></dt>
    <dd class="row">
      <input id="connect-key" size="24" autocomplete="off" spellcheck="false" .value=${key} @input=${change} aria-describedby="key-note" />
      <span class="quiet" id="key-note">
        ${
          hasSecretKeys
            ? 'This sandbox has its own API keys and never shows them. Enter yours. '
            : 'This is the published default. '
        }Used on this page only; not saved.
      </span>
    </dd>
  `;
}

function toBasePath(profile: Schemas['Settings']['profile'] | undefined): string {
  const basePath = profile?.['basePath'];
  return typeof basePath === 'string' ? basePath : '';
}

/** Renders the HTTPS URL, with the host name of this page, and the certificate to trust. */
function renderHttps({ tlsUrl, caUrl, profile }: Schemas['Settings']): TemplateResult | typeof nothing {
  if (tlsUrl === null) return nothing;
  const tls = new URL(tlsUrl);
  tls.hostname = location.hostname;
  const url = tls.origin + toBasePath(profile);
  return html`
    <dt>HTTPS URL</dt>
    <dd class="row">
      <code>${url}</code>${copyIcon('Copy HTTPS URL', () => url)}
      ${caUrl === null ? nothing : html`<a href="${base}/ca.pem" download="ca.pem">Certificate to trust</a>`}
    </dd>
  `;
}

/** Explains which project id is shown. */
function describeProject(): string {
  if (onlyProject() !== undefined) return 'Only project. ';
  if (chosenProject() !== undefined) return '';
  return 'Example. ';
}

function renderCallbacks(project: string): TemplateResult {
  return html`
    <section class="card column" aria-labelledby="connect-callbacks">
      <h2 id="connect-callbacks">Callbacks</h2>
      <p>
        Downstream failures are reported by callback. They are stored in the inbox until an endpoint is set:
        <a href=${linkTo('callbacks', { project })}>set one for ${project}</a>.
      </p>
      <p>
        Signatures follow <a href="https://www.standardwebhooks.com" rel="noreferrer">Standard Webhooks</a>. Set the secret
        with the endpoint or <code>--callback-secret</code>; it is never shown. The default is this published secret:
      </p>
      <div class="row"><code class="secret">${publishedSecret}</code>${copyIcon('Copy secret', () => publishedSecret)}</div>
    </section>
  `;
}

customElements.define('connect-screen', ConnectScreen);
