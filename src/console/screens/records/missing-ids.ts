/** The ids that a search finds in requests and that never became records: above its matches, or in their place. */
import { html, nothing, type TemplateResult } from 'lit';
import { callApi } from '../../data/client.ts';
import { createResource } from '../../data/resource.ts';
import { choose, linkTo } from '../../data/route.ts';
import type { Schemas } from '../../data/schemas.ts';
import { PageElement } from '../../element.ts';
import { empty } from '../../parts/empty.ts';
import { errorNote } from '../../parts/notices.ts';
import { skeleton } from '../../parts/skeleton.ts';
import { collectionOf } from './collections.ts';

type Results = Schemas['SearchResults']['items'];

/** Maximum number of ids above the matches of a search. */
const maxAbove = 5;

class MissingIds extends PageElement {
  static override properties = {
    project: { attribute: false },
    text: { attribute: false },
    hasMatches: { attribute: false },
  };
  declare project: string;
  declare text: string;
  /** Whether the search finds records. The ids are then above them, if they begin with the text. */
  declare hasMatches: boolean;
  private readonly resource = createResource<Results>(this, {
    key: () => JSON.stringify([this.project, this.text]),
    load: async () => {
      const query = new URLSearchParams({ q: this.text.slice(0, 200), project: this.project, limit: '20' });
      const { items } = await callApi<Schemas['SearchResults']>('GET', `/search?${query}`);
      return items.filter(({ kind }) => kind === 'entity' || kind === 'record');
    },
    reloadOn: (event) => event.project === this.project && event.kind !== 'callback',
  });

  protected override render(): TemplateResult | typeof nothing {
    const { value, errorText } = this.resource;
    if (this.hasMatches) return this.renderAbove(value ?? []);
    if (!value) return html`${errorNote(errorText)}${errorText === '' ? skeleton(3) : ''}`;
    const clear = html`<button @click=${() => choose({ q: '' })}>Clear search</button>`;
    if (value.length === 0) return empty('No matches', clear);
    return html`
      <div class="empty">
        <h2>No matches here. Requests name these ids:</h2>
        <ul class="ids" aria-label="Ids without a record here">${value.map((one) => this.renderId(one))}</ul>
        ${clear}
      </div>
    `;
  }

  /** Exact matches come first. */
  private renderAbove(found: Results): TemplateResult | typeof nothing {
    const text = this.text.toLowerCase();
    const fitting = found.filter(({ kind, id }) => kind === 'entity' && id.toLowerCase().startsWith(text));
    if (fitting.length === 0) return nothing;
    return html`<ul class="ids" aria-label="Ids without a record here">${fitting.slice(0, maxAbove).map((one) => this.renderId(one))}</ul>`;
  }

  private renderId({ kind, id, collection }: Results[number]): TemplateResult {
    const { noun } = collectionOf(collection);
    const { project } = this;
    return kind === 'entity'
      ? html`<li><a class="mono" href=${linkTo('entity', { project, id })}>${id}</a> <span class="chip bad">no record</span> <span class="quiet">${noun}: see why</span></li>`
      : html`<li><a class="mono" href=${linkTo('records', { project, collection: collection ?? '', record: id })}>${id}</a> <span class="quiet">${noun}</span></li>`;
  }
}

customElements.define('missing-ids', MissingIds);
