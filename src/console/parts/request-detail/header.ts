/** The header of a request: operation, status, id, and when it was received. */
import { html, nothing, type TemplateResult } from 'lit';
import { nowOf } from '../../data/project-clock.ts';
import type { RequestDetails } from '../../data/request-details.ts';
import { statusChip } from '../chips.ts';
import { copyText } from '../copy-button.ts';
import '../detail-head.css';
import { icon } from '../icon.ts';
import { instant, latency, span } from '../times.ts';

/** `actions` are beside the title. */
export function renderHeader(
  { request, reading }: RequestDetails,
  close: () => void,
  actions: TemplateResult,
): TemplateResult {
  const { id, at, operation, method, path, status, project } = request;
  const agoMs = reading === undefined ? undefined : nowOf(reading) - Date.parse(at);
  return html`
    <header class="detail-head">
      <div class="first">
        ${statusChip(status)}
        <h2 tabindex="-1">${operation ?? `${method} ${path}`}</h2>
        ${actions}
        <button type="button" class="icon close" aria-label="Close" title="Close (Esc)" @click=${close}>${icon('x')}</button>
      </div>
      <div class="row about quiet">
        <span class="row id"><code>${id}</code><button type="button" class="icon" aria-label="Copy the id" title="Copy the id" @click=${() => copyText(id)}>${icon('copy')}</button></span>
        ${agoMs === undefined ? nothing : html`<span title="On the clock of ${project}">${agoMs < 1000 ? 'just now' : `${span(agoMs)} ago`}</span>`}
        <time datetime=${at} title="UTC, on the project's clock">${instant(at)} UTC</time>
        <span>${latency(request.durationMs)}</span>
      </div>
    </header>
  `;
}
