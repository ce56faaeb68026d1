/**
 * The callback endpoint of a project: shows, sets, disables and deletes it. Its secret can be set, but is never shown.
 */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { ApiError, callApi, projectPath, type Schemas } from '../../data/client.ts';
import { followProject } from '../../data/project-feed.ts';
import { linkTo } from '../../data/route.ts';
import { PageElement } from '../../element.ts';
import { attempt, notice } from '../../parts/notices.ts';

type Endpoint = Schemas['CallbackEndpoint'];

class CallbackEndpoint extends PageElement {
  static override properties = {
    project: { attribute: false },
    endpoint: { state: true },
    mistakes: { state: true },
    errorText: { state: true },
  };
  declare project: string;
  declare private endpoint: Endpoint | undefined;
  /** The errors of the form, by JSON Pointer of the field. */
  declare private mistakes: ReadonlyMap<string, string>;
  declare private errorText: string;
  private readonly reloader = followProject(
    this,
    (soon) => ({
      // A receiver that responds with 410 disables the endpoint.
      callback: ({ project }) => project === this.project && soon(),
      change: ({ project, what }) =>
        (project === null || project === this.project) && ['callback-endpoint', 'reset'].includes(what) && soon(),
    }),
    () => this.load(),
  );

  constructor() {
    super();
    this.mistakes = new Map();
    this.errorText = '';
  }

  private get path(): string {
    return projectPath(this.project, '/callback-endpoint');
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('project')) return;
    this.endpoint = undefined;
    this.mistakes = new Map();
    this.reloader.now();
  }

  private async load(): Promise<void> {
    const { path } = this;
    try {
      const endpoint = await callApi<Endpoint>('GET', path);
      if (path !== this.path) return;
      const { endpoint: previous } = this;
      // Keeps the form, and what the user is typing, if nothing has changed.
      if (previous?.url !== endpoint.url || previous?.disabled !== endpoint.disabled) this.endpoint = endpoint;
      this.errorText = '';
    } catch (error) {
      if (path === this.path) this.errorText = error instanceof ApiError ? error.message : String(error);
    }
  }

  protected override render(): TemplateResult {
    const { endpoint } = this;
    return html`
      ${this.errorText === '' ? nothing : html`<p class="note bad">${this.errorText}</p>`}
      ${endpoint ? html`${this.renderStatus(endpoint)}${this.renderForm(endpoint)}` : html`<p class="quiet">Loading…</p>`}
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
            aria-invalid=${this.mistakes.has('/url')} aria-describedby="url-mistake" .value=${url ?? ''} />
        </label>
        ${this.renderMistake('/url', 'url-mistake')}
        <label class="field">Secret
          <input name="secret" type="password" autocomplete="new-password" placeholder="whsec_…"
            aria-invalid=${this.mistakes.has('/secret')} aria-describedby="secret-hint secret-mistake" />
        </label>
        ${this.renderMistake('/secret', 'secret-mistake')}
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

  private renderMistake(field: string, id: string): TemplateResult {
    return html`<p class="bad" role="alert" id=${id}>${this.mistakes.get(field) ?? ''}</p>`;
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
      this.endpoint = await callApi<Endpoint>('PATCH', this.path, body);
      this.mistakes = new Map();
      notice('good', secret === '' ? 'Saved. The secret is unchanged.' : 'Saved with the new secret.');
      (form.elements.namedItem('secret') as HTMLInputElement).value = '';
    } catch (error) {
      this.mistakes = error instanceof ApiError ? errorsByField(error) : new Map([['/url', String(error)]]);
      form.querySelector<HTMLElement>(this.mistakes.has('/url') ? '[name=url]' : '[name=secret]')?.focus();
    }
  }

  private async deleteEndpoint(): Promise<void> {
    await attempt('Endpoint deleted.', () => callApi('DELETE', this.path));
    await this.load();
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
