/** The log of the advances: what each of them processed and sent, with links. */
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { Schemas } from '../../data/client.ts';
import { linkTo, route } from '../../data/route.ts';
import { statusChip } from '../../parts/chips.ts';
import { counted } from '../../parts/counted.ts';
import { icon } from '../../parts/icon.ts';
import { table } from '../../parts/table.ts';
import { instant, span } from '../../parts/times.ts';
import './advances.css';

export type Advance = Schemas['ClockAdvance'];
type Work = Schemas['WorkDone'];

/** The caller must watch the store `route`. The newest advance is open. */
export function advancesLog(advances: readonly Advance[]): TemplateResult {
  if (advances.length === 0)
    return html`<p class="quiet">No advance yet. Each one is listed here with what it ran.</p>`;
  return html`<ol class="advances">${repeat(
    advances,
    ({ number }) => number,
    (advance, index) => logEntry(advance, index === 0),
  )}</ol>`;
}

function logEntry(advance: Advance, isNewest: boolean): TemplateResult {
  const { number, from, to, work, workOmitted = 0 } = advance;
  return html`
    <li>
      <details ?open=${isNewest}>
        <summary>
          ${icon('chevron-right')}<span class="by">+${span(Date.parse(to) - Date.parse(from))}</span>
          <span class="quiet instant" title="${instant(from)} to ${instant(to)}">${period(from, to)}</span>
          <span class="push">${summaryOf(advance)}</span>
        </summary>
        ${
          work.length === 0
            ? html`<p class="quiet">Nothing was due.</p>`
            : table(`Work of advance ${number}`, ['Time (UTC)', 'Work', 'Result'], work.map(workRow), 'work')
        }
        ${workOmitted === 0 ? nothing : html`<p class="quiet">And ${counted(workOmitted, 'more item', 'more items')}.</p>`}
      </details>
    </li>
  `;
}

/** Formats a period in seconds, with dates only if it has several. */
function period(from: string, to: string): string {
  const isOneDay = from.slice(0, 10) === to.slice(0, 10);
  const [start, end] = [from, to].map((timestamp) => instant(timestamp).slice(isOneDay ? 11 : 0, 19));
  return `${start} → ${end}`;
}

function summaryOf({ processed, delivered, pending }: Advance): string {
  return `${counted(processed, 'command')}, ${delivered} delivered, ${pending} pending`;
}

function workRow(work: Work): TemplateResult {
  return html`<tr><td class="instant">${instant(work.at).slice(11)}</td><td>${what(work)}</td><td>${result(work)}</td></tr>`;
}

function what({ kind, operation, requestId, callbackId = '', entries = 0 }: Work): TemplateResult {
  const { screen, query } = route.get();
  switch (kind) {
    case 'command':
      return html`Processed ${counted(entries, 'entry', 'entries')} of <a href=${linkTo(screen, { ...query, request: requestId })}>${operation}<span class="unseen"> ${requestId}</span></a>`;
    case 'callback':
      return html`Sent callback <a class="mono" href=${linkTo('callbacks', { callback: callbackId })}>${callbackId}</a>`;
    default:
      return kind satisfies never;
  }
}

function result({ kind, entries = 0, failed = 0, status, error }: Work): TemplateResult {
  if (kind === 'command') {
    return failed === 0
      ? html`<span class="chip good">${entries} succeeded</span>`
      : html`<span class="chip bad">${failed} failed</span>${entries > failed ? html` <span class="chip good">${entries - failed} succeeded</span>` : nothing}`;
  }
  if (error !== undefined) return html`<span class="chip bad">${error}</span>`;
  return status === undefined ? html`<span class="chip quiet">inbox</span>` : statusChip(status);
}
