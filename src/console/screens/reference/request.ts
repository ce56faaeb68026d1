/** The request of an operation as a form, with its response and as code. */
import { html, nothing, type TemplateResult } from 'lit';
import { apiUrl } from '../../api.ts';
import { apiKey } from '../../data/api-key.ts';
import { settings } from '../../data/live.ts';
import { readJson } from '../../data/response-body.ts';
import { linkTo } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { type BuiltRequest, buildRequest } from './build-request.ts';
import './code-view.ts';
import type { ApiOperation, Reference } from './document.ts';
import { createDraft, type Draft, drafts, type KnownRecord, loadKnown, nextId, updatedCollection } from './draft.ts';
import { renewIds } from './example-ids.ts';
import { renderFields, scenario, scenarioNames, server } from './request-fields.ts';
import { renderResponse, type Sent, send } from './response.ts';

/** Operations that create what others update. */
const creators = {
  jobs: 'syncCreateJobs',
  orders: 'syncImportOrders',
  users: 'registerUser',
  routes: 'syncCreateRoutes',
};

class ReferenceRequest extends PageElement {
  static override properties = {
    reference: { attribute: false },
    operation: { attribute: false },
    project: { attribute: false },
    draft: { state: true },
    sent: { state: true },
    keepsIds: { state: true },
  };
  declare reference: Reference;
  declare operation: ApiOperation;
  declare project: string;
  declare private draft: Draft;
  declare private sent: Sent | undefined;
  /** Whether a second sending keeps the ids of the first. */
  declare private keepsIds: boolean;
  private known: readonly KnownRecord[] | undefined;

  constructor() {
    super();
    this.keepsIds = false;
    watch(this, apiKey, settings, server, scenario, scenarioNames);
  }

  protected override willUpdate(changed: ReadonlyMap<PropertyKey, unknown>): void {
    if (!changed.has('operation') && !changed.has('project')) return;
    if (changed.has('operation')) this.sent = undefined;
    this.known = undefined;
    const kept = drafts.get(this.operation.id);
    this.keep(kept?.isTyped ? kept : this.fill(kept?.example));
    void this.loadRecords();
  }

  private keep(draft: Draft): void {
    this.draft = draft;
    drafts.set(this.operation.id, draft);
  }

  private fill(name: string | undefined): Draft {
    const examples = this.operation.body?.examples ?? [];
    const example = examples.find((one) => one.name === name) ?? examples[0];
    return createDraft(this.operation, example, this.project, this.known ?? []);
  }

  /** Fills in a record that exists, if the operation updates one. */
  private async loadRecords(): Promise<void> {
    const { operation, project } = this;
    if (updatedCollection(operation) === undefined) return;
    const known = await loadKnown(project, operation);
    if (operation !== this.operation || project !== this.project) return;
    this.known = known;
    if (known.length > 0 && !this.draft.isTyped) this.keep(this.fill(this.draft.example));
    this.requestUpdate();
  }

  private build(): BuiltRequest {
    const { operation, project, reference, draft } = this;
    const key = [reference.keyHeader, apiKey.get()] as const;
    return buildRequest(operation, { project, key, scenario: scenario.get(), values: draft.values, body: draft.text });
  }

  private readonly setValue = (name: string, value: string): void => {
    this.keep({ ...this.draft, values: { ...this.draft.values, [name]: value } });
  };

  private readonly send = async (event?: Event): Promise<void> => {
    event?.preventDefault();
    if (this.sent?.is === 'sent' || server.get() !== apiUrl) return;
    if (this.draft.isSent && !this.keepsIds) this.keep({ ...this.draft, ...renewIds(this.draft, nextId) });
    const { operation } = this;
    this.sent = { is: 'sent' };
    this.keep({ ...this.draft, isSent: true });
    const sent = await send(this.build());
    if (operation !== this.operation) return;
    this.sent = sent;
    await this.updateComplete;
    this.querySelector('.reference-response')?.scrollIntoView({ block: 'nearest' });
  };

  protected override render(): TemplateResult {
    const { operation, reference, project, draft } = this;
    return html`
      <form class="request-form" aria-label="Request" @submit=${this.send} @keydown=${this.sendByKey}>
        <div class="row">
          <h2>Request</h2>
          <button class="main push" ?disabled=${server.get() !== apiUrl} title="Ctrl+Enter">${this.sent?.is === 'sent' ? 'Sending…' : 'Send'}</button>
        </div>
        ${settings.get()?.apiKey === null ? html`<p class="note warn">This sandbox has its own API keys. Enter one of them to send requests.</p>` : nothing}
        ${renderFields({ reference, operation, project, values: draft.values, setValue: this.setValue })}
        ${this.renderHint()}
        ${operation.body ? this.renderBody() : nothing}
      </form>
      <section class="reference-response" aria-label="Response">
        ${this.sent ? renderResponse(this.sent) : html`<p class="quiet">The response is shown here. The request is also listed under <a href=${linkTo('live')}>Requests</a>.</p>`}
      </section>
      <code-samples .server=${server.get()} .request=${this.build()}></code-samples>
    `;
  }

  private readonly sendByKey = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void this.send(event);
  };

  /** Names the operation to call first if there is nothing to update. */
  private renderHint(): TemplateResult | typeof nothing {
    const collection = updatedCollection(this.operation);
    if (collection === undefined || this.known === undefined || this.known.length > 0) return nothing;
    const creator = creators[collection];
    return html`<p class="quiet">Project ${this.project} has no ${collection} to update yet. Create one with <a href=${linkTo('reference', { operation: creator })}>${creator}</a>.</p>`;
  }

  private renderBody(): TemplateResult {
    const { draft } = this;
    const examples = this.operation.body?.examples ?? [];
    const choice = ({ target }: Event): void => {
      this.keep({ ...this.fill((target as HTMLSelectElement).value), values: draft.values });
    };
    const type = ({ target }: Event): void => {
      this.keep({ ...draft, text: (target as HTMLTextAreaElement).value, isTyped: true });
    };
    const isCreation = updatedCollection(this.operation) === undefined && draft.ids.length > 0;
    return html`
      <div class="request-body">
        <div class="row">
          <label class="grow">Example<select class="grow" @change=${choice}>${examples.map(({ name, title }) => html`<option value=${name} ?selected=${name === draft.example}>${title}</option>`)}</select></label>
        </div>
        <textarea aria-label="Request body" rows="12" spellcheck="false" .value=${draft.text} @input=${type}></textarea>
        ${draft.text !== '' && readJson(draft.text) === undefined ? html`<p class="warn">The body is not JSON.</p>` : nothing}
        ${
          isCreation
            ? html`<label><input type="checkbox" .checked=${!this.keepsIds} @change=${({ target }: Event) => {
                this.keepsIds = !(target as HTMLInputElement).checked;
              }} />New ids each time it is sent</label>`
            : nothing
        }
      </div>
    `;
  }
}

customElements.define('reference-request', ReferenceRequest);
