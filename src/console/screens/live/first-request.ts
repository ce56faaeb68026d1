/** What to do while there are no requests: a command to paste. */
import { html, type TemplateResult } from 'lit';
import { apiUrl } from '../../data/export-request.ts';
import { loadPlace } from '../../data/load-place.ts';
import { type RequestPlace, toCurlExample } from '../../data/request-place.ts';
import { createResource, type Resource } from '../../data/resource.ts';
import { linkTo, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { copyButton } from '../../parts/copy-button.ts';
import { empty } from '../../parts/empty.ts';

class FirstRequest extends PageElement {
  private readonly place: Resource<RequestPlace | undefined> = createResource(this, {
    key: () => 'example',
    load: () => loadPlace('asyncImportJobs'),
  });

  constructor() {
    super();
    watch(this, route);
  }

  protected override render(): TemplateResult {
    const place = this.place.value;
    const { project = '' } = route.get().query;
    const body = { jobs: [{ id: 'J-1' }, { id: 'FAIL-GEOCODE-2' }] };
    const example = place ? toCurlExample(apiUrl, place, project === '' ? 'demo' : project, body) : '';
    return empty(
      project === '' ? 'No requests yet' : `No requests in project ${project} yet`,
      html`<div class="column">
        <p>Paste this command into a terminal, or send <a href=${linkTo('reference', { operation: 'asyncImportJobs' })}>asyncImportJobs</a> from the API reference.</p>
        <pre tabindex="0">${example}</pre>
        <div>${copyButton('Copy', () => example)}</div>
        <p>Then <a href=${linkTo('connect')}>connect your client</a>.</p>
      </div>`,
    );
  }
}

customElements.define('first-request', FirstRequest);
