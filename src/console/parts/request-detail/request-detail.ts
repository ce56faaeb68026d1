/** The details of one request: header, actions, and the tabs Overview, Request, Response, Timeline and Rules. */
import { html, nothing, type TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { apiKey } from '../../data/api-key.ts';
import type { SandboxEvent } from '../../data/events.ts';
import { locatedErrorsOf } from '../../data/located-errors.ts';
import { runningNow } from '../../data/project-clock.ts';
import { loadRequest, type RequestDetails } from '../../data/request-details.ts';
import { createResource, isOf, type Resource } from '../../data/resource.ts';
import { readMessage } from '../../data/response-body.ts';
import { choose, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { statusChip } from '../chips.ts';
import { everySecond } from '../every-second.ts';
import { errorNote } from '../notices.ts';
import { skeleton } from '../skeleton.ts';
import { tabbed } from '../tabs.ts';
import { renderActions } from './actions.ts';
import { renderEditor } from './editor.ts';
import { renderHeader } from './header.ts';
import { renderMessage } from './message.ts';
import { renderOverview } from './overview.ts';
import './request-detail.css';
import { renderRules } from './rules.ts';
import { renderTimeline } from './timeline.ts';

/** The names are values of `detail` in the URL. */
const tabs = [
  { name: 'overview', title: 'Overview' },
  { name: 'request', title: 'Request' },
  { name: 'response', title: 'Response' },
  { name: 'timeline', title: 'Timeline' },
  { name: 'rules', title: 'Rules' },
] as const;

/** `<request-detail request-id=… .onClose=…>`: with `takes-focus`, its heading takes the focus when it opens. */
class RequestDetail extends PageElement {
  static override properties = {
    requestId: { attribute: 'request-id' },
    takesFocus: { type: Boolean, attribute: 'takes-focus' },
    isEditing: { state: true },
  };
  declare requestId: string;
  declare takesFocus: boolean;
  declare private isEditing: boolean;
  onClose: () => void = () => undefined;
  private shownId = '';
  private focusedId = '';
  private readonly details: Resource<RequestDetails> = createResource(this, {
    key: () => (this.requestId === '' ? undefined : this.requestId),
    load: () => loadRequest(this.requestId),
    reloadOn: (event) => this.mayChange(event),
  });

  constructor() {
    super();
    this.requestId = '';
    this.takesFocus = false;
    this.isEditing = false;
    watch(this, route, apiKey);
    everySecond(this, () => runningNow(this.details.value?.reading));
  }

  /** Whether an event may have changed the request. Callbacks are created and change after their request. */
  private mayChange(event: SandboxEvent): boolean {
    if (event.kind === 'callback') return event.requestId === this.requestId;
    const request = this.details.value?.request;
    if (!isOf(event, request?.project ?? undefined)) return false;
    if (event.kind === 'records') return (request?.entries.pending ?? 0) > 0;
    // A reset deletes the requests of the project.
    return event.kind === 'change' && ['reset', 'clock'].includes(event.what);
  }

  protected override willUpdate(): void {
    if (this.requestId === this.shownId) return;
    this.shownId = this.requestId;
    this.isEditing = false;
  }

  protected override updated(): void {
    if (!this.takesFocus || this.details.value?.request.id !== this.requestId) return;
    if (this.focusedId === this.requestId) return;
    this.focusedId = this.requestId;
    this.querySelector<HTMLElement>('h2')?.focus();
  }

  private readonly showFirstError = async (): Promise<void> => {
    choose({ detail: 'request' }, true);
    await this.updateComplete;
    const first = this.querySelector<HTMLElement>('.error, .error-here');
    first?.scrollIntoView({ block: 'center' });
    first?.closest('pre')?.focus({ preventScroll: true });
  };

  protected override render(): TemplateResult | typeof nothing {
    if (this.requestId === '') return nothing;
    const { value, errorText, isMissing } = this.details;
    // A deleted request cannot be sent again from here, and its records are gone as well.
    const found = isMissing ? undefined : value;
    const isDeleted = isMissing && value !== undefined;
    return html`
      ${found ? renderHeader(found, () => this.onClose(), this.renderActions(found)) : this.renderBareHeader()}
      ${errorNote(isDeleted ? `${errorText}. It was deleted: the project was reset, the sandbox was restarted, or newer requests replaced it.` : errorText)}
      ${found ? this.renderFound(found) : errorText === '' ? skeleton() : nothing}
    `;
  }

  private renderBareHeader(): TemplateResult {
    return html`
      <header class="row"><h2 tabindex="-1">${this.requestId}</h2><button type="button" class="push" @click=${() => this.onClose()}>Close</button></header>
    `;
  }

  private renderActions(details: RequestDetails): TemplateResult {
    const { isEditing } = this;
    const toggle = (): void => {
      this.isEditing = !isEditing;
    };
    return renderActions(details, { isEditing, toggle });
  }

  private renderFound(details: RequestDetails): TemplateResult {
    const { detail = '' } = route.get().query;
    const chosen = tabs.find(({ name }) => name === detail)?.name ?? 'overview';
    return html`
      ${this.isEditing ? renderEditor(details.request) : nothing}
      ${tabbed(
        {
          label: 'Parts of the request',
          tabs,
          chosen,
          choose: (name) => choose({ detail: name === 'overview' ? '' : name }, true),
        },
        // Each second renders the age again, but only the timeline has bars that grow.
        chosen === 'timeline'
          ? renderTimeline(details)
          : guard([chosen, details, route.get()], () => this.renderTab(chosen, details)),
      )}
    `;
  }

  private renderTab(tab: Exclude<(typeof tabs)[number]['name'], 'timeline'>, details: RequestDetails): TemplateResult {
    const { request: found, callbacks } = details;
    const { request, response } = found;
    const errors = locatedErrorsOf(
      found,
      callbacks.flatMap((callback) => readMessage(callback).failed),
    );
    switch (tab) {
      case 'overview':
        return renderOverview(details, errors, () => void this.showFirstError());
      case 'request':
        return renderMessage('Request', html`<code>${request.method} ${request.url}</code>`, request, errors);
      case 'response':
        return renderMessage('Response', statusChip(response.status), response);
      case 'rules':
        return renderRules(found);
      default:
        return tab satisfies never;
    }
  }
}

customElements.define('request-detail', RequestDetail);
