/** The first tab of a callback: its result and the reasons for it, its attempts as bars, and its facts. */
import { html, nothing, type TemplateResult } from 'lit';
import { nowOf } from '../../data/project-clock.ts';
import { type FailedEntry, readMessage } from '../../data/response-body.ts';
import { linkTo } from '../../data/route.ts';
import { counted } from '../../parts/counted.ts';
import { entityLink } from '../../parts/request-detail/entity-links.ts';
import { instant, untilDue } from '../../parts/times.ts';
import { describeLaterAttempts, requestLink, splitAttempts } from './labels.ts';
import type { ShownCallback } from './load.ts';
import { renderTimeline } from './timeline.ts';

/** Maximum number of entries that are listed. */
const maxEntries = 20;

export function renderOverview(project: string, shown: ShownCallback): TemplateResult {
  const { callback, request } = shown;
  const { timestamp, failed, subProjectId } = readMessage(callback);
  const rules = request?.rules.filter(({ fired }) => fired) ?? [];
  return html`
    <section class="card column outcome" aria-label="Result">${renderOutcome(shown)}</section>
    ${renderTimeline(shown)}
    <dl class="facts">
      <dt>Request</dt><dd>${requestLink(callback)}${request ? nothing : html` <span class="quiet">no longer in the journal</span>`}</dd>
      <dt>Project</dt><dd>${project}${subProjectId === undefined ? nothing : html`, subproject ${subProjectId}`}</dd>
      <dt>Raised</dt><dd>${instant(timestamp)} UTC</dd>
      ${rules.length === 0 ? nothing : html`<dt>Scenarios</dt><dd>${rules.map(({ scenario, rule, why }) => html`<div><a href=${linkTo('scenarios', { view: 'editor', edit: scenario })}>${scenario}</a>, ${rule}: <span class="quiet">${why}</span></div>`)}</dd>`}
    </dl>
    ${failed.length === 0 ? nothing : html`<section class="column" aria-label="Failed entries"><h3>Failed entries</h3>${failedList(project, failed)}</section>`}
  `;
}

function failedList(project: string, failed: readonly FailedEntry[]): TemplateResult {
  const more = failed.length - maxEntries;
  return html`
    <dl class="facts">${failed.slice(0, maxEntries).map(({ id, reason }) => html`<dt>${entityLink(project, id)}</dt><dd>${reason}</dd>`)}</dl>
    ${more > 0 ? html`<p class="quiet">and ${more} more</p>` : nothing}
  `;
}

export function renderOutcome({ callback, due, reading, endpoint }: ShownCallback): TemplateResult {
  const { state, dueAt } = callback;
  const pending = due.filter(({ kind }) => kind === 'attempt');
  const isScheduled = state === 'scheduled';
  return html`
    <p><strong>${describeOutcome({ callback, endpoint })}</strong></p>
    ${renderReason(callback)}
    ${
      isScheduled
        ? html`<p>
            The next attempt is due at <span class="instant">${instant(dueAt)}</span>, ${untilDue(dueAt, nowOf(reading))} on the project's clock${reading.clock.mode === 'frozen' ? html`, which is frozen: <a href=${linkTo('clock')}>advance it</a>` : nothing}.
          </p>`
        : nothing
    }
    ${copies(pending.length - (isScheduled && pending.length > 0 ? 1 : 0))}
  `;
}

/** Says why there was more than one attempt: `Sent 3 times: the receiver responded with 500, 503; 1 redelivery.` */
function renderReason({ attempts }: ShownCallback['callback']): TemplateResult | typeof nothing {
  if (attempts.length < 2) return nothing;
  const retried = attempts.filter((_, index) => attempts[index + 1]?.cause === 'schedule');
  const statuses = retried.flatMap(({ status }) => status ?? []);
  const errors = retried.flatMap(({ error }) => error ?? []);
  const copied = attempts.filter(({ cause }) => cause === 'copy').length;
  const redelivered = attempts.filter(({ cause }) => cause === 'redelivery').length;
  const reasons = [
    statuses.length > 0 && `the receiver responded with ${joinCounted(statuses.map(String))}`,
    errors.length > 0 && `the receiver did not respond: ${joinCounted(errors)}`,
    copied > 0 && counted(copied, 'copy by a scenario', 'copies by a scenario'),
    redelivered > 0 && counted(redelivered, 'manual redelivery', 'manual redeliveries'),
  ].filter((reason) => reason !== false);
  return html`<p>Sent ${attempts.length} times: ${reasons.join('; ')}.</p>`;
}

/** Joins texts, equal ones with their number: `500 (2 ×), 503`. */
function joinCounted(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return Array.from(counts, ([text, times]) => (times === 1 ? text : `${text} (${times} ×)`)).join(', ');
}

function copies(number: number): TemplateResult | typeof nothing {
  if (number <= 0) return nothing;
  return html`<p>Pending: ${counted(number, 'copy', 'copies')} with the same id, created by a scenario.</p>`;
}

function describeOutcome({ callback, endpoint }: Pick<ShownCallback, 'callback' | 'endpoint'>): string {
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
      return endpoint.disabled
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
