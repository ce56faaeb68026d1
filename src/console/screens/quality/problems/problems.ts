/** The problems screen: failures grouped by operation and cause, newest first, with advice. */
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { SandboxEvent } from '../../../data/events.ts';
import { createResource, type Resource } from '../../../data/resource.ts';
import { choose, linkTo, route } from '../../../data/route.ts';
import { PageElement, watch } from '../../../element.ts';
import { empty } from '../../../parts/empty.ts';
import { keepFocus } from '../../../parts/keep-focus.ts';
import { errorNote } from '../../../parts/notices.ts';
import { searchField } from '../../../parts/search-field.ts';
import { adviceOf } from './advice.ts';
import { renderGroup } from './card.ts';
import { type Group, toGroups } from './groups.ts';
import { createJournal, type JournalResult, maxRequests, type ProblemJournal } from './load-findings.ts';
import './problems.css';

interface Result extends JournalResult {
  readonly groups: readonly Group[];
}

/** The filters: their values in the URL, and their labels. */
const filters = {
  refused: 'rejected',
  entries: 'entries',
  warnings: 'warnings',
  callbacks: 'callbacks',
  scenario: 'scenario',
} as const;

class ProblemsScreen extends PageElement {
  private journal: ProblemJournal | undefined;
  private readonly resource: Resource<Result> = createResource(this, {
    key: projectInUrl,
    load: () => this.load(),
    reloadOn: (event) => this.noteEvent(event),
  });

  constructor() {
    super();
    watch(this, route);
    keepFocus(this);
  }

  /** Whether an event may have changed the problems. Request ids restart after a reset, so everything is loaded again. */
  private noteEvent(event: SandboxEvent): boolean {
    if (event.kind === 'callback') this.journal?.callbacksChanged(event.project);
    if (event.kind === 'missed' || (event.kind === 'change' && event.what === 'reset')) this.journal = undefined;
    return event.kind === 'change' ? ['reset', 'clock'].includes(event.what) : event.kind !== 'records';
  }

  private async load(): Promise<Result> {
    const project = projectInUrl();
    if (this.journal?.project !== project) this.journal = createJournal(project);
    const result = await this.journal.load();
    return { ...result, groups: toGroups(result.findings) };
  }

  protected override render(): TemplateResult {
    const { q = '', show = '' } = route.get().query;
    const { value: result, errorText } = this.resource;
    const groups = result?.groups ?? [];
    const matching = groups.filter((group) => matches(group, show) && textOf(group).includes(q.toLowerCase()));
    const status = result === undefined ? 'Loading…' : `${matching.length} of ${groups.length} problems`;
    return html`
      <div class="row">
        <h1>Problems</h1>
        <span class="quiet" role="status">${status}</span>
      </div>
      <p class="quiet">In the latest ${maxRequests.toLocaleString('en')} requests: rejected requests, failures reported by callback, warnings. Undelivered callbacks are always listed.</p>
      ${renderFilters(show)}
      ${errorNote(errorText)}
      ${result && matching.length === 0 ? renderEmpty(result) : nothing}
      <ul class="problems">
        ${repeat(
          matching,
          ({ key }) => key,
          (group) => html`<li class="card">${renderGroup(group)}</li>`,
        )}
      </ul>
    `;
  }
}

function projectInUrl(): string {
  return route.get().query['project'] ?? '';
}

function renderFilters(show: string): TemplateResult {
  return html`
    <div class="row">
      ${searchField('Search problems', 'Operation, cause, field, scenario or request')}
      ${Object.entries(filters).map(
        ([name, label]) =>
          html`<button aria-pressed=${show === name} @click=${() => choose({ show: show === name ? '' : name })}>${label}</button>`,
      )}
    </div>
  `;
}

function renderEmpty({ requests, groups }: Result): TemplateResult {
  if (groups.length > 0) {
    return empty('No matches', html`<button @click=${() => choose({ q: '', show: '' })}>Clear filters</button>`);
  }
  if (requests > 0) {
    const next = html`<p>
      All requests succeeded. To test how your client handles failures, activate a <a href=${linkTo('scenarios')}>scenario</a>.
    </p>`;
    return empty('No problems found', next);
  }
  return empty('No requests yet', html`<p><a href=${linkTo('connect')}>Connect your client</a> first.</p>`);
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

customElements.define('problems-screen', ProblemsScreen);
