/** The details of one callback: why it was created, each attempt, and its outcome. */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { ApiError, callApi, projectPath, type Schemas } from '../../data/client.ts';
import { type ClockReading, readClock, runningNow } from '../../data/project-clock.ts';
import { followProject } from '../../data/project-feed.ts';
import { linkTo, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { copyButton } from '../../parts/copy-button.ts';
import { empty } from '../../parts/empty.ts';
import { everySecond } from '../../parts/every-second.ts';
import { jsonView } from '../../parts/json-view.ts';
import { keepFocus } from '../../parts/keep-focus.ts';
import { attempt, notice } from '../../parts/notices.ts';
import { type Attempt, type Callback, messageOf, stateChip } from './labels.ts';
import { failedList } from './table.ts';
import { timeline } from './timeline.ts';

/** The data that is loaded together. */
export interface ShownCallback {
  readonly callback: Callback;
  readonly endpoint: Schemas['CallbackEndpoint'];
  readonly reading: ClockReading;
  /** The attempts that are still pending, including those of copies. */
  readonly due: readonly Schemas['PendingThing'][];
  /** The request that caused the callback, while the journal contains it. */
  readonly request: Schemas['RequestSummary'] | undefined;
}

class CallbackView extends PageElement {
  static override properties = {
    project: { attribute: false },
    callbackId: { attribute: false },
    shown: { state: true },
    errorText: { state: true },
    isSending: { state: true },
  };
  declare project: string;
  declare callbackId: string;
  declare private shown: ShownCallback | undefined;
  /** Why nothing is shown. */
  declare private errorText: string;
  declare private isSending: boolean;
  private readonly reloader = followProject(
    this,
    (soon) => ({
      // An attempt of another callback may have disabled the endpoint.
      callback: ({ project }) => project === this.project && soon(),
      change: ({ project }) => (project === null || project === this.project) && soon(),
    }),
    () => this.load(),
  );

  constructor() {
    super();
    this.errorText = '';
    this.isSending = false;
    watch(this, route);
    keepFocus(this);
    everySecond(this, () => (this.shown?.callback.state === 'scheduled' ? runningNow(this.shown.reading) : undefined));
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('project') && !changed.has('callbackId')) return;
    this.shown = undefined;
    this.errorText = '';
    this.reloader.now();
  }

  private async load(): Promise<void> {
    const { project, callbackId: id } = this;
    const isCurrent = (): boolean => project === this.project && id === this.callbackId;
    try {
      const callback = await callApi<Callback>('GET', projectPath(project, `/callbacks/${encodeURIComponent(id)}`));
      const [endpoint, reading, pending, request] = await Promise.all([
        callApi<Schemas['CallbackEndpoint']>('GET', projectPath(project, '/callback-endpoint')),
        readClock(project),
        callApi<Schemas['PendingPage']>('GET', projectPath(project, '/pending?limit=1000')),
        // A request in the journal does not change.
        this.shown?.request ?? findRequest(project, callback.requestId),
      ]);
      if (!isCurrent()) return;
      this.shown = {
        callback,
        endpoint,
        reading,
        due: pending.items.filter(({ callbackId }) => callbackId === id),
        request,
      };
      this.errorText = '';
    } catch (error) {
      if (!isCurrent()) return;
      if (error instanceof ApiError && error.status === 404) this.shown = undefined;
      this.errorText = error instanceof ApiError ? error.message : String(error);
    }
  }

  private async redeliver(): Promise<void> {
    if (this.isSending) return;
    this.isSending = true;
    const path = projectPath(this.project, `/callbacks/${encodeURIComponent(this.callbackId)}/redeliver`);
    await attempt('', async () => {
      const { status = 0, error } = await callApi<Attempt>('POST', path);
      const isDelivered = status >= 200 && status < 300;
      notice(
        isDelivered ? 'good' : 'bad',
        isDelivered ? `Delivered: ${status}.` : `Not delivered: ${error ?? status}.`,
      );
    });
    this.isSending = false;
    this.reloader.now();
  }

  protected override render(): TemplateResult {
    const { shown, errorText } = this;
    const { query } = route.get();
    return html`
      <div><a class="button" href=${linkTo('callbacks', { ...query, callback: '' })}>← All callbacks</a></div>
      <h1 tabindex="-1">Callback <span class="mono">${this.callbackId}</span></h1>
      ${errorText === '' || !shown ? nothing : html`<p class="note bad">${errorText}</p>`}
      ${shown ? this.renderShown(shown) : errorText === '' ? html`<p class="quiet">Loading…</p>` : this.renderMissing()}
    `;
  }

  private renderShown(shown: ShownCallback): TemplateResult {
    const { callback } = shown;
    const { failed, subProjectId } = messageOf(callback);
    const text = JSON.stringify(callback.body, null, 2);
    return html`
      <dl class="facts">
        <dt>State</dt><dd><span role="status">${stateChip(callback.state)}</span></dd>
        <dt>Type</dt><dd>${callback.type}</dd>
        <dt>Project</dt><dd>${this.project}${subProjectId === undefined ? nothing : html`, subproject ${subProjectId}`}</dd>
      </dl>
      ${this.renderRedeliver(shown)}
      <section class="column"><h2>Timeline</h2>${timeline(shown)}</section>
      <section class="column"><h2>Failed entries</h2>${failedList(failed)}</section>
      <section class="column">
        <div class="row"><h2>Payload</h2>${copyButton('Copy as JSON', () => text)}</div>
        ${jsonView(text)}
      </section>
    `;
  }

  private renderRedeliver({ endpoint }: ShownCallback): TemplateResult {
    const toEndpoint = html`<a href=${linkTo('callbacks', { project: this.project, view: 'endpoint' })}>endpoint</a>`;
    if (endpoint.url === null) {
      return html`<p class="note">To send it, set an ${toEndpoint} for the project. Without one, callbacks are stored in the inbox.</p>`;
    }
    return html`
      <div class="row">
        <button class="main" @click=${this.redeliver}>${this.isSending ? 'Sending…' : 'Redeliver'}</button>
        <span class="quiet">Sends it now to the ${toEndpoint} <code>${endpoint.url}</code>${endpoint.disabled ? ', although it is disabled' : nothing}.</span>
      </div>
    `;
  }

  private renderMissing(): TemplateResult {
    return empty(
      `No callback ${this.callbackId} in project ${this.project}`,
      html`<p>It may be in another project, or this project was reset.</p>`,
    );
  }
}

/** Returns the request, or undefined if the journal does not contain it anymore. */
async function findRequest(project: string, id: string): Promise<Schemas['RequestSummary'] | undefined> {
  try {
    return await callApi('GET', projectPath(project, `/requests/${encodeURIComponent(id)}`));
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

customElements.define('callback-view', CallbackView);
