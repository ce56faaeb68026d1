/** Lists the pending items of a project in the order in which they are due. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Schemas } from '../../data/client.ts';
import { type ClockReading, nowOf } from '../../data/project-clock.ts';
import { linkTo, route } from '../../data/route.ts';
import { instant, untilDue } from '../../parts/times.ts';

/** Maximum number of items that are shown. */
export const maxDue = 100;

export function dueTable(due: readonly Schemas['PendingThing'][], reading: ClockReading): TemplateResult {
  if (due.length === 0) {
    return html`<p class="quiet">
      Nothing is scheduled. Accepted asynchronous requests, callbacks and their retries are listed here until they are due.
    </p>`;
  }
  const now = nowOf(reading);
  return html`
    ${due.length < maxDue ? nothing : html`<p class="quiet">Only the first ${maxDue} items are shown.</p>`}
    <div class="scroll due" tabindex="0" role="region" aria-label="Table of pending work">
      <table>
        <thead><tr><th scope="col">Due (UTC)</th><th scope="col">Time left</th><th scope="col">Action</th></tr></thead>
        <tbody>
          ${due.map((one) => html`<tr><td class="instant">${instant(one.dueAt)}</td><td class="instant">${untilDue(one.dueAt, now)}</td><td>${describe(one)}</td></tr>`)}
        </tbody>
      </table>
    </div>
  `;
}

function describe({
  kind,
  operation,
  requestId = '',
  callbackId = '',
  entries = 0,
}: Schemas['PendingThing']): TemplateResult {
  const { screen, query } = route.get();
  switch (kind) {
    case 'instruction':
      return html`Process ${entries} ${entries === 1 ? 'entry' : 'entries'} of <a href=${linkTo(screen, { ...query, request: requestId })}>${operation}<span class="unseen"> ${requestId}</span></a>`;
    case 'attempt':
      return html`Send callback <a class="mono" href=${linkTo('callbacks', { callback: callbackId })}>${callbackId}</a>`;
    case 'release':
      return html`Send the <a href=${linkTo('callbacks', { state: 'scheduled' })}>callbacks</a> that a scenario holds back`;
    default:
      return kind satisfies never;
  }
}
