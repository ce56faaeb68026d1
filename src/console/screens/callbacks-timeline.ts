/** What happened to a callback, in its order: raised and planned, each attempt with what was sent, the outcome. */
import { html, nothing, type TemplateResult } from 'lit';
import { nowOf } from '../data/project-clock.ts';
import { linkTo } from '../data/route.ts';
import { copyButton } from '../parts/copy-button.ts';
import { counted } from '../parts/counted.ts';
import { instant, span, untilDue } from '../parts/times.ts';
import type { ShownCallback } from './callbacks-one.ts';
import { requestLink } from './callbacks-table.ts';
import { type Attempt, afterwards, type Callback, messageOf, outcome, partsOf, stateChip } from './callbacks-words.ts';

export function timeline(shown: ShownCallback): TemplateResult {
  const { attempts } = shown.callback;
  return html`
    <ol class="timeline">
      <li class="column">${planned(shown)}</li>
      ${attempts.map((_, index) => html`<li class="column">${made(shown.callback, index)}</li>`)}
      <li class="column">${end(shown)}</li>
    </ol>
  `;
}

function planned({ callback, request }: ShownCallback): TemplateResult {
  const { timestamp, failed } = messageOf(callback);
  const [first] = callback.attempts;
  const dueAt = first?.at ?? callback.dueAt;
  const laterMs = Date.parse(dueAt) - Date.parse(timestamp);
  const acted = request?.rules.filter(({ fired }) => fired) ?? [];
  return html`
    <h3>Planned <span class="quiet instant">${instant(timestamp)}</span></h3>
    <p>
      ${counted(failed.length, 'entry', 'entries')} of ${requestLink(callback)} failed${request ? html`; it came at <span class="instant">${instant(request.at)}</span>` : nothing}.
      ${request ? nothing : html`<span class="quiet">The journal does not hold that request any more.</span>`}
      ${laterMs >= 1000 ? `The first attempt was due ${span(laterMs)} later.` : nothing}
    </p>
    ${acted.map(({ scenario, rule, why }) => html`<p class="quiet">Scenario <a href=${linkTo('scenarios', { view: 'editor', edit: scenario })}>${scenario}</a>, ${rule}: ${why}</p>`)}
  `;
}

/** Why an attempt was made that was not the first. */
const causes: Readonly<Record<Attempt['cause'], string>> = {
  schedule: 'Tried again',
  copy: 'A copy, as a scenario has it',
  redelivery: 'Sent again by hand',
};

function made(callback: Callback, index: number): TemplateResult {
  const { attempts, body } = callback;
  const one = attempts[index] as Attempt;
  const before = attempts[index - 1];
  const meant = JSON.stringify(body);
  const waitedMs = before ? Date.parse(one.at) - Date.parse(before.at) : 0;
  const isLaid = one.status === undefined && one.error === undefined;
  const size = counted(new TextEncoder().encode(one.sent).length, 'byte');
  return html`
    <h3>Attempt ${index + 1} <span class="quiet instant">${instant(one.at)}</span> ${outcome(one)}</h3>
    ${before ? html`<p class="quiet">${causes[one.cause]}, ${waitedMs >= 1000 ? `${span(waitedMs)} after` : 'at the same time as'} the one before</p>` : nothing}
    ${one.error === undefined ? nothing : html`<p class="bad">${one.error}</p>`}
    ${isLaid ? html`<p>Laid into the inbox: it was sent nowhere.</p>` : nothing}
    ${one.headers['webhook-signature'] === undefined ? html`<p class="warn">It was not signed.</p>` : nothing}
    ${one.sent === meant ? nothing : beside(one.sent, meant)}
    <details ?open=${index === 0}>
      <summary>Headers and bytes${before?.sent === one.sent ? ': the same bytes as in the attempt before' : nothing}</summary>
      <div class="column">
        <dl class="facts mono">${Object.entries(one.headers).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
        <div class="row"><span class="quiet">${size}, exactly as ${isLaid ? 'laid into the inbox' : 'sent'}</span>${copyButton('Copy', () => one.sent)}</div>
        <pre tabindex="0" aria-label="Bytes">${one.sent}</pre>
      </div>
    </details>
  `;
}

/** What was sent beside what was meant, with what differs marked. */
function beside(sent: string, meant: string): TemplateResult {
  let same = 0;
  while (same < sent.length && sent[same] === meant[same]) same += 1;
  const said =
    same === sent.length
      ? `it was cut behind ${same} of ${meant.length} characters`
      : `it differs from character ${same + 1} on`;
  const marked = (text: string) =>
    html`<pre tabindex="0">${text.slice(0, same)}${same < text.length ? html`<mark>${text.slice(same)}</mark>` : nothing}</pre>`;
  return html`
    <p class="warn">Spoiled by a scenario: ${said}.</p>
    <div class="sides">
      <div class="column"><h4>Sent</h4>${marked(sent)}</div>
      <div class="column"><h4>Meant</h4>${marked(meant)}</div>
    </div>
  `;
}

function end({ callback, due, told, endpoint }: ShownCallback): TemplateResult {
  const { state, dueAt } = callback;
  const toCome = due.filter(({ kind }) => kind === 'attempt');
  return html`
    <h3>Outcome ${stateChip(state)}</h3>
    <p>${toOutcome(callback, endpoint.disabled)}</p>
    ${
      state === 'scheduled'
        ? html`<p>
            The next attempt is due at <span class="instant">${instant(dueAt)}</span>, ${untilDue(dueAt, nowOf(told))} on the project's clock${told.clock.mode === 'frozen' ? html`, which stands: <a href=${linkTo('clock')}>advance it</a>` : nothing}.
          </p>`
        : nothing
    }
    ${copies(toCome.length - (state === 'scheduled' && toCome.length > 0 ? 1 : 0))}
  `;
}

function copies(count: number): TemplateResult | typeof nothing {
  if (count <= 0) return nothing;
  return html`<p>${counted(count, 'copy', 'copies')} with the same id ${count === 1 ? 'is' : 'are'} still to be sent, as a scenario has it.</p>`;
}

function toOutcome(callback: Callback, isDisabled: boolean): string {
  const { state, attempts } = callback;
  const { decided, after } = partsOf(callback);
  const tried = counted(decided.length, 'attempt');
  const then = afterwards(after);
  switch (state) {
    case 'scheduled':
      return attempts.length === 0
        ? 'No attempt was made so far.'
        : `Not taken in ${counted(attempts.length, 'attempt')}; it is tried again.`;
    case 'delivered':
      return `Taken at attempt ${decided.length}${then}.`;
    case 'failed':
      return isDisabled
        ? `Given up after ${tried}${then}. The endpoint is disabled: its receiver answered 410, or it was switched off.`
        : `Given up after ${tried}: there are no more${then}.`;
    case 'inbox':
      return `Kept here to be read: there was no endpoint to send it to, or it was disabled${then}.`;
    case 'dropped':
      return attempts.length === 0
        ? 'Never sent: a scenario dropped it, or a snapshot was put back before it was due.'
        : `Cancelled after ${tried}: a snapshot was put back${then}.`;
    default:
      return state satisfies never;
  }
}
