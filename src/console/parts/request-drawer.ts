/** The details of one request: request, response, errors, rules, changed records and callbacks. */
import { html, nothing, type TemplateResult } from 'lit';
import { apiKey } from '../data/api-key.ts';
import { ApiError, callApi, projectPath, type Schemas } from '../data/client.ts';
import { draft, toDraft } from '../data/draft.ts';
import { listen } from '../data/events.ts';
import { sendRequest, sentHeaders, toCurl, toHar } from '../data/message.ts';
import { mistakesOf } from '../data/mistakes.ts';
import { createReloader, type Reloader } from '../data/reloader.ts';
import { choose, linkTo, route } from '../data/route.ts';
import { PageElement, watch } from '../element.ts';
import { copyButton } from './copy-button.ts';
import { download } from './download.ts';
import { jsonView } from './json-view.ts';
import { attempt, notice } from './notices.ts';
import { renderEditor } from './request-editor.ts';
import { failedOf, type RequestDetails, renderOutcome } from './request-outcome.ts';
import { renderRules } from './request-rules.ts';
import { statusChip } from './status.ts';

type RequestSummary = Schemas['RequestSummary'];

/** Maximum number of callbacks that are loaded per request. */
const maxCallbacks = 10;

class RequestDrawer extends PageElement {
  static override properties = { found: { state: true }, errorText: { state: true }, isEditing: { state: true } };
  /** The loaded request. */
  declare private found: RequestDetails | undefined;
  /** Why the request could not be loaded. */
  declare private errorText: string;
  declare private isEditing: boolean;
  private shownId = '';
  /** The element that had the focus before the drawer was opened. */
  private opener: Element | null = null;
  private readonly reloader: Reloader = createReloader(() => this.load());
  private removeHandlers = (): void => undefined;

  constructor() {
    super();
    this.errorText = '';
    this.isEditing = false;
    watch(this, route, apiKey);
  }

  /** Closes the drawer wherever the focus is, except in a dialog, which handles the key itself. */
  private readonly closeByKey = ({ key, target }: KeyboardEvent): void => {
    if (key === 'Escape' && this.shownId !== '' && !(target as Element).closest('dialog')) this.close();
  };

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener('keydown', this.closeByKey);
    const isShown = (project: string | null): boolean => project === null || project === this.found?.request.project;
    this.removeHandlers = listen({
      // Callbacks are created and change after their request.
      callback: ({ requestId }) => requestId === this.shownId && this.reloader.soon(),
      records: ({ project }) => isShown(project) && this.isWaiting() && this.reloader.soon(),
      // A reset deletes the requests of the project.
      change: ({ project, what }) => isShown(project) && ['reset', 'clock'].includes(what) && this.reloader.soon(),
      missed: () => this.reloader.soon(),
    });
  }

  private isWaiting(): boolean {
    return (this.found?.request.entries.pending ?? 0) > 0;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.removeHandlers();
    this.reloader.end();
    document.removeEventListener('keydown', this.closeByKey);
  }

  protected override willUpdate(): void {
    const { request: id = '' } = route.get().query;
    if (id === this.shownId) return;
    if (this.shownId === '') this.opener = document.activeElement;
    this.shownId = id;
    this.found = undefined;
    this.errorText = '';
    this.isEditing = false;
    if (id !== '') this.reloader.now();
  }

  protected override updated(): void {
    if (this.found?.request.id === this.shownId && this.dataset['focused'] !== this.shownId) {
      this.dataset['focused'] = this.shownId;
      this.querySelector<HTMLElement>('h1')?.focus();
    }
  }

  private async load(): Promise<void> {
    const { shownId: id } = this;
    if (id === '') return;
    try {
      const found = await read(id);
      if (id !== this.shownId) return;
      this.found = found;
      this.errorText = '';
    } catch (error) {
      if (id !== this.shownId) return;
      const isGone = error instanceof ApiError && error.status === 404 && this.found !== undefined;
      // A deleted request cannot be sent again from here, and its records are gone as well.
      if (isGone) this.found = undefined;
      const errorText = error instanceof ApiError ? error.message : String(error);
      this.errorText = isGone
        ? `${errorText}. It was deleted: the project was reset, the sandbox was restarted, or newer requests replaced it.`
        : errorText;
    }
  }

  private close(): void {
    choose({ request: '' });
    delete this.dataset['focused'];
    if (this.opener instanceof HTMLElement) this.opener.focus();
  }

  private readonly showMistake = (): void => {
    const first = this.querySelector<HTMLElement>('.mistake, .mistake-here');
    first?.scrollIntoView({ block: 'center' });
    first?.closest('pre')?.focus({ preventScroll: true });
  };

  protected override render(): TemplateResult | typeof nothing {
    if (this.shownId === '') return nothing;
    const { found } = this;
    return html`
      <aside class="drawer" aria-label="Request">
        <div class="row">
          <h1 tabindex="-1">${found ? toTitle(found.request) : this.shownId}</h1>
          ${found ? statusChip(found.request.status) : nothing}
          <button class="push" @click=${this.close}>Close</button>
        </div>
        ${this.errorText === '' ? nothing : html`<p class="note bad" role="status">${this.errorText}</p>`}
        ${found ? this.renderFound(found) : this.errorText === '' ? html`<p>Loading…</p>` : nothing}
      </aside>
    `;
  }

  private renderFound(details: RequestDetails): TemplateResult {
    const { request: found, callbacks } = details;
    const { request, response } = found;
    const mistakes = mistakesOf(found, callbacks.flatMap(failedOf));
    return html`
      ${renderOutcome(details, mistakes.length > 0 ? this.showMistake : undefined)}
      <p><code>${request.method} ${request.url}</code></p>
      <dl class="facts">
        <dt>Request id</dt><dd class="mono">${found.id}</dd>
        <dt>Project</dt><dd>${found.project ?? 'none'}</dd>
        <dt>Time</dt><dd>${found.at}</dd>
        <dt>Duration</dt><dd>${found.durationMs} ms</dd>
        ${found.fault ? html`<dt>Connection</dt><dd class="bad">${found.fault}</dd>` : nothing}
      </dl>
      ${this.renderActions(found)}
      ${this.isEditing ? renderEditor(found) : nothing}
      <section class="column" aria-label="Request">
        <h2>Request</h2>
        ${headerTable(request.headers)}
        ${request.body === undefined ? html`<p class="quiet">No body.</p>` : jsonView(request.body, mistakes)}
      </section>
      <section class="column" aria-label="Response">
        <h2>Response ${statusChip(response.status)}</h2>
        ${headerTable(response.headers)}
        ${response.body === undefined ? html`<p class="quiet">No body.</p>` : jsonView(response.body)}
      </section>
      ${renderRules(found)}
    `;
  }

  private renderActions(found: RequestSummary): TemplateResult {
    const resend = (): Promise<boolean> =>
      attempt('', async () => {
        const { request } = found;
        const { id } = await sendRequest(request.method, request.url, sentHeaders(request), request.body);
        choose({ request: id });
        notice('good', `Sent. New request: ${id}.`);
      });
    const makeScenario = (): void => {
      draft.set(toDraft(found));
      location.hash = linkTo('scenarios', { edit: 'new' });
    };
    return html`
      <div class="row">
        ${copyButton('Copy as curl', () => toCurl(found))}
        <button @click=${() => download(`${found.id}.har`, 'application/json', toHar(found))}>Download HAR</button>
        <button @click=${resend} ?disabled=${found.request.bodyCut !== undefined}>Send again</button>
        <button aria-pressed=${this.isEditing} @click=${() => (this.isEditing = !this.isEditing)}>Edit and send</button>
        ${found.operation === null ? nothing : html`<button @click=${makeScenario}>Create scenario from this</button>`}
      </div>
    `;
  }
}

/** Loads a request with its callbacks. Also loads the clock of the project if entries are still pending. */
async function read(id: string): Promise<RequestDetails> {
  const request = await callApi<RequestSummary>('GET', `/requests/${encodeURIComponent(id)}`);
  const { project, entries } = request;
  if (project === null) return { request, callbacks: [], clock: undefined };
  const [clock, ...callbacks] = await Promise.all([
    entries.pending > 0 ? callApi<Schemas['Clock']>('GET', projectPath(project, '/clock')) : undefined,
    ...request.callbacks
      .slice(0, maxCallbacks)
      .map((one) => callApi<Schemas['Callback']>('GET', projectPath(project, `/callbacks/${encodeURIComponent(one)}`))),
  ]);
  return { request, callbacks, clock };
}

function toTitle({ operation, method, path }: RequestSummary): string {
  return operation ?? `${method} ${path}`;
}

function headerTable(headers: Readonly<Record<string, string>>): TemplateResult {
  return html`
    <details>
      <summary>Headers</summary>
      <dl class="facts mono">${Object.entries(headers).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
    </details>
  `;
}

customElements.define('request-drawer', RequestDrawer);
