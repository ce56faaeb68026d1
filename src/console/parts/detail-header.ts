/** The header of an open request or callback: what it is, its id, and when it was. */
import { html, nothing, type TemplateResult } from 'lit';
import { copyText } from './copy-button.ts';
import { icon } from './icon.ts';
import { instant, span } from './times.ts';

export interface DetailHeader {
  readonly id: string;
  readonly chip: unknown;
  readonly title: string;
  /** Buttons beside the title. */
  readonly actions: unknown;
  /** On the project's clock; left out until it is loaded. */
  readonly time?: { readonly at: string; readonly nowMs: number | undefined; readonly project: string | null };
  /** What follows the time. */
  readonly more?: unknown;
  readonly close: () => void;
}

export function detailHeader({ id, chip, title, actions, time, more = nothing, close }: DetailHeader): TemplateResult {
  return html`
    <header class="detail-head">
      <div class="first">
        ${chip}
        <h2 tabindex="-1">${title}</h2>
        ${actions}
        <button type="button" class="icon close" aria-label="Close" title="Close (Esc)" @click=${close}>${icon('x')}</button>
      </div>
      <div class="row about quiet">
        <span class="row id"><code>${id}</code><button type="button" class="icon" aria-label="Copy the id" title="Copy the id" @click=${() => copyText(id)}>${icon('copy')}</button></span>
        ${time ? renderTime(time) : nothing}${more}
      </div>
    </header>
  `;
}

function renderTime({ at, nowMs, project }: NonNullable<DetailHeader['time']>): TemplateResult {
  const agoMs = nowMs === undefined ? undefined : nowMs - Date.parse(at);
  return html`
    ${agoMs === undefined ? nothing : html`<span title=${`On the clock of ${project}`}>${agoMs < 1000 ? 'just now' : `${span(agoMs)} ago`}</span>`}
    <time datetime=${at} title="UTC, on the project's clock">${instant(at)} UTC</time>
  `;
}
