/** Lists the due work of a project in its order, with links. */
import { html, nothing, type TemplateResult } from 'lit';
import { linkTo, route } from '../../data/route.ts';
import { counted } from '../../parts/counted.ts';
import { table } from '../../parts/table.ts';
import { instant, untilDue } from '../../parts/times.ts';
import type { DueWork } from './due-work.ts';

/** Maximum number of items that are shown. */
export const maxDue = 100;

export function dueTable(work: readonly DueWork[], now: number): TemplateResult {
  if (work.length === 0) {
    return html`<p class="quiet">
      Nothing is scheduled. Accepted asynchronous requests, callbacks and their retries are listed here until they are due.
    </p>`;
  }
  const today = new Date(now).toISOString().slice(0, 10);
  const time = (dueAt: string): string => instant(dueAt).slice(dueAt.startsWith(today) ? 11 : 0);
  return html`
    ${work.length < maxDue ? nothing : html`<p class="quiet">Only the first ${maxDue} items are shown.</p>`}
    ${table(
      'Table of pending work',
      ['Due (UTC)', 'Time left', 'Action'],
      work.map(
        (one) =>
          html`<tr><td class="instant"><time datetime=${one.pending.dueAt}>${time(one.pending.dueAt)}</time></td><td class="instant">${untilDue(one.pending.dueAt, now)}</td><td><i class="dot ${one.kind}" aria-hidden="true"></i>${describe(one)}</td></tr>`,
      ),
      'due',
    )}
  `;
}

function describe({ kind, pending }: DueWork): TemplateResult {
  const { screen, query } = route.get();
  const { operation, requestId = '', callbackId = '', entries = 0 } = pending;
  switch (pending.kind) {
    case 'instruction':
      return html`Process ${counted(entries, 'entry', 'entries')} of <a href=${linkTo(screen, { ...query, request: requestId })}>${operation}<span class="unseen"> ${requestId}</span></a>`;
    case 'attempt':
      return html`${kind === 'retry' ? 'Retry' : 'Send'} callback <a class="mono" href=${linkTo('callbacks', { callback: callbackId })}>${callbackId}</a>`;
    case 'release':
      return html`Send the <a href=${linkTo('callbacks', { state: 'scheduled' })}>callbacks</a> that a scenario holds back`;
    default:
      return pending.kind satisfies never;
  }
}
