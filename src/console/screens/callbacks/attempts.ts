/** The history of a callback in order: its creation, each attempt with the sent bytes, and the outcome. */
import { html, nothing, type TemplateResult } from 'lit';
import { readMessage } from '../../data/response-body.ts';
import { linkTo } from '../../data/route.ts';
import { stateChip } from '../../parts/chips.ts';
import { copyButton } from '../../parts/copy-button.ts';
import { counted } from '../../parts/counted.ts';
import { instant, span } from '../../parts/times.ts';
import { type Attempt, type Callback, describeCause, outcome, requestLink } from './labels.ts';
import type { ShownCallback } from './load.ts';
import { renderOutcome } from './overview.ts';
import { renderResponse } from './response.ts';

export function renderAttempts(shown: ShownCallback): TemplateResult {
  const { attempts } = shown.callback;
  return html`
    <ol class="timeline" aria-label="History">
      <li class="column">${renderCreation(shown)}</li>
      ${attempts.map((_, index) => html`<li class="column">${renderAttempt(shown.callback, index)}</li>`)}
      <li class="column"><h3>Outcome ${stateChip(shown.callback.state)}</h3>${renderOutcome(shown)}</li>
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

function renderAttempt(callback: Callback, index: number): TemplateResult {
  const { attempts, body } = callback;
  const one = attempts[index] as Attempt;
  const before = attempts[index - 1];
  const expected = JSON.stringify(body);
  const isInInbox = one.status === undefined && one.error === undefined;
  const size = counted(new TextEncoder().encode(one.sent).length, 'byte');
  return html`
    <h3>Attempt ${index + 1} <span class="quiet instant">${instant(one.at)}</span> ${outcome(one)}</h3>
    ${before ? html`<p class="quiet">${describeCause(callback, index)}</p>` : nothing}
    ${one.headers['webhook-signature'] === undefined ? html`<p class="warn">Not signed.</p>` : nothing}
    ${one.sent === expected ? nothing : renderDifference(one.sent, expected)}
    ${renderResponse(one)}
    <details class="sent" aria-label="Sent headers and body">
      <summary>Sent headers and body${before?.sent === one.sent ? ' (same body as the previous attempt)' : nothing}</summary>
      <div class="column">
        <dl class="facts mono">${Object.entries(one.headers).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
        <div class="row"><span class="quiet">${size}, exactly as ${isInInbox ? 'stored in the inbox' : 'sent'}</span><span class="push">${copyButton('Copy', () => one.sent)}</span></div>
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
