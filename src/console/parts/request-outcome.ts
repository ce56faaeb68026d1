/** Summarizes the outcome of a request: what was rejected, stored, failed later, or is still pending. */
import { html, nothing, type TemplateResult } from 'lit';
import type { RequestDetails } from '../data/request-details.ts';
import { type FailedEntry, readMessage, readResponse } from '../data/response-body.ts';
import { linkTo } from '../data/route.ts';
import type { Schemas } from '../data/schemas.ts';
import { stateChip } from './chips.ts';
import { counted } from './counted.ts';

/** Maximum number of failed entries that are listed. The rest is only counted. */
const maxShown = 5;

/** `show` scrolls to the first error in the body. */
export function renderOutcome(details: RequestDetails, show: (() => void) | undefined): TemplateResult {
  const { request } = details;
  const { message, failed } = readResponse(request.response);
  const isAccepted = request.status >= 200 && request.status < 300;
  return html`
    <section class="card column outcome" aria-label="Result">
      ${isAccepted ? nothing : rejection(request, message)}
      ${entries(request.entries.refused, 'rejected', failed)}
      ${stored(request)}
      ${waiting(details)}
      ${details.callbacks.map((callback) => failedLater(callback, request.project ?? ''))}
      ${request.callbacks.length > details.callbacks.length ? html`<p class="quiet">and ${request.callbacks.length - details.callbacks.length} more callbacks</p>` : nothing}
      ${request.warnings.length === 0 ? nothing : html`<p class="warn">${counted(request.warnings.length, 'warning', 'warnings')}: ${request.warnings[0]}</p>`}
      ${show ? html`<div><button @click=${show}>Show the first error</button></div>` : nothing}
    </section>
  `;
}

function rejection({ status, fault }: RequestDetails['request'], message: string): TemplateResult {
  if (status === 0)
    return html`<p class="bad"><strong>No response</strong>: a scenario broke the connection (${fault}).</p>`;
  return html`<p class="bad"><strong>${status < 500 ? 'Rejected' : 'Failed'}</strong>: ${message === '' ? status : message}</p>`;
}

function entries(count: number, what: string, failed: readonly FailedEntry[]): TemplateResult | typeof nothing {
  if (count === 0) return nothing;
  return html`<p class="bad"><strong>${counted(count, 'entry', 'entries')} ${what}</strong></p>${list(failed)}`;
}

function list(failed: readonly FailedEntry[]): TemplateResult {
  const more = failed.length - maxShown;
  return html`
    <ul>
      ${failed.slice(0, maxShown).map(({ id, reason }) => html`<li>${id === '' ? nothing : html`<strong>${id}</strong>: `}${reason}</li>`)}
      ${more > 0 ? html`<li class="quiet">and ${more} more</li>` : nothing}
    </ul>
  `;
}

function stored({ changed = [], project, status, entries: { pending } }: RequestDetails['request']): TemplateResult {
  if (changed.length === 0) {
    const isPending = status < 300 && pending > 0;
    return html`<p class="quiet">${isPending ? 'No records changed yet.' : 'No records changed.'}</p>`;
  }
  const links = changed.slice(0, 2 * maxShown).map(({ collection, id }, index) => {
    const href = linkTo('records', { project: project ?? '', collection, record: id, request: '' });
    return html`${index > 0 ? ', ' : nothing}<a href=${href}>${collection} ${id}</a>`;
  });
  const more = changed.length - links.length;
  return html`
    <p>
      <strong class="good">${counted(changed.length, 'record', 'records')} created or updated</strong>:
      ${links}${more > 0 ? ` and ${more} more` : nothing}
    </p>
  `;
}

function waiting({ request, isFrozen }: RequestDetails): TemplateResult | typeof nothing {
  const { pending } = request.entries;
  if (pending === 0) return nothing;
  const wait = counted(pending, 'pending entry', 'pending entries');
  if (!isFrozen) return html`<p class="warn">${wait}.</p>`;
  const href = linkTo('clock', { project: request.project ?? '', request: '' });
  return html`<p class="warn">${wait}. The project's clock is frozen: <a href=${href}>advance it</a>.</p>`;
}

function failedLater(callback: Schemas['Callback'], project: string): TemplateResult {
  const { id, state } = callback;
  const { failed } = readMessage(callback);
  const href = linkTo('callbacks', { project, callback: id, request: '' });
  return html`
    <p class="bad">
      <strong>${counted(failed.length, 'entry', 'entries')} failed later</strong>, reported by callback
      <a href=${href}>${id}</a> ${stateChip(state)}
    </p>
    ${list(failed)}
  `;
}
