/** Sends a request to the sandbox, and renders its response. */
import { html, nothing, type TemplateResult } from 'lit';
import { apiUrl } from '../../api.ts';
import { readJson } from '../../data/response-body.ts';
import { linkTo } from '../../data/route.ts';
import { statusChip } from '../../parts/chips.ts';
import { copyButton } from '../../parts/copy-button.ts';
import { foldOut } from '../../parts/fold-out.ts';
import { jsonView } from '../../parts/json-view.ts';
import { span } from '../../parts/times.ts';
import type { BuiltRequest } from './build-request.ts';
import type { TriedRequest } from './outcome.ts';
import './outcome.ts';

/** A request that the user sent. */
export type Sent =
  | Exclude<TriedRequest, { readonly is: 'responded' }>
  | (TriedRequest & { readonly is: 'responded' } & Received);

interface Received {
  readonly durationMs: number;
  readonly bytes: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

export async function send({ method, target, headers, body }: BuiltRequest): Promise<Sent> {
  const startedAt = performance.now();
  try {
    const response = await fetch(apiUrl + target, { method, headers, ...(body !== undefined && { body }) });
    const text = await response.text();
    const requestId = response.headers.get('x-request-id');
    if (requestId === null) return { is: 'broken' };
    return {
      ...{ is: 'responded', status: response.status, text, requestId },
      durationMs: performance.now() - startedAt,
      bytes: new TextEncoder().encode(text).length,
      headers: [...response.headers],
    };
  } catch {
    return { is: 'broken' };
  }
}

export function renderResponse(sent: Sent): TemplateResult {
  return html`
    <div class="row">
      <h3>Response</h3>
      ${sent.is === 'responded' ? renderFacts(sent) : nothing}
    </div>
    <p class="quiet reference-status" role="status"><reference-outcome .tried=${sent}></reference-outcome></p>
    ${sent.is === 'responded' ? renderContent(sent) : nothing}
  `;
}

function renderFacts({ status, durationMs, bytes, requestId }: Sent & { readonly is: 'responded' }): TemplateResult {
  return html`
    ${statusChip(status)}
    <span class="quiet">${span(durationMs)}</span>
    <span class="quiet">${bytes.toLocaleString('en')} bytes</span>
    <a class="push" href=${linkTo('live', { request: requestId })}>Open request</a>
  `;
}

function renderContent({ text, headers }: Sent & { readonly is: 'responded' }): TemplateResult {
  const json = readJson(text);
  const list = (): TemplateResult =>
    html`<dl class="facts mono">${headers.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
  return html`
    ${text === '' ? html`<p class="quiet">No body.</p>` : jsonView(text)}
    <div class="row">
      ${foldOut(html`${headers.length} headers`, list)}
      <span class="push">${copyButton('Copy body', () => (json === undefined ? text : JSON.stringify(json, null, 2)))}</span>
    </div>
  `;
}
