/** One problem: what, how often, when last, an example, and what to do. */
import { html, nothing, type TemplateResult } from 'lit';
import { linkTo, route } from '../data/route.ts';
import { inlineCode } from '../parts/inline-code.ts';
import { adviceOf } from './problems-advice.ts';
import type { Finding } from './problems-find.ts';
import type { Group } from './problems-groups.ts';

const words: Readonly<Record<Finding['show'], string>> = {
  refused: 'request refused',
  entries: 'entry failed',
  warnings: 'warning',
  callbacks: 'told by callback',
};

export function renderGroup(group: Group): TemplateResult {
  const { latest, count, requestCount, examples } = group;
  const { show, kind, operation, place, cause, scenario, said, at } = latest;
  const { title, say, link } = adviceOf[kind];
  const target = link?.(latest);
  return html`
    <div class="row">
      <span class="chip ${show === 'warnings' ? 'warn' : 'bad'}">${title}</span>
      <strong class="operation">${operation}</strong>
      <span class="quiet">${kind === 'scenarioConnection' ? 'connection broken' : words[show]}</span>
      ${scenario === '' ? nothing : html`<span class="chip quiet">${scenario}</span>`}
      <span class="push quiet">${often(count, requestCount)}, last <time datetime=${at}>${toClock(at)}</time></span>
    </div>
    <h2>${place === '' ? nothing : html`<code>${place}</code> `}${inlineCode(cause)}</h2>
    ${said === cause ? nothing : html`<p class="quiet said">Last time: ${inlineCode(/, (got .*)$/s.exec(said)?.[1] ?? said)}</p>`}
    <p>${named(say, scenario)} ${target ? html`<a href=${target.href}>${target.text}</a>` : nothing}</p>
    ${renderExamples(examples, requestCount)}
  `;
}

/** Advice on scenarios tells which one it was. */
function named(say: string, scenario: string): string {
  return scenario === '' ? say : say.replace(/^A scenario/, `The scenario “${scenario}”`);
}

function often(count: number, requestCount: number): string {
  const times = count === 1 ? 'once' : `${count} times`;
  return count === requestCount || requestCount < 1
    ? times
    : `${times} in ${requestCount} ${requestCount === 1 ? 'request' : 'requests'}`;
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

/** Opens the request beside this screen, or its callback where the request is not known. */
function exampleLink({ requestId, callbackId, project, at }: Finding): TemplateResult {
  const { screen, query } = route.get();
  const href =
    requestId === ''
      ? linkTo('callbacks', { project, callback: callbackId })
      : linkTo(screen, { ...query, request: requestId });
  return html`<a class="mono" href=${href}>${requestId || callbackId}</a>
    <span class="quiet">${project === '' ? 'no project' : project}, ${toClock(at)}</span>`;
}

/** The time of the day, and the day where that is another than today. */
function toClock(at: string): string {
  const [day = '', time = ''] = at.slice(0, 19).split('T');
  return day === new Date().toISOString().slice(0, 10) ? time : `${day} ${time}`;
}
