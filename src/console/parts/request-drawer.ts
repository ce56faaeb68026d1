/** One request closely: what came, what was answered, what was wrong with it, which rules acted, what it changed and caused. */
import { html, nothing, type TemplateResult } from 'lit';
import { apiKey } from '../data/api-key.ts';
import { ask, Refusal, type Schemas } from '../data/client.ts';
import { draft, toDraft } from '../data/draft.ts';
import { listen } from '../data/events.ts';
import { sendAgain, sentHeaders, toCurl, toHar } from '../data/message.ts';
import { mistakesOf } from '../data/mistakes.ts';
import { choose, linkTo, route } from '../data/route.ts';
import { PageElement, watch } from '../element.ts';
import { copyButton } from './copy-button.ts';
import { download } from './download.ts';
import { jsonView } from './json-view.ts';
import { attempt } from './notices.ts';
import { statusChip } from './status.ts';

type Journalled = Schemas['RequestSummary'];

class RequestDrawer extends PageElement {
  static override properties = { found: { state: true }, why: { state: true }, isEditing: { state: true } };
  /** What is shown, once it has come. */
  declare private found: Journalled | undefined;
  /** Why nothing is. */
  declare private why: string;
  declare private isEditing: boolean;
  private shownId = '';
  /** What had the focus before it was opened. */
  private opener: Element | null = null;
  private endListening = (): void => undefined;

  constructor() {
    super();
    this.why = '';
    this.isEditing = false;
    watch(this, route, apiKey);
    this.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.close();
    });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    // Callbacks come later than their request, and change.
    this.endListening = listen({
      callback: ({ requestId }) => {
        if (requestId === this.shownId) void this.load(requestId);
      },
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.endListening();
  }

  protected override willUpdate(): void {
    const { request: id = '' } = route.get().query;
    if (id === this.shownId) return;
    if (this.shownId === '') this.opener = document.activeElement;
    this.shownId = id;
    this.found = undefined;
    this.why = '';
    this.isEditing = false;
    if (id !== '') void this.load(id);
  }

  protected override updated(): void {
    if (this.found && this.found.id === this.shownId && this.dataset['focused'] !== this.shownId) {
      this.dataset['focused'] = this.shownId;
      this.querySelector<HTMLElement>('h1')?.focus();
    }
  }

  private async load(id: string): Promise<void> {
    try {
      const found = await ask<Journalled>('GET', `/requests/${encodeURIComponent(id)}`);
      if (id === this.shownId) this.found = found;
    } catch (error) {
      if (id === this.shownId) this.why = error instanceof Refusal ? error.message : String(error);
    }
  }

  private close(): void {
    choose({ request: '' });
    delete this.dataset['focused'];
    if (this.opener instanceof HTMLElement) this.opener.focus();
  }

  protected override render(): TemplateResult | typeof nothing {
    if (this.shownId === '') return nothing;
    const { found } = this;
    return html`
      <aside class="drawer" aria-label="Request">
        <div class="row">
          <h1 tabindex="-1">${found ? (found.operation ?? `${found.method} ${found.path}`) : this.shownId}</h1>
          ${found ? statusChip(found.status) : nothing}
          <button class="push" @click=${this.close}>Close</button>
        </div>
        ${found ? this.renderFound(found) : html`<p>${this.why === '' ? 'Loading…' : this.why}</p>`}
      </aside>
    `;
  }

  private renderFound(found: Journalled): TemplateResult {
    const { request, response } = found;
    const mistakes = mistakesOf(found);
    return html`
      <p><code>${request.method} ${request.url}</code></p>
      <dl class="facts">
        <dt>Request id</dt><dd class="mono">${found.id}</dd>
        <dt>Project</dt><dd>${found.project ?? 'none'}</dd>
        <dt>At</dt><dd>${found.at}</dd>
        <dt>Took</dt><dd>${found.durationMs} ms</dd>
        ${found.fault ? html`<dt>Connection</dt><dd class="bad">${found.fault}</dd>` : nothing}
      </dl>
      ${this.renderActions(found)}
      ${this.isEditing ? this.renderEditor(found) : nothing}
      ${
        mistakes.length > 0
          ? html`<p class="note warn">${mistakes.length === 1 ? 'One remark' : `${mistakes.length} remarks`}: each stands at its place below.</p>`
          : nothing
      }
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
      ${this.renderRules(found)}
      ${this.renderChanges(found)}
      <section class="column" aria-label="Callbacks">
        <h2>Callbacks</h2>
        ${
          found.callbacks.length === 0
            ? html`<p class="quiet">It caused none so far.</p>`
            : html`<ul>${found.callbacks.map((id) => html`<li><a href=${linkTo('callbacks', { project: found.project ?? '', callback: id })}>${id}</a></li>`)}</ul>`
        }
      </section>
    `;
  }

  private renderActions(found: Journalled): TemplateResult {
    const again = (): Promise<boolean> =>
      attempt('', async () => {
        const { request } = found;
        const { id } = await sendAgain(request.method, request.url, sentHeaders(request), request.body);
        choose({ request: id });
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

  private renderEditor(found: Journalled): TemplateResult {
    const { request } = found;
    const headers = sentHeaders(request)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n');
    const send = (event: SubmitEvent): void => {
      event.preventDefault();
      const form = new FormData(event.target as HTMLFormElement);
      const body = String(form.get('body'));
      const lines = String(form.get('headers'))
        .split('\n')
        .filter((line) => line.includes(':'));
      const sent = lines.map((line) => {
        const at = line.indexOf(':');
        return [line.slice(0, at).trim(), line.slice(at + 1).trim()] as const;
      });
      void attempt('', async () => {
        const { id } = await sendAgain(
          String(form.get('method')),
          String(form.get('url')),
          sent,
          body === '' ? undefined : body,
        );
        choose({ request: id });
      });
    };
    return html`
      <form class="card column" @submit=${send}>
        <div class="row">
          <label class="field">Method<input name="method" size="7" .value=${request.method} /></label>
          <label class="field grow">Path<input name="url" .value=${request.url} /></label>
        </div>
        <label class="field">Headers<textarea name="headers" rows="4" .value=${headers}></textarea></label>
        <label class="field">Body<textarea name="body" rows="12" .value=${pretty(request.body)}></textarea></label>
        <div><button class="main">Send</button></div>
      </form>
    `;
  }

  private renderRules({ rules }: Journalled): TemplateResult {
    const fired = rules.filter((rule) => rule.fired);
    const missed = rules.filter((rule) => !rule.fired);
    const row = ({ scenario, rule, why }: Journalled['rules'][number]) =>
      html`<tr><td>${scenario}</td><td>${rule}</td><td>${why}</td></tr>`;
    const table = (all: Journalled['rules']) => html`
      <div class="scroll"><table><thead><tr><th>Scenario</th><th>Rule</th><th>Why</th></tr></thead><tbody>${all.map(row)}</tbody></table></div>
    `;
    return html`
      <section class="column" aria-label="Rules">
        <h2>Rules of scenarios</h2>
        ${fired.length === 0 ? html`<p class="quiet">None acted on it.</p>` : table(fired)}
        ${
          missed.length === 0
            ? nothing
            : html`<details><summary>${missed.length} considered that did not act: which condition failed, and what it saw</summary>${table(missed)}</details>`
        }
      </section>
    `;
  }

  private renderChanges({ changed = [], project }: Journalled): TemplateResult {
    return html`
      <section class="column" aria-label="Records">
        <h2>Records it changed</h2>
        ${
          changed.length === 0
            ? html`<p class="quiet">None.</p>`
            : html`<ul>${changed.map(({ collection, id }) => html`<li><a href=${linkTo('records', { project: project ?? '', collection, record: id, request: '' })}>${collection} ${id}</a></li>`)}</ul>`
        }
      </section>
    `;
  }
}

function headerTable(headers: Readonly<Record<string, string>>): TemplateResult {
  return html`
    <details>
      <summary>Headers</summary>
      <dl class="facts mono">${Object.entries(headers).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
    </details>
  `;
}

function pretty(body: string | undefined): string {
  try {
    return JSON.stringify(JSON.parse(body ?? ''), null, 2);
  } catch {
    return body ?? '';
  }
}

customElements.define('request-drawer', RequestDrawer);
