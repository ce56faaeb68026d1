/** The history of a callback in order: its creation, each attempt with the sent bytes, and the outcome. */
import { html, nothing, type TemplateResult } from 'lit';
import { nowOf } from '../../data/project-clock.ts';
import { readMessage } from '../../data/response-body.ts';
import { linkTo } from '../../data/route.ts';
import { stateChip } from '../../parts/chips.ts';
import { copyButton } from '../../parts/copy-button.ts';
import { counted } from '../../parts/counted.ts';
import { instant, span, untilDue } from '../../parts/times.ts';
import { type Attempt, type Callback, describeLaterAttempts, outcome, splitAttempts } from './labels.ts';
import type { ShownCallback } from './load.ts';
import { requestLink } from './table.ts';

export function timeline(shown: ShownCallback): TemplateResult {
  const { attempts } = shown.callback;
  return html`
    <ol class="timeline">
      <li class="column">${renderCreation(shown)}</li>
      ${attempts.map((_, index) => html`<li class="column">${renderAttempt(shown.callback, index)}</li>`)}
      <li class="column">${renderOutcome(shown)}</li>
    </ol>
  `;
}

function renderCreation({ callback, request }: ShownCallback): TemplateResult {
  const { timestamp, failed } = readMessage(callback);
  const [first] = callback.attempts;
  const dueAt = first?.at ?? callback.dueAt;
  const laterMs = Date.parse(dueAt) - Date.parse(timestamp);
  const firedRules = request?.rules.filter(({ fired }) => fired) ?? [];
  return html`
    <h3>Created <span class="quiet instant">${instant(timestamp)}</span></h3>
    <p>
      ${counted(failed.length, 'entry', 'entries')} of ${requestLink(callback)} failed. ${request ? html`The request was received at <span class="instant">${instant(request.at)}</span>.` : nothing}
      ${request ? nothing : html`<span class="quiet">The request is no longer in the journal.</span>`}
      ${laterMs >= 1000 ? `The first attempt was due ${span(laterMs)} later.` : nothing}
    </p>
    ${firedRules.map(({ scenario, rule, why }) => html`<p class="quiet">Scenario <a href=${linkTo('scenarios', { view: 'editor', edit: scenario })}>${scenario}</a>, ${rule}: ${why}</p>`)}
  `;
}

/** Why an attempt other than the first was made. */
const causes: Readonly<Record<Attempt['cause'], string>> = {
  schedule: 'Retry',
  copy: 'Copy, created by a scenario',
  redelivery: 'Manual redelivery',
};

function renderAttempt(callback: Callback, index: number): TemplateResult {
  const { attempts, body } = callback;
  const one = attempts[index] as Attempt;
  const before = attempts[index - 1];
  const expected = JSON.stringify(body);
  const waitedMs = before ? Date.parse(one.at) - Date.parse(before.at) : 0;
  const isInInbox = one.status === undefined && one.error === undefined;
  const size = counted(new TextEncoder().encode(one.sent).length, 'byte');
  return html`
    <h3>Attempt ${index + 1} <span class="quiet instant">${instant(one.at)}</span> ${outcome(one)}</h3>
    ${before ? html`<p class="quiet">${causes[one.cause]}, ${waitedMs >= 1000 ? `${span(waitedMs)} after` : 'at the same time as'} the previous attempt</p>` : nothing}
    ${one.error === undefined ? nothing : html`<p class="bad">${one.error}</p>`}
    ${isInInbox ? html`<p>Stored in the inbox.</p>` : nothing}
    ${one.headers['webhook-signature'] === undefined ? html`<p class="warn">Not signed.</p>` : nothing}
    ${one.sent === expected ? nothing : renderDifference(one.sent, expected)}
    <details ?open=${index === 0}>
      <summary>Headers and body${before?.sent === one.sent ? ' (same body as the previous attempt)' : nothing}</summary>
      <div class="column">
        <dl class="facts mono">${Object.entries(one.headers).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
        <div class="row"><span class="quiet">${size}, exactly as ${isInInbox ? 'stored in the inbox' : 'sent'}</span>${copyButton('Copy', () => one.sent)}</div>
        <pre tabindex="0" aria-label="Body">${one.sent}</pre>
      </div>
    </details>
  `;
}

/** Shows the sent bytes next to the unmodified message, with the differences marked. */
function renderDifference(sent: string, expected: string): TemplateResult {
  let sameLength = 0;
  while (sameLength < sent.length && sent[sameLength] === expected[sameLength]) sameLength += 1;
  const difference =
    sameLength === sent.length
      ? `Truncated by a scenario after ${sameLength} of ${expected.length} characters`
      : `Changed by a scenario, from character ${sameLength + 1}`;
  const marked = (text: string) =>
    html`<pre tabindex="0">${text.slice(0, sameLength)}${sameLength < text.length ? html`<mark>${text.slice(sameLength)}</mark>` : nothing}</pre>`;
  return html`
    <p class="warn">${difference}.</p>
    <div class="sides">
      <div class="column"><h4>Sent</h4>${marked(sent)}</div>
      <div class="column"><h4>Payload</h4>${marked(expected)}</div>
    </div>
  `;
}

function renderOutcome({ callback, due, reading, endpoint }: ShownCallback): TemplateResult {
  const { state, dueAt } = callback;
  const pending = due.filter(({ kind }) => kind === 'attempt');
  return html`
    <h3>Outcome ${stateChip(state)}</h3>
    <p>${describeOutcome(callback, endpoint.disabled)}</p>
    ${
      state === 'scheduled'
        ? html`<p>
            The next attempt is due at <span class="instant">${instant(dueAt)}</span>, ${untilDue(dueAt, nowOf(reading))} on the project's clock${reading.clock.mode === 'frozen' ? html`, which is frozen: <a href=${linkTo('clock')}>advance it</a>` : nothing}.
          </p>`
        : nothing
    }
    ${copies(pending.length - (state === 'scheduled' && pending.length > 0 ? 1 : 0))}
  `;
}

function copies(count: number): TemplateResult | typeof nothing {
  if (count <= 0) return nothing;
  return html`<p>Pending: ${counted(count, 'copy', 'copies')} with the same id, created by a scenario.</p>`;
}

function describeOutcome(callback: Callback, isDisabled: boolean): string {
  const { state, attempts } = callback;
  const { deciding, later } = splitAttempts(callback);
  const attemptCount = counted(deciding.length, 'attempt');
  const laterText = describeLaterAttempts(later);
  switch (state) {
    case 'scheduled':
      return attempts.length === 0
        ? 'No attempts yet.'
        : `Not delivered after ${counted(attempts.length, 'attempt')}. A retry is scheduled.`;
    case 'delivered':
      return `Delivered on attempt ${deciding.length}${laterText}.`;
    case 'failed':
      return isDisabled
        ? `Failed after ${attemptCount}${laterText}. The endpoint is disabled: the receiver responded with 410, or sending was disabled.`
        : `Failed after ${attemptCount}, no retries left${laterText}.`;
    case 'inbox':
      return `Stored in the inbox: the endpoint had no URL or was disabled${laterText}.`;
    case 'dropped':
      return attempts.length === 0
        ? 'Not sent: a scenario dropped it, or a snapshot was restored before it was due.'
        : `Cancelled after ${attemptCount}: a snapshot was restored${laterText}.`;
    default:
      return state satisfies never;
  }
}
