/** Renders the description of an operation: parameters, body, responses and callbacks. */
import { html, nothing, type TemplateResult } from 'lit';
import { linkTo } from '../../data/route.ts';
import { foldOut } from '../../parts/fold-out.ts';
import { inlineCode } from '../../parts/inline-code.ts';
import { jsonView } from '../../parts/json-view.ts';
import type { ApiBody, ApiOperation, ApiResponse } from './document.ts';
import type { Document } from './openapi.ts';
import { breakable, methodBadge } from './operations.ts';
import { assumption, renderParameter, schemaFields } from './schema-fields.ts';

export function renderDescription(document: Document, operation: ApiOperation): TemplateResult {
  const { id, method, path, summary, parameters, body, responses, callbacks } = operation;
  return html`
    <article class="description" aria-label=${id}>
      <header>
        <h2 tabindex="-1">${summary === '' ? id : summary}</h2>
        <div class="row">
          <code class="operation-name">${id}</code>
          <button type="button" class="try-it" @click=${showRequest}>Try it</button>
        </div>
        <p class="operation-path">${methodBadge(method)}<code>${breakable(path, /(?<=\/)/)}</code></p>
      </header>
      ${paragraphs(operation.description)}
      ${assumption(operation.assumption)}
      ${callbacks.map((one) => html`<p>Failures after the response are reported by the callback <a href=${linkTo('reference', { operation: one })}>${one}</a>.</p>`)}
      ${parameters.length === 0 ? nothing : html`<section><h3>Parameters</h3><ul class="schema-fields">${parameters.map((one) => renderParameter(document, one))}</ul></section>`}
      ${body ? html`<section><h3>Body <span class="quiet">${body.type}</span></h3>${renderSchema(document, body)}</section>` : nothing}
      <section>
        <h3>Responses</h3>
        <div class="responses" role="group" aria-label="Responses">${responses.map((one, index) => renderResponse(document, one, index === 0))}</div>
      </section>
    </article>
  `;
}

/** Scrolls to the request, which is below the description on small displays. */
function showRequest(): void {
  document.querySelector('.reference-request')?.scrollIntoView();
}

/** Separates paragraphs at empty lines. */
function paragraphs(text: string): TemplateResult {
  return html`${text.split(/\n\s*\n/).map((one) => (one.trim() === '' ? nothing : html`<p>${inlineCode(one)}</p>`))}`;
}

function renderSchema(document: Document, { schema }: ApiBody): TemplateResult {
  return html`
    ${schema.description ? html`<p>${inlineCode(schema.description)}</p>` : nothing}
    ${assumption(schema['x-not-shown'])}
    ${schemaFields(document, schema)}
  `;
}

function renderResponse(document: Document, response: ApiResponse, isOpen: boolean): TemplateResult {
  const { status, description } = response;
  const summary = html`<span class="chip ${kindOf(status)}">${status}</span><span>${inlineCode(description)}</span>`;
  return foldOut(summary, () => renderContent(document, response), isOpen);
}

function renderContent(document: Document, { headers, body }: ApiResponse): TemplateResult {
  const examples = (body?.examples ?? []).map(({ title, value }) =>
    foldOut(html`Example: ${title}`, () => jsonView(JSON.stringify(value))),
  );
  return html`
    <div class="column">
      ${headers.length === 0 ? nothing : html`<h4>Headers</h4><ul class="schema-fields">${headers.map((one) => renderParameter(document, one))}</ul>`}
      ${body ? html`<h4>Body</h4>${renderSchema(document, body)}` : html`<p class="quiet">No body.</p>`}
      ${examples}
    </div>
  `;
}

function kindOf(status: string): string {
  if (status.startsWith('2')) return 'good';
  return status.startsWith('4') ? 'warn' : status.startsWith('5') ? 'bad' : 'quiet';
}

/** Renders what the document says about the API as a whole. */
export function renderOverview({ info, servers = [] }: Document): TemplateResult {
  return html`
    <article class="description" aria-label="Overview">
      <header><h2 tabindex="-1">${info.title}</h2><p class="quiet">Version ${info.version}</p></header>
      ${paragraphs(info.description ?? '')}
      <section>
        <h3>Servers</h3>
        <ul class="schema-fields">
          ${servers.map(({ url, description = '' }) => html`<li><code>${url}</code><p>${inlineCode(description)}</p></li>`)}
        </ul>
      </section>
      <section>
        <h3>Document</h3>
        <p>This reference shows the <a href="openapi.json" target="_blank">OpenAPI document</a> of this sandbox, with its profile.</p>
      </section>
    </article>
  `;
}
