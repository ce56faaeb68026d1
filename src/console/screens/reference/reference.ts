/** The API reference screen: operations, description, and a request to this sandbox, in three columns. */
import { html, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { callApi } from '../../data/client.ts';
import { createResource, type Resource } from '../../data/resource.ts';
import { linkTo, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { chosenProject } from '../../parts/choose-project.ts';
import { jsonView } from '../../parts/json-view.ts';
import { errorNote } from '../../parts/notices.ts';
import { skeleton } from '../../parts/skeleton.ts';
import { renderDescription, renderOverview } from './description.ts';
import { type ApiOperation, type Reference, toReference } from './document.ts';
import type { Document } from './openapi.ts';
import { renderOperations, renderPicker } from './operations.ts';
import './request.ts';
import './reference.css';
import './operations.css';
import './description.css';
import './request.css';

/** Placeholder for the project if none is selected. */
const exampleProject = 'demo';

class ReferenceScreen extends PageElement {
  static override properties = { search: { state: true } };
  declare private search: string;
  /** The operation whose description was scrolled to its start. */
  private shown = '';
  private readonly reference: Resource<Reference> = createResource(this, {
    key: () => 'document',
    load: async () => toReference(await callApi<Document>('GET', '/openapi.json')),
  });

  constructor() {
    super();
    this.search = '';
    watch(this, route);
  }

  protected override render(): TemplateResult {
    const { value, errorText } = this.reference;
    const { operation: id = '' } = route.get().query;
    const operation = value?.operations.find((one) => one.id === id);
    const listed = value && {
      ...value,
      ...{ chosen: operation?.id ?? '', search: this.search },
      setSearch: (text: string) => {
        this.search = text;
      },
    };
    const waiting = errorText === '' ? skeleton(12) : nothing;
    return html`
      <div class="reference ${operation ? '' : 'overview'}">
      <div class="reference-list">
        <h1><a href=${linkTo('reference', { operation: '' })}>API reference</a></h1>
        ${listed ? [renderPicker(listed), renderOperations(listed)] : waiting}
      </div>
      <div class="reference-text">
        ${errorNote(value && id !== '' && !operation ? `Operation ${id} not found.` : errorText)}
        ${value ? (operation ? keyed(id, renderDescription(value.document, operation)) : renderOverview(value.document)) : waiting}
      </div>
      ${value && operation ? html`<div class="reference-request">${this.renderRequest(value, operation)}</div>` : nothing}
      </div>
    `;
  }

  private renderRequest(reference: Reference, operation: ApiOperation): TemplateResult {
    if (operation.isCallback) return renderCallback(operation);
    const project = chosenProject() ?? exampleProject;
    return html`<reference-request .reference=${reference} .operation=${operation} .project=${project}></reference-request>`;
  }

  protected override updated(): void {
    const { operation = '' } = route.get().query;
    if (operation === this.shown || this.reference.value === undefined) return;
    this.shown = operation;
    this.querySelector('.reference-text')?.scrollTo(0, 0);
    this.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest' });
  }
}

/** The sandbox sends callbacks, so there is nothing to send here. */
function renderCallback({ body }: ApiOperation): TemplateResult {
  return html`
    <h2>Callback</h2>
    <p>The sandbox sends it to the receiver of the project. Set the receiver, and see all callbacks, under <a href=${linkTo('callbacks')}>Callbacks</a>.</p>
    ${body?.examples.map(({ title, value }) => html`<h3>${title}</h3>${jsonView(JSON.stringify(value))}`)}
  `;
}

customElements.define('reference-screen', ReferenceScreen);
