/** The tab Coverage: what clients have met of the API and its failures, and how to meet the rest. */
import { html, nothing, type TemplateResult } from 'lit';
import { choose, route } from '../../../data/route.ts';
import type { Schemas } from '../../../data/schemas.ts';
import { PageElement, watch } from '../../../element.ts';
import { empty } from '../../../parts/empty.ts';
import { errorNote } from '../../../parts/notices.ts';
import { searchField } from '../../../parts/search-field.ts';
import { skeleton } from '../../../parts/skeleton.ts';
import { type Filter, filterAreas, type Shown } from './filter.ts';
import { createCoverage } from './resource.ts';
import { renderOperations } from './table.ts';
import './coverage.css';

/** Filters by whether clients have met something, and their labels. */
const filters = { '': 'All', no: 'Not met', yes: 'Met' } as const;

class QualityCoverage extends PageElement {
  private readonly resource = createCoverage(this);

  constructor() {
    super();
    watch(this, route);
  }

  protected override render(): TemplateResult {
    const { value, errorText } = this.resource;
    if (value === undefined) return errorText === '' ? skeleton() : html`${errorNote(errorText)}`;
    const { q = '', met = '' } = route.get().query;
    const filter: Filter = {
      search: q.trim().toLowerCase(),
      met: met === 'yes' ? true : met === 'no' ? false : undefined,
    };
    const shown = filterAreas(value, filter);
    return html`
      ${errorNote(errorText)}
      <dl class="shares">
        ${renderShare('All', value)} ${renderShare('Operations', value.operations)}
        ${renderShare('Failures', value.failures)} ${renderShare('Callback conditions', value.callbacks)}
      </dl>
      <div class="row">
        ${searchField('Search coverage', 'Operation, failure or callback')}
        <div class="row segments" role="group" aria-label="Filter">
          ${Object.entries(filters).map(([name, label]) => html`<button type="button" aria-pressed=${met === name} @click=${() => choose({ met: name })}>${label}</button>`)}
        </div>
      </div>
      ${shown.length === 0 ? renderNoMatches() : renderAreas(shown)}
    `;
  }
}

function renderShare(title: string, { met, total, percent }: Schemas['CoverageShare']): TemplateResult {
  return html`
    <div>
      <dt>${title}</dt>
      <dd>
        <strong>${percent} %</strong> <span class="quiet">${met.toLocaleString('en')} of ${total.toLocaleString('en')}</span>
        <span class="part-bar"><i .style=${`--part: ${percent}%`}></i></span>
      </dd>
    </div>
  `;
}

function renderAreas(shown: readonly Shown[]): TemplateResult {
  const operations = shown.filter(({ kind }) => kind === 'operation');
  const callbacks = shown.filter(({ kind }) => kind === 'callback');
  return html`
    ${operations.length > 0 ? renderOperations('Operations', operations) : nothing}
    ${callbacks.length > 0 ? renderOperations('Callbacks', callbacks) : nothing}
  `;
}

function renderNoMatches(): TemplateResult {
  return empty('No matches', html`<button @click=${() => choose({ q: '', met: '' })}>Clear filters</button>`);
}

customElements.define('quality-coverage', QualityCoverage);
