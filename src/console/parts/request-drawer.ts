/** One request closely: what came, what was answered, what was wrong with it, which rules acted, what it changed and caused. */
import { html, nothing, type TemplateResult } from 'lit';
import { apiKey } from '../data/api-key.ts';
import { ask, ofProject, Refusal, type Schemas } from '../data/client.ts';
import { draft, toDraft } from '../data/draft.ts';
import { listen } from '../data/events.ts';
import { type Fresh, keepFresh } from '../data/fresh.ts';
import { sendAgain, sentHeaders, toCurl, toHar } from '../data/message.ts';
import { mistakesOf } from '../data/mistakes.ts';
import { choose, linkTo, route } from '../data/route.ts';
import { PageElement, watch } from '../element.ts';
import { copyButton } from './copy-button.ts';
import { download } from './download.ts';
import { jsonView } from './json-view.ts';
import { attempt, notice } from './notices.ts';
import { renderEditor } from './request-editor.ts';
import { failedOf, renderOutcome, type ToldRequest } from './request-outcome.ts';
import { renderRules } from './request-rules.ts';
import { statusChip } from './status.ts';

type Journalled = Schemas['RequestSummary'];

/** Of more callbacks of one request the first are asked for. */
const mostCallbacks = 10;

class RequestDrawer extends PageElement {
  static override properties = { found: { state: true }, why: { state: true }, isEditing: { state: true } };
  /** What is shown, once it has come. */
  declare private found: ToldRequest | undefined;
  /** Why nothing is. */
  declare private why: string;
  declare private isEditing: boolean;
  private shownId = '';
  /** What had the focus before it was opened. */
  private opener: Element | null = null;
  private readonly fresh: Fresh = keepFresh(() => this.load());
  private endListening = (): void => undefined;

  constructor() {
    super();
    this.why = '';
    this.isEditing = false;
    watch(this, route, apiKey);
  }

  /** Wherever the focus is; a dialog has its own. */
  private readonly closeByKey = ({ key, target }: KeyboardEvent): void => {
    if (key === 'Escape' && this.shownId !== '' && !(target as Element).closest('dialog')) this.close();
  };

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener('keydown', this.closeByKey);
    const isOurs = (project: string | null): boolean => project === null || project === this.found?.request.project;
    this.endListening = listen({
      // Callbacks come later than their request, and change.
      callback: ({ requestId }) => requestId === this.shownId && this.fresh.soon(),
      records: ({ project }) => isOurs(project) && this.isWaiting() && this.fresh.soon(),
      // A project that was reset has lost its requests.
      change: ({ project, what }) => isOurs(project) && ['reset', 'clock'].includes(what) && this.fresh.soon(),
      missed: () => this.fresh.soon(),
    });
  }

  private isWaiting(): boolean {
    return (this.found?.request.entries.pending ?? 0) > 0;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.endListening();
    this.fresh.end();
    document.removeEventListener('keydown', this.closeByKey);
  }

  protected override willUpdate(): void {
    const { request: id = '' } = route.get().query;
    if (id === this.shownId) return;
    if (this.shownId === '') this.opener = document.activeElement;
    this.shownId = id;
    this.found = undefined;
    this.why = '';
    this.isEditing = false;
    if (id !== '') this.fresh.now();
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
      this.why = '';
    } catch (error) {
      if (id !== this.shownId) return;
      const isGone = error instanceof Refusal && error.status === 404 && this.found !== undefined;
      // What is not there any more can't be sent again from here, and its records are gone, too.
      if (isGone) this.found = undefined;
      const why = error instanceof Refusal ? error.message : String(error);
      this.why = isGone
        ? `${why} any more: its project was reset, the sandbox started anew, or newer ones took its place`
        : why;
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
        ${this.why === '' ? nothing : html`<p class="note bad" role="status">${this.why}</p>`}
        ${found ? this.renderFound(found) : this.why === '' ? html`<p>Loading…</p>` : nothing}
      </aside>
    `;
  }

  private renderFound(told: ToldRequest): TemplateResult {
    const { request: found, callbacks } = told;
    const { request, response } = found;
    const mistakes = mistakesOf(found, callbacks.flatMap(failedOf));
    return html`
      ${renderOutcome(told, mistakes.length > 0 ? this.showMistake : undefined)}
      <p><code>${request.method} ${request.url}</code></p>
      <dl class="facts">
        <dt>Request id</dt><dd class="mono">${found.id}</dd>
        <dt>Project</dt><dd>${found.project ?? 'none'}</dd>
        <dt>At</dt><dd>${found.at}</dd>
        <dt>Took</dt><dd>${found.durationMs} ms</dd>
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

  private renderActions(found: Journalled): TemplateResult {
    const again = (): Promise<boolean> =>
      attempt('', async () => {
        const { request } = found;
        const { id } = await sendAgain(request.method, request.url, sentHeaders(request), request.body);
        choose({ request: id });
        notice('good', `Sent again: this is the new request, ${id}.`);
      });
    const makeScenario = (): void => {
      draft.set(toDraft(found));
      location.hash = linkTo('scenarios', { edit: 'new' });
    };
    return html`
      <div class="row">
        ${copyButton('Copy as curl', () => toCurl(found))}
        <button @click=${() => download(`${found.id}.har`, 'application/json', toHar(found))}>Download HAR</button>
        <button @click=${again} ?disabled=${found.request.bodyCut !== undefined}>Send again</button>
        <button aria-pressed=${this.isEditing} @click=${() => (this.isEditing = !this.isEditing)}>Edit and send</button>
        ${found.operation === null ? nothing : html`<button @click=${makeScenario}>Make a scenario of this</button>`}
      </div>
    `;
  }
}

/** A request with its callbacks, and the clock of its project where something still waits for it. */
async function read(id: string): Promise<ToldRequest> {
  const request = await ask<Journalled>('GET', `/requests/${encodeURIComponent(id)}`);
  const { project, entries } = request;
  if (project === null) return { request, callbacks: [], clock: undefined };
  const [clock, ...callbacks] = await Promise.all([
    entries.pending > 0 ? ask<Schemas['Clock']>('GET', ofProject(project, '/clock')) : undefined,
    ...request.callbacks
      .slice(0, mostCallbacks)
      .map((one) => ask<Schemas['Callback']>('GET', ofProject(project, `/callbacks/${encodeURIComponent(one)}`))),
  ]);
  return { request, callbacks, clock };
}

function toTitle({ operation, method, path }: Journalled): string {
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
