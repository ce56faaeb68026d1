/** Renders one problem: its cause, how often and when it occurred, examples, and advice. */
import { html, nothing, type TemplateResult } from 'lit';
import { linkTo, route } from '../../../data/route.ts';
import { counted } from '../../../parts/counted.ts';
import { icon } from '../../../parts/icon.ts';
import { inlineCode } from '../../../parts/inline-code.ts';
import { adviceOf } from './advice.ts';
import type { Finding } from './find.ts';
import type { Group } from './groups.ts';

const labels: Readonly<Record<Finding['show'], string>> = {
  refused: 'request rejected',
  entries: 'entry failed',
  warnings: 'warning',
  callbacks: 'reported by callback',
};

export function renderGroup(group: Group): TemplateResult {
  const { latest, requestCount, examples } = group;
  const { show, kind, operation, place, cause, scenario, message, at } = latest;
  const { title, text, link } = adviceOf[kind];
  const target = link(latest);
  return html`
    <div class="row">
      <span class="chip ${show === 'warnings' ? 'warn' : 'bad'}">${title}</span>
      <strong class="operation">${operation}</strong>
      <span class="quiet">${kind === 'scenarioConnection' ? 'connection broken' : labels[show]}</span>
      ${scenario === '' ? nothing : html`<span class="chip quiet">${scenario}</span>`}
      <span class="push quiet">${describeCount(group)} · last seen <time datetime=${at}>${formatTime(at)}</time></span>
    </div>
    <h2>${place === '' ? nothing : html`<code>${place}</code> `}${inlineCode(cause)}</h2>
    ${message === cause ? nothing : html`<p class="quiet said">Latest: ${inlineCode(/, (got .*)$/s.exec(message)?.[1] ?? message)}</p>`}
    <p>${withScenarioName(text, scenario)}</p>
    <div class="row steps">
      <a class="button" href=${target.href}>${target.text}${icon('arrow-right')}</a>
      ${requestCount > 1 && latest.requestId !== '' ? html`<a href=${requestsOf(latest)}>Show its requests</a>` : nothing}
      ${renderExamples(examples, requestCount)}
    </div>
  `;
}

/** Outcomes of requests, by the severity of their problem. */
const outcomes: Readonly<Record<Finding['show'], string>> = {
  refused: 'rejected,failed',
  entries: 'rejected',
  warnings: 'warned',
  callbacks: 'failed',
};

/** Links to the requests with such a problem: filtered as far as lists can filter. */
function requestsOf({ project, operation, scenario, show }: Finding): string {
  const isKnown = /^\w+$/.test(operation);
  return linkTo('live', { project, operation: isKnown ? operation : '', scenario, outcome: outcomes[show] });
}

/** Adds the name of the scenario to advice about scenarios. */
function withScenarioName(text: string, scenario: string): string {
  return scenario === '' ? text : text.replace(/^A scenario/, `The scenario “${scenario}”`);
}

function describeCount({ count, hasMore, requestCount }: Group): string {
  const events = hasMore ? `${count.toLocaleString('en')}+ events` : counted(count, 'event');
  return count === requestCount || requestCount < 1 ? events : `${events} in ${counted(requestCount, 'request')}`;
}

function renderExamples(examples: readonly Finding[], requestCount: number): TemplateResult {
  const [first, ...others] = examples;
  if (!first) return html``;
  return html`
    <div class="examples">
      <span>Example: ${exampleLink(first)}</span>
      ${
        others.length === 0
          ? nothing
          : html`<details>
              <summary>${others.length} more${requestCount > examples.length ? ` of ${requestCount - 1}` : ''}</summary>
              <ul>${others.map((one) => html`<li>${exampleLink(one)}</li>`)}</ul>
            </details>`
      }
    </div>
  `;
}

/** Links to the request, which opens next to this screen, or to the callback if the request is unknown. */
function exampleLink({ requestId, callbackId, project, at }: Finding): TemplateResult {
  const { screen, query } = route.get();
  const href =
    requestId === ''
      ? linkTo('callbacks', { project, callback: callbackId })
      : linkTo(screen, { ...query, request: requestId });
  return html`<a class="mono" href=${href}>${requestId || callbackId}</a>
    <span class="quiet">${project === '' ? 'no project' : project}, ${formatTime(at)}</span>`;
}

/** Formats the time of day in UTC, with the date unless it is today. */
function formatTime(at: string): string {
  const [day = '', time = ''] = at.slice(0, 19).split('T');
  return day === new Date().toISOString().slice(0, 10) ? `${time} UTC` : `${day} ${time} UTC`;
}
