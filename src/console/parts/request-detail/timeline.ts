/** The timeline of a request: a bar per step, and the bytes behind each bar. */
import { html, nothing, type TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { nowOf } from '../../data/project-clock.ts';
import type { RequestDetails } from '../../data/request-details.ts';
import { type Attempt, type Step, spanOf, timelineOf } from '../../data/request-timeline.ts';
import { linkTo } from '../../data/route.ts';
import { stateChip, statusChip, statusKind } from '../chips.ts';
import { counted } from '../counted.ts';
import { jsonView } from '../json-view.ts';
import { timeBar, timeScale } from '../time-bars.ts';
import { instant, latency, span } from '../times.ts';
import { entityLink } from './entity-links.ts';
import { headerTable } from './message.ts';

type StepOf<Kind extends Step['kind']> = Extract<Step, { readonly kind: Kind }>;

/** Maximum number of entries that are listed per step. */
const maxEntries = 20;

export function renderTimeline(details: RequestDetails): TemplateResult {
  const nowMs = details.reading === undefined ? Date.parse(details.request.at) : nowOf(details.reading);
  const steps = timelineOf(details, nowMs);
  const { fromMs, toMs } = spanOf(steps, nowMs);
  const percent = (ms: number): number => (100 * (Math.min(ms, toMs) - fromMs)) / (toMs - fromMs);
  return html`
    <section class="column" aria-label="Timeline">
      ${timeScale(toMs - fromMs)}
      <ol class="steps" aria-label="Steps">
        ${steps.map((step) => {
          const from = percent(step.atMs);
          const to = percent(step.endMs ?? toMs);
          const { title, kind, note, content } = describeStep(step, details);
          return html`
            <li>
              <details>
                <summary class="step">
                  <span class="what">${title}</span>
                  ${timeBar({ from, to, kind: `${kind} ${step.endMs === undefined ? 'open' : ''}`, title: instant(new Date(step.atMs).toISOString()) })}
                  <span class="quiet after">+${span(step.atMs - fromMs)}${note}</span>
                </summary>
                <div class="column bytes">${content}</div>
              </details>
            </li>
          `;
        })}
      </ol>
    </section>
  `;
}

interface Description {
  readonly title: unknown;
  /** Color of the bar. */
  readonly kind: string;
  /** What follows the time. */
  readonly note: string;
  readonly content: unknown;
}

function describeStep(step: Step, details: RequestDetails): Description {
  switch (step.kind) {
    case 'request':
      return describeRequest(details);
    case 'command':
      return describeCommand(step, details);
    case 'results':
      return describeResults(step, details);
    case 'stored':
      return describeStored(step, details);
    case 'attempt':
      return describeAttempt(step, details);
    case 'due':
      return describeDue(step, details);
    default:
      return step satisfies never;
  }
}

function describeRequest({ request: found }: RequestDetails): Description {
  const { request, response, status, durationMs } = found;
  return {
    title: html`${request.method} ${statusChip(status)}`,
    kind: statusKind(status),
    note: `, took ${latency(durationMs)}`,
    content: html`
      <h3>Request</h3>
      ${headerTable(request.headers)}${renderBytes(request.body)}
      <h3>Response</h3>
      ${headerTable(response.headers)}${renderBytes(response.body)}
    `,
  };
}

function describeCommand(
  { pending, atMs, endMs }: StepOf<'command'>,
  { request, isFrozen }: RequestDetails,
): Description {
  const { refused } = request.entries;
  if (endMs !== undefined) {
    const text = `The sandbox processed the accepted entries ${span(endMs - atMs)} after the request.`;
    return { title: 'Processing', kind: 'info', note: `, took ${span(endMs - atMs)}`, content: html`<p>${text}</p>` };
  }
  const href = linkTo('clock', { project: request.project ?? '' });
  return {
    title: html`Processing <span class="chip warn">${counted(pending, 'entry', 'entries')} pending</span>`,
    kind: 'info',
    note: '',
    content: html`<p>
      ${counted(pending, 'entry', 'entries')} not processed yet${refused > 0 ? `; ${refused} rejected at once` : nothing}.
      ${isFrozen ? html`The project's clock is frozen: <a href=${href}>advance it</a>.` : nothing}
    </p>`,
  };
}

function describeResults({ failed, isLater }: StepOf<'results'>, { request }: RequestDetails): Description {
  const { project } = request;
  return {
    title: html`<span class="bad">${counted(failed.length, 'entry', 'entries')} ${isLater ? 'failed' : 'rejected'}</span>`,
    kind: 'bad',
    note: '',
    content: html`
      <ul class="entries">
        ${failed.slice(0, maxEntries).map(({ id, reason }) => html`<li>${id === '' || project === null ? id : entityLink(project, id)} ${reason}</li>`)}
        ${failed.length > maxEntries ? html`<li class="quiet">and ${failed.length - maxEntries} more</li>` : nothing}
      </ul>
    `,
  };
}

function describeStored({ changed }: StepOf<'stored'>, { request }: RequestDetails): Description {
  const { project } = request;
  return {
    title: `${counted(changed.length, 'record')} created or updated`,
    kind: 'good',
    note: '',
    content: html`
      <ul class="entries">
        ${changed.slice(0, maxEntries).map(({ collection, id }) => html`<li>${collection} ${project === null ? id : entityLink(project, id)}</li>`)}
        ${changed.length > maxEntries ? html`<li class="quiet">and ${changed.length - maxEntries} more</li>` : nothing}
      </ul>
    `,
  };
}

function describeAttempt(
  { attempt, index, gapMs, callback }: StepOf<'attempt'>,
  { request }: RequestDetails,
): Description {
  const { status, error, response } = attempt;
  const took = response === undefined ? '' : `, took ${latency(response.durationMs)}`;
  const gap = gapMs === undefined ? '' : `, ${span(gapMs)} after the attempt before`;
  return {
    title: html`Callback, attempt ${index + 1} ${outcomeChip(attempt)}`,
    kind: status === undefined ? (error === undefined ? 'quiet' : 'bad') : statusKind(status),
    note: `${took}${gap}`,
    content: html`
      <p><a href=${linkTo('callbacks', { ...(request.project !== null && { project: request.project }), callback: callback.id })}>${callback.id}</a> ${stateChip(callback.state)}</p>
      ${error === undefined ? nothing : html`<p class="bad">${error}</p>`}
      <h3>Sent</h3>
      ${headerTable(attempt.headers)}${renderBytes(attempt.sent)}
      ${response === undefined ? nothing : html`<h3>Response of the receiver</h3>${headerTable(response.headers)}${renderBytes(response.body)}`}
      ${response?.bodyCut === undefined ? nothing : html`<p class="quiet">The first 4 kB of ${counted(response.bodyCut, 'byte')}.</p>`}
    `,
  };
}

function outcomeChip({ status, error }: Attempt): TemplateResult {
  if (status !== undefined) return statusChip(status);
  return error === undefined
    ? html`<span class="chip quiet">inbox</span>`
    : html`<span class="chip bad">no response</span>`;
}

function describeDue({ callback, atMs }: StepOf<'due'>, { request }: RequestDetails): Description {
  const next = callback.attempts.length + 1;
  return {
    title: html`Callback, attempt ${next} <span class="chip quiet">scheduled</span>`,
    kind: 'quiet',
    note: '',
    content: html`<p>Due at ${instant(new Date(atMs).toISOString())} on the <a href=${linkTo('clock', { project: request.project ?? '' })}>clock of the project</a>.</p>`,
  };
}

function renderBytes(text: string | undefined): unknown {
  return text === undefined || text === '' ? html`<p class="quiet">No body.</p>` : guard([text], () => jsonView(text));
}
