/** Renders callbacks as table rows, and as cards of the inbox. */
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { type FailedEntry, readMessage } from '../../data/response-body.ts';
import { linkTo, route } from '../../data/route.ts';
import { stateChip } from '../../parts/chips.ts';
import { copyButton } from '../../parts/copy-button.ts';
import { counted } from '../../parts/counted.ts';
import { instant } from '../../parts/times.ts';
import { type Callback, describeLaterAttempts, isRejectedLater, outcome, splitAttempts } from './labels.ts';

const keyOf = ({ id }: Callback): string => id;

const columns = ['Created (UTC)', 'Callback', 'State', 'Attempts', 'Failed entries', 'Request'];

/** On a small screen each row is displayed as a card. The roles keep it a table for screen readers. */
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
  const { timestamp, failed } = readMessage(callback);
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

/** Renders the outcome of the last attempt. If an earlier attempt was delivered, it also names that attempt. */
function lastOutcome(callback: Callback): TemplateResult | string | typeof nothing {
  const last = callback.attempts.at(-1);
  if (!last || (last.status === undefined && last.error === undefined)) return nothing;
  if (!isRejectedLater(callback)) return outcome(last);
  const { deciding, later } = splitAttempts(callback);
  return html`<span class="quiet">delivered on attempt ${deciding.length}${describeLaterAttempts(later)}</span>`;
}

/** Links to the request whose entries failed. The request opens next to the current screen. */
export function requestLink({ requestId, operation }: Callback): TemplateResult {
  const { screen, query } = route.get();
  return html`<a href=${linkTo(screen, { ...query, request: requestId })}>${operation}<span class="unseen"> ${requestId}</span></a>`;
}

/** Renders each message as its receiver gets it. */
export function inboxCards(callbacks: readonly Callback[]): TemplateResult {
  return html`<ul class="inbox" aria-label="Inbox">${repeat(callbacks, keyOf, card)}</ul>`;
}

function card(callback: Callback): TemplateResult {
  const { id, type, body, attempts } = callback;
  const { timestamp, failed, subProjectId } = readMessage(callback);
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
      ${sent === JSON.stringify(body) ? nothing : html`<p class="warn">A scenario changed the message: it differs from the payload.</p>`}
    </li>
  `;
}

export function failedList(failed: readonly FailedEntry[]): TemplateResult {
  return html`<dl class="facts">${failed.map(({ id, reason }) => html`<dt><code>${id}</code></dt><dd>${reason}</dd>`)}</dl>`;
}
