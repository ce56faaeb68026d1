/** The details of one callback: why it was created, each attempt, and its outcome. */
import { html, nothing, type TemplateResult } from 'lit';
import { callApi, projectPath } from '../../data/client.ts';
import { runningNow } from '../../data/project-clock.ts';
import { createResource, isOf } from '../../data/resource.ts';
import { readMessage } from '../../data/response-body.ts';
import { linkTo, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { stateChip } from '../../parts/chips.ts';
import { copyButton } from '../../parts/copy-button.ts';
import { empty } from '../../parts/empty.ts';
import { everySecond } from '../../parts/every-second.ts';
import { jsonView } from '../../parts/json-view.ts';
import { keepFocus } from '../../parts/keep-focus.ts';
import { attempt, errorNote, notice } from '../../parts/notices.ts';
import type { Attempt } from './labels.ts';
import { loadShownCallback, type ShownCallback } from './load.ts';
import { failedList } from './table.ts';
import { timeline } from './timeline.ts';

class CallbackView extends PageElement {
  static override properties = {
    project: { attribute: false },
    callbackId: { attribute: false },
    isSending: { state: true },
  };
  declare project: string;
  declare callbackId: string;
  declare private isSending: boolean;
  private readonly resource = createResource(this, {
    key: () => `${this.project}/${this.callbackId}`,
    load: () => loadShownCallback(this.project, this.callbackId),
    // An attempt of another callback may have disabled the endpoint.
    reloadOn: (event) => ['callback', 'change'].includes(event.kind) && isOf(event, this.project),
  });

  constructor() {
    super();
    this.isSending = false;
    watch(this, route);
    keepFocus(this);
    everySecond(this, () => {
      const shown = this.resource.value;
      return shown?.callback.state === 'scheduled' ? runningNow(shown.reading) : undefined;
    });
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
    this.resource.reload();
  }

  protected override render(): TemplateResult {
    const { value, errorText, isMissing } = this.resource;
    const shown = isMissing ? undefined : value;
    const { query } = route.get();
    return html`
      <div><a class="button" href=${linkTo('callbacks', { ...query, callback: '' })}>← All callbacks</a></div>
      <h1 tabindex="-1">Callback <span class="mono">${this.callbackId}</span></h1>
      ${isMissing ? nothing : errorNote(errorText)}
      ${shown ? this.renderShown(shown) : isMissing ? this.renderMissing() : errorText === '' ? html`<p class="quiet">Loading…</p>` : nothing}
    `;
  }

  private renderShown(shown: ShownCallback): TemplateResult {
    const { callback } = shown;
    const { failed, subProjectId } = readMessage(callback);
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

customElements.define('callback-view', CallbackView);
