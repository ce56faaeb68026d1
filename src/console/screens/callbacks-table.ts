/** Callbacks as rows of a table, and as messages in the inbox. */
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { linkTo, route } from '../data/route.ts';
import { copyButton } from '../parts/copy-button.ts';
import { counted } from '../parts/counted.ts';
import type { FailedEntry } from '../parts/request-outcome.ts';
import { instant } from '../parts/times.ts';
import {
  afterwards,
  type Callback,
  isRefusedLater,
  messageOf,
  outcome,
  partsOf,
  stateChip,
} from './callbacks-words.ts';

const keyOf = ({ id }: Callback): string => id;

const columns = ['Raised (UTC)', 'Callback', 'State', 'Attempts', 'What failed', 'Request'];

/** On a small display each row is a card; the roles keep it a table for those who don't see it. */
export function callbackTable(callbacks: readonly Callback[]): TemplateResult {
  return html`
    <div class="scroll callbacks" tabindex="0" role="region" aria-label="Callbacks">
      <table role="table">
        <thead role="rowgroup">
          <tr role="row">${columns.map((title) => html`<th scope="col" role="columnheader">${title}</th>`)}</tr>
        </thead>
        <tbody role="rowgroup">${repeat(callbacks, keyOf, row)}</tbody>
      </table>
    </div>
  `;
}

function row(callback: Callback): TemplateResult {
  const { id, type, state, attempts, dueAt } = callback;
  const { timestamp, failed } = messageOf(callback);
  const [first, ...others] = failed;
  return html`
    <tr role="row">
      <td role="cell" class="instant">${instant(timestamp)}</td>
      <td role="cell"><a data-callback=${id} href=${linkTo('callbacks', { ...route.get().query, callback: id })}>${type}<span class="unseen"> ${id}</span></a></td>
      <td role="cell">${stateChip(state)}${state === 'scheduled' ? html`<br /><span class="quiet instant">due ${instant(dueAt)}</span>` : nothing}</td>
      <td role="cell"><span class="row"><span class="small">Attempts</span> ${attempts.length} ${lastOutcome(callback)}</span></td>
      <td role="cell">${first ? html`<code>${first.id}</code> ${first.reason}` : nothing}${others.length > 0 ? html` <span class="quiet">and ${others.length} more</span>` : nothing}</td>
      <td role="cell"><span class="small">Request</span> ${requestLink(callback)}</td>
    </tr>
  `;
}

/** How the last attempt ended; where it had been taken before that, both. */
function lastOutcome(callback: Callback): TemplateResult | string | typeof nothing {
  const last = callback.attempts.at(-1);
  if (!last || (last.status === undefined && last.error === undefined)) return nothing;
  if (!isRefusedLater(callback)) return outcome(last);
  const { decided, after } = partsOf(callback);
  return html`<span class="quiet">taken at attempt ${decided.length}${afterwards(after)}</span>`;
}

/** Opens the request whose entries failed, beside what is shown. */
export function requestLink({ requestId, operation }: Callback): TemplateResult {
  const { screen, query } = route.get();
  return html`<a href=${linkTo(screen, { ...query, request: requestId })}>${operation}<span class="unseen"> ${requestId}</span></a>`;
}

/** Each message as its receiver would have it. */
export function inboxCards(callbacks: readonly Callback[]): TemplateResult {
  return html`<ul class="inbox" aria-label="Inbox">${repeat(callbacks, keyOf, card)}</ul>`;
}

function card(callback: Callback): TemplateResult {
  const { id, type, body, attempts } = callback;
  const { timestamp, failed, subProjectId } = messageOf(callback);
  const sent = attempts.at(-1)?.sent ?? JSON.stringify(body);
  return html`
    <li class="card column">
      <div class="row">
        <h2><a data-callback=${id} href=${linkTo('callbacks', { ...route.get().query, callback: id })}>${type}</a></h2>
        <span class="quiet instant">${instant(timestamp)}</span>
        <span class="push">${copyButton('Copy message', () => sent)}</span>
      </div>
      <p>${counted(failed.length, 'entry', 'entries')} of ${requestLink(callback)}${subProjectId === undefined ? nothing : html`, subproject ${subProjectId}`}</p>
      ${failedList(failed.slice(0, 5))}
      ${failed.length > 5 ? html`<p class="quiet">and ${failed.length - 5} more</p>` : nothing}
      ${sent === JSON.stringify(body) ? nothing : html`<p class="warn">A scenario spoiled its bytes: they are not the message as it is meant.</p>`}
    </li>
  `;
}

export function failedList(failed: readonly FailedEntry[]): TemplateResult {
  return html`<dl class="facts">${failed.map(({ id, reason }) => html`<dt><code>${id}</code></dt><dd>${reason}</dd>`)}</dl>`;
}
