/** Lists the pending items of a project in the order in which they are due. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Schemas } from '../../data/client.ts';
import { type ClockReading, nowOf } from '../../data/project-clock.ts';
import { linkTo, route } from '../../data/route.ts';
import { counted } from '../../parts/counted.ts';
import { table } from '../../parts/table.ts';
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
    ${table(
      'Table of pending work',
      ['Due (UTC)', 'Time left', 'Action'],
      due.map(
        (one) =>
          html`<tr><td class="instant">${instant(one.dueAt)}</td><td class="instant">${untilDue(one.dueAt, now)}</td><td>${describe(one)}</td></tr>`,
      ),
      'due',
    )}
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
      return html`Process ${counted(entries, 'entry', 'entries')} of <a href=${linkTo(screen, { ...query, request: requestId })}>${operation}<span class="unseen"> ${requestId}</span></a>`;
    case 'attempt':
      return html`Send callback <a class="mono" href=${linkTo('callbacks', { callback: callbackId })}>${callbackId}</a>`;
    case 'release':
      return html`Send the <a href=${linkTo('callbacks', { state: 'scheduled' })}>callbacks</a> that a scenario holds back`;
    default:
      return kind satisfies never;
  }
}
