/** The tab Problems: failures grouped by operation and cause, newest first, with advice. */
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { projects } from '../../../data/live.ts';
import { choose, linkTo, projectInUrl, route } from '../../../data/route.ts';
import { PageElement, watch } from '../../../element.ts';
import { areProjectsLoaded } from '../../../parts/choose-project.ts';
import { empty } from '../../../parts/empty.ts';
import { keepFocus } from '../../../parts/keep-focus.ts';
import { errorNote } from '../../../parts/notices.ts';
import { searchField } from '../../../parts/search-field.ts';
import { skeleton } from '../../../parts/skeleton.ts';
import { adviceOf } from './advice.ts';
import { renderGroup } from './card.ts';
import type { Group } from './groups.ts';
import { maxRequests } from './load-findings.ts';
import { createProblems } from './resource.ts';
import './problems.css';

/** The filters: their values in the URL, and their labels. */
const filters = {
  refused: 'Rejected',
  entries: 'Entries',
  warnings: 'Warnings',
  callbacks: 'Callbacks',
  scenario: 'Scenario',
} as const;

class QualityProblems extends PageElement {
  private readonly resource = createProblems(this);

  constructor() {
    super();
    watch(this, route, projects);
    keepFocus(this);
  }

  protected override render(): TemplateResult {
    const { q = '', show = '' } = route.get().query;
    const { value: groups, errorText } = this.resource;
    if (groups === undefined) return errorText === '' ? skeleton() : html`${errorNote(errorText)}`;
    const matching = groups.filter((group) => matches(group, show) && textOf(group).includes(q.toLowerCase()));
    return html`
      ${renderFilters(groups, show)}
      <p class="quiet" role="status">${matching.length} of ${groups.length} problems, in the latest ${maxRequests.toLocaleString('en')} requests with a failure or a warning, and the latest 1,000 undelivered callbacks.</p>
      ${errorNote(errorText)}
      ${matching.length === 0 ? renderEmpty(groups) : nothing}
      <ul class="problems" aria-label="Problems">
        ${repeat(
          matching,
          ({ key }) => key,
          (group) => html`<li>${renderGroup(group)}</li>`,
        )}
      </ul>
    `;
  }
}

function renderFilters(groups: readonly Group[], show: string): TemplateResult {
  const renderFilter = ([name, label]: readonly [string, string]): TemplateResult => {
    const count = groups.filter((group) => matches(group, name)).length;
    return html`<button type="button" aria-pressed=${show === name} @click=${() => choose({ show: show === name ? '' : name })}>${label} <span class="count">${count}</span></button>`;
  };
  return html`
    <div class="row">
      ${searchField('Search problems', 'Operation, cause, field, scenario or request')}
      ${Object.entries(filters).map(renderFilter)}
    </div>
  `;
}

function renderEmpty(groups: readonly Group[]): TemplateResult {
  if (groups.length > 0) {
    return empty('No matches', html`<button @click=${() => choose({ q: '', show: '' })}>Clear filters</button>`);
  }
  // Whether there are requests is known with the list of projects.
  if (!areProjectsLoaded()) return skeleton();
  const project = projectInUrl();
  const hasRequests = projects
    .get()
    .some(({ id, counts }) => (project === '' || id === project) && counts.requests > 0);
  return hasRequests
    ? empty(
        'No problems found',
        html`<a class="button" href=${linkTo('quality', { tab: 'coverage', met: 'no' })}>Test a failure</a>`,
      )
    : empty('No requests yet', html`<a class="button" href=${linkTo('connect')}>Connect your client</a>`);
}

function matches({ latest }: Group, show: string): boolean {
  if (show === '') return true;
  return show === 'scenario' ? latest.scenario !== '' : latest.show === show;
}

function textOf({ latest, examples }: Group): string {
  const { kind, operation, place, cause, scenario } = latest;
  const ids = examples.map(({ requestId, callbackId }) => `${requestId} ${callbackId}`).join(' ');
  return `${adviceOf[kind].title} ${operation} ${place} ${cause} ${scenario} ${ids}`.toLowerCase();
}

customElements.define('quality-problems', QualityProblems);
