/** One callback closely: why it was raised, each attempt to deliver it, and what became of it. */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { ask, ofProject, Refusal, type Schemas } from '../data/client.ts';
import { askClock, runningNow, type ToldClock } from '../data/project-clock.ts';
import { followProject } from '../data/project-feed.ts';
import { linkTo, route } from '../data/route.ts';
import { PageElement, watch } from '../element.ts';
import { copyButton } from '../parts/copy-button.ts';
import { empty } from '../parts/empty.ts';
import { everySecond } from '../parts/every-second.ts';
import { jsonView } from '../parts/json-view.ts';
import { keepFocus } from '../parts/keep-focus.ts';
import { attempt, notice } from '../parts/notices.ts';
import { failedList } from './callbacks-table.ts';
import { timeline } from './callbacks-timeline.ts';
import { type Attempt, type Callback, messageOf, stateChip } from './callbacks-words.ts';

/** What is asked for together. */
export interface ShownCallback {
  readonly callback: Callback;
  readonly endpoint: Schemas['CallbackEndpoint'];
  readonly told: ToldClock;
  /** Attempts that are still to be made, with its copies. */
  readonly due: readonly Schemas['PendingThing'][];
  /** The request that it was raised by, while the journal holds it. */
  readonly request: Schemas['RequestSummary'] | undefined;
}

class CallbackView extends PageElement {
  static override properties = {
    project: { attribute: false },
    callbackId: { attribute: false },
    shown: { state: true },
    why: { state: true },
    isSending: { state: true },
  };
  declare project: string;
  declare callbackId: string;
  declare private shown: ShownCallback | undefined;
  /** Why nothing is shown. */
  declare private why: string;
  declare private isSending: boolean;
  private readonly fresh = followProject(
    this,
    (soon) => ({
      // Another one's attempt may have disabled the endpoint.
      callback: ({ project }) => project === this.project && soon(),
      change: ({ project }) => (project === null || project === this.project) && soon(),
    }),
    () => this.load(),
  );

  constructor() {
    super();
    this.why = '';
    this.isSending = false;
    watch(this, route);
    keepFocus(this);
    everySecond(this, () => (this.shown?.callback.state === 'scheduled' ? runningNow(this.shown.told) : undefined));
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('project') && !changed.has('callbackId')) return;
    this.shown = undefined;
    this.why = '';
    this.fresh.now();
  }

  private async load(): Promise<void> {
    const { project, callbackId: id } = this;
    const isCurrent = (): boolean => project === this.project && id === this.callbackId;
    try {
      const callback = await ask<Callback>('GET', ofProject(project, `/callbacks/${encodeURIComponent(id)}`));
      const [endpoint, told, pending, request] = await Promise.all([
        ask<Schemas['CallbackEndpoint']>('GET', ofProject(project, '/callback-endpoint')),
        askClock(project),
        ask<Schemas['PendingPage']>('GET', ofProject(project, '/pending?limit=1000')),
        // It does not change any more.
        this.shown?.request ?? askRequest(project, callback.requestId),
      ]);
      if (!isCurrent()) return;
      this.shown = {
        callback,
        endpoint,
        told,
        due: pending.items.filter(({ callbackId }) => callbackId === id),
        request,
      };
      this.why = '';
    } catch (error) {
      if (!isCurrent()) return;
      if (error instanceof Refusal && error.status === 404) this.shown = undefined;
      this.why = error instanceof Refusal ? error.message : String(error);
    }
  }

  private async redeliver(): Promise<void> {
    if (this.isSending) return;
    this.isSending = true;
    const path = ofProject(this.project, `/callbacks/${encodeURIComponent(this.callbackId)}/redeliver`);
    await attempt('', async () => {
      const { status = 0, error } = await ask<Attempt>('POST', path);
      const isTaken = status >= 200 && status < 300;
      notice(isTaken ? 'good' : 'bad', isTaken ? `Delivered: ${status}.` : `Sent, and not taken: ${error ?? status}.`);
    });
    this.isSending = false;
    this.fresh.now();
  }

  protected override render(): TemplateResult {
    const { shown, why } = this;
    const { query } = route.get();
    return html`
      <div><a class="button" href=${linkTo('callbacks', { ...query, callback: '' })}>← All callbacks</a></div>
      <h1 tabindex="-1">Callback <span class="mono">${this.callbackId}</span></h1>
      ${why === '' || !shown ? nothing : html`<p class="note bad">${why}</p>`}
      ${shown ? this.renderShown(shown) : why === '' ? html`<p class="quiet">Loading…</p>` : this.renderMissing()}
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
      <section class="column"><h2>What failed</h2>${failedList(failed)}</section>
      <section class="column">
        <div class="row"><h2>The message as it is meant</h2>${copyButton('Copy as JSON', () => text)}</div>
        ${jsonView(text)}
      </section>
    `;
  }

  private renderRedeliver({ endpoint }: ShownCallback): TemplateResult {
    const toEndpoint = html`<a href=${linkTo('callbacks', { project: this.project, view: 'endpoint' })}>endpoint</a>`;
    if (endpoint.url === null) {
      return html`<p class="note">To send it, give the project an ${toEndpoint} first: it has none, so callbacks are kept here.</p>`;
    }
    return html`
      <div class="row">
        <button class="main" @click=${this.redeliver}>${this.isSending ? 'Sending…' : 'Redeliver'}</button>
        <span class="quiet">at once, to ${toEndpoint} <code>${endpoint.url}</code>${endpoint.disabled ? ', though it is disabled' : nothing}</span>
      </div>
    `;
  }

  private renderMissing(): TemplateResult {
    return empty(
      `There is no callback ${this.callbackId} in project ${this.project}`,
      html`<p>${this.why}. Is it in another project, or was this one reset?</p>`,
    );
  }
}

/** The request, or undefined where the journal does not hold it any more. */
async function askRequest(project: string, id: string): Promise<Schemas['RequestSummary'] | undefined> {
  try {
    return await ask('GET', ofProject(project, `/requests/${encodeURIComponent(id)}`));
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return undefined;
    throw error;
  }
}

customElements.define('callback-view', CallbackView);
