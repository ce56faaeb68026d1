/** What the receiver responded to an attempt. */
import { html, nothing, type TemplateResult } from 'lit';
import { copyButton } from '../../parts/copy-button.ts';
import { counted } from '../../parts/counted.ts';
import { jsonView } from '../../parts/json-view.ts';
import { headerTable } from '../../parts/request-detail/message.ts';
import { span } from '../../parts/times.ts';
import type { Attempt } from './labels.ts';

export function renderResponse({ status, error, response }: Attempt): TemplateResult {
  if (error !== undefined) return html`<p class="bad">No response: ${error}.</p>`;
  if (status === undefined) return html`<p>Stored in the inbox.</p>`;
  if (response === undefined) return html`<p class="quiet">The response was not stored.</p>`;
  const { headers, body, bodyCut, durationMs } = response;
  return html`
    <div class="column response" role="group" aria-label="Response">
      <div class="row">
        <span>The receiver responded with <strong>${status}</strong> after ${span(durationMs)}.</span>
        ${body === '' ? nothing : html`<span class="push">${copyButton('Copy response', () => body)}</span>`}
      </div>
      ${headerTable(headers)}
      ${body === '' ? html`<p class="quiet">No body.</p>` : jsonView(body)}
      ${bodyCut === undefined ? nothing : html`<p class="quiet">The first ${counted(new TextEncoder().encode(body).length, 'byte')} of ${counted(bodyCut, 'byte')}.</p>`}
    </div>
  `;
}
