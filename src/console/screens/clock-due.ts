/** What is still to happen in a project, in the order in which it will. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Schemas } from '../data/client.ts';
import { nowOf, type ToldClock } from '../data/project-clock.ts';
import { linkTo, route } from '../data/route.ts';
import { instant, untilDue } from '../parts/times.ts';

/** Of more, only the first are shown. */
export const mostDue = 100;

export function dueTable(due: readonly Schemas['PendingThing'][], told: ToldClock): TemplateResult {
  if (due.length === 0) {
    return html`<p class="quiet">
      Nothing is pending. What asynchronous operations accept, callbacks and their retries stand here until their time has come.
    </p>`;
  }
  const now = nowOf(told);
  return html`
    ${due.length < mostDue ? nothing : html`<p class="quiet">The first ${mostDue}.</p>`}
    <div class="scroll due" tabindex="0" role="region" aria-label="What is due">
      <table>
        <thead><tr><th scope="col">At (UTC)</th><th scope="col">On its clock</th><th scope="col">What</th></tr></thead>
        <tbody>
          ${due.map((one) => html`<tr><td class="instant">${instant(one.dueAt)}</td><td class="instant">${untilDue(one.dueAt, now)}</td><td>${what(one)}</td></tr>`)}
        </tbody>
      </table>
    </div>
  `;
}

function what({
  kind,
  operation,
  requestId = '',
  callbackId = '',
  entries = 0,
}: Schemas['PendingThing']): TemplateResult {
  const { screen, query } = route.get();
  switch (kind) {
    case 'instruction':
      return html`carry out ${entries} ${entries === 1 ? 'entry' : 'entries'} of <a href=${linkTo(screen, { ...query, request: requestId })}>${operation}<span class="unseen"> ${requestId}</span></a>`;
    case 'attempt':
      return html`send callback <a class="mono" href=${linkTo('callbacks', { callback: callbackId })}>${callbackId}</a>`;
    case 'release':
      return html`let go of the <a href=${linkTo('callbacks', { state: 'scheduled' })}>callbacks</a> that a scenario gathers`;
    default:
      return kind satisfies never;
  }
}
