/** The attempts of a callback as bars on the project's time, each with the reason for it and the receiver's response. */
import { html, nothing, type TemplateResult } from 'lit';
import { nowOf } from '../../data/project-clock.ts';
import { readMessage } from '../../data/response-body.ts';
import { linkTo } from '../../data/route.ts';
import '../../parts/request-detail/timeline.css';
import { type Bar, timeBar, timeScale } from '../../parts/time-bars.ts';
import { span, untilDue } from '../../parts/times.ts';
import { type Attempt, type Callback, describeCause, outcome, outcomeKind } from './labels.ts';
import type { ShownCallback } from './load.ts';
import { renderResponse } from './response.ts';

/** Maximum number of attempts that are shown. */
const maxShown = 50;

export function renderTimeline({ callback, reading }: ShownCallback): TemplateResult {
  const { attempts, state, dueAt } = callback;
  const fromMs = Date.parse(readMessage(callback).timestamp);
  const isPending = state === 'scheduled';
  const toMs = Math.max(endOf(attempts.at(-1), fromMs), isPending ? Date.parse(dueAt) : 0, fromMs + 1);
  const percent = (ms: number): number => (100 * (ms - fromMs)) / (toMs - fromMs);
  const first = Math.max(0, attempts.length - maxShown);
  return html`
    <section class="column" aria-label="Timeline">
      ${timeScale(toMs - fromMs)}
      <ol class="steps" aria-label="Attempts">
        ${attempts.slice(first).map((one, index) => {
          const startMs = Date.parse(one.at);
          const beforeMs = endOf(attempts[first + index - 1], fromMs);
          const bar = {
            waitFrom: percent(beforeMs),
            from: percent(startMs),
            to: percent(endOf(one, startMs)),
            kind: outcomeKind(one),
          };
          return renderStep(callback, first + index, one, bar, startMs - fromMs);
        })}
        ${isPending ? renderNext(attempts.length + 1, { waitFrom: percent(endOf(attempts.at(-1), fromMs)), from: percent(Date.parse(dueAt)), to: 100, kind: 'quiet open' }, untilDue(dueAt, nowOf(reading))) : nothing}
      </ol>
    </section>
  `;
}

/** Maximum length of an excerpt, in characters. */
const maxExcerpt = 200;

/** Renders the start of what went wrong, so that no attempt has to be opened to see it. */
function renderExcerpt({ status = 0, error, response }: Attempt): TemplateResult | typeof nothing {
  const text = error ?? (status >= 200 && status < 300 ? '' : (response?.body ?? ''));
  return text === ''
    ? nothing
    : html`<code class="excerpt">${text.slice(0, maxExcerpt).replaceAll(/\s+/g, ' ')}</code>`;
}

function endOf(one: Attempt | undefined, startMs: number): number {
  return one === undefined ? startMs : Date.parse(one.at) + (one.response?.durationMs ?? 0);
}

function renderStep(callback: Callback, index: number, one: Attempt, bar: Bar, afterMs: number): TemplateResult {
  const took = one.response === undefined ? '' : `, took ${span(one.response.durationMs)}`;
  return html`
    <li>
      <details ?open=${callback.attempts.length === 1}>
        <summary class="step">
          <span class="what">Attempt ${index + 1} ${outcome(one)}</span>
          ${timeBar(bar)}
          <span class="quiet after">+${span(afterMs)}${took} · ${describeCause(callback, index)}</span>
          ${renderExcerpt(one)}
        </summary>
        <div class="column bytes">${renderResponse(one)}</div>
      </details>
    </li>
  `;
}

function renderNext(number: number, bar: Bar, due: string): TemplateResult {
  return html`
    <li>
      <div class="step still">
        <span class="what">Attempt ${number} <span class="chip quiet">scheduled</span></span>
        ${timeBar(bar)}
        <span class="quiet after">Due ${due} on the <a href=${linkTo('clock')}>clock of the project</a></span>
      </div>
    </li>
  `;
}
