/** Shows the outcome of the last tried request, including what happens after its response. */
import { html, nothing, type TemplateResult } from 'lit';
import type { SandboxEvent } from '../../data/events.ts';
import { loadRequest, type RequestDetails } from '../../data/request-details.ts';
import { createResource, isOf, type Resource } from '../../data/resource.ts';
import { readMessage } from '../../data/response-body.ts';
import { linkTo, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { failuresOf, outcomeOf } from './outcome-text.ts';

/** A request that the user tried. */
export type TriedRequest =
  | { readonly is: 'sent' }
  | { readonly is: 'broken' }
  | { readonly is: 'responded'; readonly status: number; readonly text: string; readonly requestId: string };

class ReferenceOutcome extends PageElement {
  static override properties = { tried: { attribute: false } };
  declare tried: TriedRequest;
  private readonly resource: Resource<RequestDetails> = createResource(this, {
    key: () => this.requestId,
    load: () => loadRequest(this.requestId ?? ''),
    reloadOn: (event) => this.mayChange(event),
  });

  constructor() {
    super();
    watch(this, route);
  }

  private get requestId(): string | undefined {
    return this.tried.is === 'responded' ? this.tried.requestId : undefined;
  }

  /** Whether an event may change the outcome. Once no entry is pending, only a callback or a reset can. */
  private mayChange(event: SandboxEvent): boolean {
    if (event.kind === 'callback') return event.requestId === this.requestId;
    const { value } = this.resource;
    if (value === undefined) return event.kind !== 'request';
    if (!isOf(event, value.request.project ?? undefined)) return false;
    const isPending = value.request.entries.pending > 0;
    if (event.kind === 'change') return event.what === 'reset' || (isPending && event.what === 'clock');
    return event.kind === 'records' && isPending;
  }

  protected override render(): TemplateResult {
    const { tried } = this;
    if (tried.is === 'sent') return html`Waiting for the response.`;
    if (tried.is === 'broken') {
      return html`No response. See <a href=${linkTo('live')}>Requests</a> for whether the request arrived.`;
    }
    const { value, isMissing } = this.resource;
    return html`<strong>${outcomeOf(tried.status, tried.text)}</strong>${
      isMissing ? html` · the request is no longer in the journal` : value ? renderLoaded(value) : nothing
    }`;
  }
}

function renderLoaded({ request, isFrozen, callbacks }: RequestDetails): TemplateResult {
  const project = request.project ?? '';
  const [record, ...more] = request.changed ?? [];
  return html`${
    record === undefined
      ? nothing
      : html` · stored: <a href=${linkTo('records', { project, collection: record.collection, record: record.id })}>${record.collection} ${record.id}</a>${more.length > 0 ? ` and ${more.length} more` : nothing}`
  }${
    request.entries.pending === 0
      ? nothing
      : html` · ${request.entries.pending} pending${isFrozen ? html`: the clock is frozen, <a href=${linkTo('clock', { project })}>advance it</a>` : nothing}`
  }${renderFailures(project, callbacks)}`;
}

function renderFailures(project: string, callbacks: RequestDetails['callbacks']): TemplateResult | typeof nothing {
  const failed = callbacks.flatMap((callback) => readMessage(callback).failed);
  if (failed.length === 0) return nothing;
  const links = callbacks.map(
    ({ id }, index) =>
      html`<a href=${linkTo('callbacks', { project, callback: id })}>callback${callbacks.length > 1 ? ` ${index + 1}` : nothing}</a> `,
  );
  return html` · <strong>${failed.length} failed later: ${failuresOf(failed)}</strong> · ${links}`;
}

customElements.define('reference-outcome', ReferenceOutcome);
