/** The details of one request: request, response, errors, rules, changed records and callbacks. */
import { html, nothing, type TemplateResult } from 'lit';
import { apiKey } from '../data/api-key.ts';
import type { Schemas } from '../data/client.ts';
import type { SandboxEvent } from '../data/events.ts';
import { sendRequest, sentHeaders, toCurl, toHar } from '../data/export-request.ts';
import { forkProject } from '../data/fork-project.ts';
import { locatedErrorsOf } from '../data/located-errors.ts';
import { loadRequest, type RequestDetails } from '../data/request-details.ts';
import { createResource, isOf, type Resource } from '../data/resource.ts';
import { readMessage } from '../data/response-body.ts';
import { choose, linkTo, route } from '../data/route.ts';
import { draft, toDraft } from '../data/scenario-draft.ts';
import { PageElement, watch } from '../element.ts';
import { statusChip } from './chips.ts';
import { copyButton } from './copy-button.ts';
import { download } from './download.ts';
import { jsonView } from './json-view.ts';
import { attempt, errorNote, notice } from './notices.ts';
import { renderEditor } from './request-editor.ts';
import { renderOutcome } from './request-outcome.ts';
import { renderRules } from './request-rules.ts';

type RequestSummary = Schemas['RequestSummary'];

class RequestDrawer extends PageElement {
  static override properties = { isEditing: { state: true } };
  declare private isEditing: boolean;
  private shownId = '';
  /** The element that had the focus before the drawer was opened. */
  private opener: Element | null = null;
  private readonly details: Resource<RequestDetails> = createResource(this, {
    key: () => (this.shownId === '' ? undefined : this.shownId),
    load: () => loadRequest(this.shownId),
    reloadOn: (event) => this.mayChange(event),
  });

  constructor() {
    super();
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
  }

  /** Whether an event may have changed the request. Callbacks are created and change after their request. */
  private mayChange(event: SandboxEvent): boolean {
    if (event.kind === 'callback') return event.requestId === this.shownId;
    const request = this.details.value?.request;
    if (!isOf(event, request?.project ?? undefined)) return false;
    if (event.kind === 'records') return (request?.entries.pending ?? 0) > 0;
    // A reset deletes the requests of the project.
    return event.kind === 'change' && ['reset', 'clock'].includes(event.what);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener('keydown', this.closeByKey);
  }

  protected override willUpdate(): void {
    const { request: id = '' } = route.get().query;
    if (id === this.shownId) return;
    if (this.shownId === '') this.opener = document.activeElement;
    this.shownId = id;
    this.isEditing = false;
  }

  protected override updated(): void {
    if (this.details.value?.request.id === this.shownId && this.dataset['focused'] !== this.shownId) {
      this.dataset['focused'] = this.shownId;
      this.querySelector<HTMLElement>('h1')?.focus();
    }
  }

  private close(): void {
    choose({ request: '' });
    delete this.dataset['focused'];
    if (this.opener instanceof HTMLElement) this.opener.focus();
  }

  private readonly showFirstError = (): void => {
    const first = this.querySelector<HTMLElement>('.error, .error-here');
    first?.scrollIntoView({ block: 'center' });
    first?.closest('pre')?.focus({ preventScroll: true });
  };

  protected override render(): TemplateResult | typeof nothing {
    if (this.shownId === '') return nothing;
    const { value, errorText, isMissing } = this.details;
    // A deleted request cannot be sent again from here, and its records are gone as well.
    const found = isMissing ? undefined : value;
    const isDeleted = isMissing && value !== undefined;
    return html`
      <aside class="drawer" aria-label="Request">
        <div class="row">
          <h1 tabindex="-1">${found ? toTitle(found.request) : this.shownId}</h1>
          ${found ? statusChip(found.request.status) : nothing}
          <button class="push" @click=${this.close}>Close</button>
        </div>
        ${errorNote(isDeleted ? `${errorText}. It was deleted: the project was reset, the sandbox was restarted, or newer requests replaced it.` : errorText)}
        ${found ? this.renderFound(found) : errorText === '' ? html`<p>Loading…</p>` : nothing}
      </aside>
    `;
  }

  private renderFound(details: RequestDetails): TemplateResult {
    const { request: found, callbacks } = details;
    const { request, response } = found;
    const errors = locatedErrorsOf(
      found,
      callbacks.flatMap((callback) => readMessage(callback).failed),
    );
    return html`
      ${renderOutcome(details, errors.length > 0 ? this.showFirstError : undefined)}
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
        ${request.body === undefined ? html`<p class="quiet">No body.</p>` : jsonView(request.body, errors)}
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
    const { project, change } = found;
    const fork = (from: string, atChange: number): Promise<boolean> =>
      attempt('', async () => {
        const to = await forkProject(from, atChange);
        location.hash = linkTo('records', { project: to });
        notice('good', `This is ${to}, a copy of ${from} as it was after the request.`);
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
        ${project === null || change === null ? nothing : html`<button @click=${() => fork(project, change)}>Fork from here</button>`}
      </div>
    `;
  }
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
