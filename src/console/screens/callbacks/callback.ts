/** The detail of one callback: header, actions, and the tabs Overview, Message and Attempts. */
import { html, nothing, type TemplateResult } from 'lit';
import { callApi, projectPath } from '../../data/client.ts';
import { nowOf, runningNow } from '../../data/project-clock.ts';
import { createResource, isOf } from '../../data/resource.ts';
import { readMessage } from '../../data/response-body.ts';
import { choose, linkTo, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { stateChip } from '../../parts/chips.ts';
import { copyButton, copyText } from '../../parts/copy-button.ts';
import { detailHeader } from '../../parts/detail-header.ts';
import { everySecond } from '../../parts/every-second.ts';
import { icon } from '../../parts/icon.ts';
import { jsonView } from '../../parts/json-view.ts';
import { attempt, errorNote, notice } from '../../parts/notices.ts';
import { skeleton } from '../../parts/skeleton.ts';
import { tabbed } from '../../parts/tabs.ts';
import { renderAttempts } from './attempts.ts';
import type { Attempt } from './labels.ts';
import { loadShownCallback, type ShownCallback } from './load.ts';
import { renderOverview } from './overview.ts';

/** The names are values of `detail` in the URL. */
const tabs = [
  { name: 'overview', title: 'Overview' },
  { name: 'message', title: 'Message' },
  { name: 'attempts', title: 'Attempts' },
] as const;

class CallbackView extends PageElement {
  static override properties = {
    project: { attribute: false },
    callbackId: { attribute: false },
    takesFocus: { attribute: false },
    isSending: { state: true },
  };
  declare project: string;
  declare callbackId: string;
  /** Whether the heading takes the focus when a callback opens. */
  declare takesFocus: boolean;
  declare private isSending: boolean;
  onClose: () => void = () => undefined;
  private focusedId = '';
  private readonly resource = createResource(this, {
    key: () => `${this.project}/${this.callbackId}`,
    load: () => loadShownCallback(this.project, this.callbackId),
    // An attempt of another callback may have disabled the endpoint.
    reloadOn: (event) => ['callback', 'change'].includes(event.kind) && isOf(event, this.project),
  });

  constructor() {
    super();
    this.takesFocus = false;
    this.isSending = false;
    watch(this, route);
    everySecond(this, () => runningNow(this.resource.value?.reading));
  }

  protected override updated(): void {
    if (!this.takesFocus || this.resource.value === undefined || this.focusedId === this.callbackId) return;
    this.focusedId = this.callbackId;
    this.querySelector<HTMLElement>('h2')?.focus();
  }

  private readonly redeliver = async (): Promise<void> => {
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
  };

  protected override render(): TemplateResult {
    const { value, errorText, isMissing } = this.resource;
    const shown = isMissing ? undefined : value;
    return html`
      ${this.renderHeader(shown)}
      ${errorNote(isMissing ? `No callback ${this.callbackId} in project ${this.project}. It may be in another project, or this project was reset.` : errorText)}
      ${shown ? this.renderShown(shown) : errorText === '' ? skeleton() : nothing}
    `;
  }

  private renderHeader(shown: ShownCallback | undefined): TemplateResult {
    const { project, callbackId: id } = this;
    return detailHeader({
      id,
      chip: shown ? html`<span role="status">${stateChip(shown.callback.state)}</span>` : nothing,
      title: shown?.callback.type ?? 'Callback',
      actions: shown ? this.renderActions(shown) : nothing,
      ...(shown && { time: { at: readMessage(shown.callback).timestamp, nowMs: nowOf(shown.reading), project } }),
      close: () => this.onClose(),
    });
  }

  private renderShown(shown: ShownCallback): TemplateResult {
    const { detail = '' } = route.get().query;
    const chosen = tabs.find(({ name }) => name === detail)?.name ?? 'overview';
    const select = (name: string): void => choose({ detail: name === 'overview' ? '' : name }, true);
    return html`
      ${this.renderTarget(shown)}
      ${tabbed({ label: 'Parts of the callback', name: 'callback', tabs, chosen, choose: select }, this.renderTab(chosen, shown))}
    `;
  }

  private renderActions({ endpoint, callback }: ShownCallback): TemplateResult {
    const text = JSON.stringify(callback.body, null, 2);
    return html`
      <div class="row actions" role="group" aria-label="Actions">
        ${endpoint.url === null ? nothing : html`<button class="main" @click=${this.redeliver}>${icon('repeat')} ${this.isSending ? 'Sending…' : 'Redeliver'}</button>`}
        <button type="button" class="icon" aria-label="Copy message" title="Copy message" @click=${() => copyText(callback.attempts.at(-1)?.sent ?? text)}>${icon('braces')}</button>
        <button type="button" class="icon" aria-label="Compare with…" title="Compare with…" @click=${() => choose({ compare: this.callbackId })}>${icon('git-compare')}</button>
      </div>
    `;
  }

  private renderTarget({ endpoint }: ShownCallback): TemplateResult {
    const toEndpoint = html`<a href=${linkTo('callbacks', { project: this.project, view: 'endpoint' })}>endpoint</a>`;
    return html`
      <p class="quiet">${
        endpoint.url === null
          ? html`To send it, set an ${toEndpoint} for the project. Without one, callbacks are stored in the inbox.`
          : html`Redeliver sends it now to the ${toEndpoint} <code>${endpoint.url}</code>${endpoint.disabled ? ', although it is disabled' : nothing}.`
      }</p>
    `;
  }

  private renderTab(tab: (typeof tabs)[number]['name'], shown: ShownCallback): TemplateResult {
    switch (tab) {
      case 'overview':
        return renderOverview(this.project, shown);
      case 'message':
        return renderMessage(shown);
      case 'attempts':
        return renderAttempts(shown);
      default:
        return tab satisfies never;
    }
  }
}

function renderMessage({ callback }: ShownCallback): TemplateResult {
  const text = JSON.stringify(callback.body, null, 2);
  const { sent = '' } = callback.attempts.at(-1) ?? {};
  const isChanged = sent !== '' && sent !== JSON.stringify(callback.body);
  return html`
    <section class="column" aria-label="Message">
      <div class="row"><span class="quiet">The payload that the receiver gets.</span><span class="push">${copyButton('Copy as JSON', () => text)}</span></div>
      ${isChanged ? html`<p class="warn">A scenario changed the message: the attempts show what was sent.</p>` : nothing}
      ${jsonView(text)}
    </section>
  `;
}

customElements.define('callback-view', CallbackView);
