/** Summarizes the outcome of a request: what was rejected, stored, failed later, or is still pending. */
import { html, nothing, type TemplateResult } from 'lit';
import type { RequestDetails } from '../../data/request-details.ts';
import { type FailedEntry, readMessage, readResponse } from '../../data/response-body.ts';
import { linkTo } from '../../data/route.ts';
import type { Schemas } from '../../data/schemas.ts';
import { stateChip } from '../chips.ts';
import { counted } from '../counted.ts';
import { entityLink } from './entity-links.ts';

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
      ${entries(request.entries.refused, 'rejected', failed, request.project)}
      ${stored(request)}
      ${waiting(details)}
      ${details.callbacks.map((callback) => failedLater(callback, request.project ?? ''))}
      ${request.callbacks.length > details.callbacks.length ? html`<p class="quiet">and ${request.callbacks.length - details.callbacks.length} more callbacks</p>` : nothing}
      ${warned(request.warnings)}
      ${show ? html`<div><button @click=${show}>Show the first error</button></div>` : nothing}
    </section>
  `;
}

function rejection({ status, fault }: RequestDetails['request'], message: string): TemplateResult {
  if (status === 0)
    return html`<p class="bad"><strong>No response</strong>: a scenario broke the connection (${fault}).</p>`;
  return html`<p class="bad"><strong>${status < 500 ? 'Rejected' : 'Failed'}</strong>: ${message === '' ? status : message}</p>`;
}

function entries(
  count: number,
  what: string,
  failed: readonly FailedEntry[],
  project: string | null,
): TemplateResult | typeof nothing {
  if (count === 0) return nothing;
  return html`<p class="bad"><strong>${counted(count, 'entry', 'entries')} ${what}</strong></p>${list(failed, project)}`;
}

function list(failed: readonly FailedEntry[], project: string | null): TemplateResult {
  return shortList(failed, ({ id, reason }) => {
    const name = id === '' || project === null ? id : entityLink(project, id);
    return html`${id === '' ? nothing : html`<strong>${name}</strong>: `}${reason}`;
  });
}

function shortList<Item>(items: readonly Item[], show: (item: Item) => unknown): TemplateResult {
  const more = items.length - maxShown;
  return html`
    <ul>
      ${items.slice(0, maxShown).map((item) => html`<li>${show(item)}</li>`)}
      ${more > 0 ? html`<li class="quiet">and ${more} more</li>` : nothing}
    </ul>
  `;
}

function warned(warnings: readonly string[]): TemplateResult | typeof nothing {
  if (warnings.length === 0) return nothing;
  return html`<p class="warn"><strong>${counted(warnings.length, 'warning')}</strong></p>${shortList(warnings, (one) => one)}`;
}

function stored({ changed = [], project, status, entries: { pending } }: RequestDetails['request']): TemplateResult {
  if (changed.length === 0) {
    const isPending = status < 300 && pending > 0;
    return html`<p class="quiet">${isPending ? 'No records changed yet.' : 'No records changed.'}</p>`;
  }
  const links = changed.slice(0, 2 * maxShown).map(({ collection, id }, index) => {
    return html`${index > 0 ? ', ' : nothing}${entityLink(project ?? '', id, `${collection} ${id}`)}`;
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
  const href = linkTo('clock', { project: request.project ?? '' });
  return html`<p class="warn">${wait}. The project's clock is frozen: <a href=${href}>advance it</a>.</p>`;
}

function failedLater(callback: Schemas['Callback'], project: string): TemplateResult {
  const { id, state } = callback;
  const { failed } = readMessage(callback);
  const href = linkTo('callbacks', { project, callback: id });
  return html`
    <p class="bad">
      <strong>${counted(failed.length, 'entry', 'entries')} failed later</strong>, reported by callback
      <a href=${href}>${id}</a> ${stateChip(state)}
    </p>
    ${list(failed, project)}
  `;
}
