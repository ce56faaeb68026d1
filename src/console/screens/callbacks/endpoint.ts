/**
 * The callback endpoint of a project: shows, sets, disables and deletes it. Its secret can be set, but is never shown.
 */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { ApiError, callApi, projectPath, type Schemas } from '../../data/client.ts';
import { createResource, isOf, type Resource } from '../../data/resource.ts';
import { linkTo } from '../../data/route.ts';
import { PageElement } from '../../element.ts';
import { attempt, errorNote, notice } from '../../parts/notices.ts';
import { skeleton } from '../../parts/skeleton.ts';

type Endpoint = Schemas['CallbackEndpoint'];

class CallbackEndpoint extends PageElement {
  static override properties = {
    project: { attribute: false },
    errors: { state: true },
  };
  declare project: string;
  /** The errors of the form, by JSON Pointer of the field. */
  declare private errors: ReadonlyMap<string, string>;
  private readonly endpoint: Resource<Endpoint> = createResource(this, {
    key: () => this.path,
    load: () => callApi<Endpoint>('GET', this.path),
    // A receiver that responds with 410 disables the endpoint.
    reloadOn: (event) =>
      isOf(event, this.project) &&
      (event.kind === 'callback' || (event.kind === 'change' && ['callback-endpoint', 'reset'].includes(event.what))),
  });

  constructor() {
    super();
    this.errors = new Map();
  }

  private get path(): string {
    return projectPath(this.project, '/callback-endpoint');
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('project')) this.errors = new Map();
  }

  protected override render(): TemplateResult {
    const { value: endpoint, errorText } = this.endpoint;
    return html`
      ${errorNote(errorText)}
      ${endpoint ? html`${this.renderStatus(endpoint)}${this.renderForm(endpoint)}` : errorText === '' ? skeleton() : nothing}
    `;
  }

  private renderStatus({ url, disabled }: Endpoint): TemplateResult {
    const inbox = html`<a href=${linkTo('callbacks', { project: this.project, view: 'inbox' })}>inbox</a>`;
    const status =
      url === null
        ? html`No URL. Callbacks of ${this.project} are stored in the ${inbox}.`
        : disabled
          ? html`<span class="chip warn">disabled</span> Callbacks of ${this.project} are not sent to <code>${url}</code>. They are stored in the ${inbox}. The endpoint was disabled manually, or the receiver responded with 410.`
          : html`<span class="chip good">enabled</span> Callbacks of ${this.project} are sent to <code>${url}</code>.`;
    return html`<p role="status">${status}</p>`;
  }

  private renderForm({ url, disabled }: Endpoint): TemplateResult {
    return html`
      <form class="card column" novalidate @submit=${this.save}>
        <h2>Set the endpoint</h2>
        <label class="field">URL
          <input name="url" type="url" required placeholder="http://127.0.0.1:8080/callbacks" autocomplete="off" spellcheck="false"
            aria-invalid=${this.errors.has('/url')} aria-describedby="url-error" .value=${url ?? ''} />
        </label>
        ${this.renderError('/url', 'url-error')}
        <label class="field">Secret
          <input name="secret" type="password" autocomplete="new-password" placeholder="whsec_…"
            aria-invalid=${this.errors.has('/secret')} aria-describedby="secret-hint secret-error" />
        </label>
        ${this.renderError('/secret', 'secret-error')}
        <p class="quiet" id="secret-hint">
          <code>whsec_</code> followed by 24 to 64 bytes in base64. It is never shown. Leave the field empty to keep the
          current secret. The default is the published secret.
        </p>
        <label><input name="disabled" type="checkbox" .checked=${disabled} /> Disabled: store callbacks in the inbox instead of sending them</label>
        <div class="row">
          <button class="main">Save</button>
          <button type="button" ?hidden=${url === null} @click=${this.deleteEndpoint}>Delete</button>
        </div>
        <p class="quiet" ?hidden=${url === null}>Without an endpoint, callbacks are sent to <code>--callback-url</code> if it is set. Otherwise they are stored in the inbox.</p>
      </form>
    `;
  }

  private renderError(field: string, id: string): TemplateResult {
    return html`<p class="bad" role="alert" id=${id}>${this.errors.get(field) ?? ''}</p>`;
  }

  private async save(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const formData = new FormData(form);
    const secret = String(formData.get('secret'));
    const body = {
      url: String(formData.get('url')).trim(),
      ...(secret !== '' && { secret }),
      disabled: formData.get('disabled') !== null,
    };
    try {
      this.endpoint.set(await callApi<Endpoint>('PATCH', this.path, body));
      this.errors = new Map();
      notice('good', secret === '' ? 'Saved. The secret is unchanged.' : 'Saved with the new secret.');
      (form.elements.namedItem('secret') as HTMLInputElement).value = '';
    } catch (error) {
      this.errors = error instanceof ApiError ? errorsByField(error) : new Map([['/url', String(error)]]);
      form.querySelector<HTMLElement>(this.errors.has('/url') ? '[name=url]' : '[name=secret]')?.focus();
    }
  }

  private async deleteEndpoint(): Promise<void> {
    await attempt('Endpoint deleted.', async () => {
      await callApi('DELETE', this.path);
      this.endpoint.set(await callApi<Endpoint>('GET', this.path));
    });
    await this.updateComplete;
    // The button may be hidden now.
    this.querySelector<HTMLElement>('[name=url]')?.focus();
  }
}

/** Returns the errors of a rejected request by field. Errors without a field of the form are shown at the URL. */
function errorsByField({ message, errors }: ApiError): ReadonlyMap<string, string> {
  if (errors.length === 0) return new Map([['/url', message]]);
  return new Map(errors.map(({ path, message: text }) => [path === '/secret' ? path : '/url', text]));
}

customElements.define('callback-endpoint', CallbackEndpoint);
