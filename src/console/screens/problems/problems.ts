/** The problems screen: failures grouped by operation and cause, newest first, with advice. */
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { ApiError } from '../../data/client.ts';
import { listen } from '../../data/events.ts';
import { createReloader, type Reloader } from '../../data/reloader.ts';
import { choose, linkTo, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { empty } from '../../parts/empty.ts';
import { keepFocus } from '../../parts/keep-focus.ts';
import { adviceOf } from './advice.ts';
import { renderGroup } from './card.ts';
import { type Group, toGroups } from './groups.ts';
import { createJournal, type JournalResult, maxRequests, type ProblemJournal } from './journal.ts';
import './problems.css';

/** The filters: their values in the URL, and their labels. */
const filters = {
  refused: 'rejected',
  entries: 'entries',
  warnings: 'warnings',
  callbacks: 'callbacks',
  scenario: 'scenario',
} as const;

class ProblemsScreen extends PageElement {
  static override properties = { result: { state: true }, errorText: { state: true } };
  /** The findings, once they are loaded. */
  declare private result: (JournalResult & { readonly groups: readonly Group[] }) | undefined;
  /** Why they could not be loaded. */
  declare private errorText: string;
  private project: string | undefined;
  private journal: ProblemJournal = createJournal('');
  private readonly reloader: Reloader = createReloader(() => this.load());
  private removeHandlers = (): void => undefined;

  constructor() {
    super();
    this.errorText = '';
    watch(this, route);
    keepFocus(this);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.removeHandlers = listen({
      request: () => this.reloader.soon(),
      callback: ({ project }) => {
        this.journal.callbacksChanged(project);
        this.reloader.soon();
      },
      change: ({ what }) => {
        if (what === 'reset') this.restart();
        if (what === 'reset' || what === 'clock') this.reloader.soon();
      },
      missed: () => {
        this.restart();
        this.reloader.soon();
      },
    });
    this.project = undefined;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.removeHandlers();
    this.reloader.end();
  }

  protected override willUpdate(): void {
    const { project = '' } = route.get().query;
    if (project === this.project) return;
    this.project = project;
    this.restart();
    this.result = undefined;
    this.reloader.now();
  }

  /** Loads everything again, because request ids restart after a reset. */
  private restart(): void {
    this.journal = createJournal(this.project ?? '');
  }

  private async load(): Promise<void> {
    const { journal } = this;
    try {
      const result = await journal.load();
      if (journal !== this.journal) return;
      this.result = { ...result, groups: toGroups(result.findings) };
      this.errorText = '';
    } catch (error) {
      if (journal === this.journal) this.errorText = error instanceof ApiError ? error.message : String(error);
    }
  }

  protected override render(): TemplateResult {
    const { q = '', show = '' } = route.get().query;
    const groups = this.result?.groups ?? [];
    const matching = groups.filter((group) => matches(group, show) && textOf(group).includes(q.toLowerCase()));
    const status = this.result === undefined ? 'Loading…' : `${matching.length} of ${groups.length} problems`;
    return html`
      <div class="row">
        <h1>Problems</h1>
        <span class="quiet" role="status">${status}</span>
      </div>
      <p class="quiet">In the latest ${maxRequests.toLocaleString('en')} requests: rejected requests, failures reported by callback, warnings. Undelivered callbacks are always listed.</p>
      ${this.renderFilters(q, show)}
      ${this.errorText === '' ? nothing : html`<p class="note bad">${this.errorText}</p>`}
      ${this.result && matching.length === 0 ? this.renderEmpty(this.result) : nothing}
      <ul class="problems">
        ${repeat(
          matching,
          ({ key }) => key,
          (group) => html`<li class="card">${renderGroup(group)}</li>`,
        )}
      </ul>
    `;
  }

  private renderFilters(q: string, show: string): TemplateResult {
    return html`
      <div class="row">
        <input class="grow" type="search" aria-label="Search problems" placeholder="Operation, cause, field, scenario or request"
          .value=${q} @input=${({ target }: Event) => choose({ q: (target as HTMLInputElement).value }, true)} />
        ${Object.entries(filters).map(
          ([name, label]) =>
            html`<button aria-pressed=${show === name} @click=${() => choose({ show: show === name ? '' : name })}>${label}</button>`,
        )}
      </div>
    `;
  }

  private renderEmpty({ requests, groups }: JournalResult & { readonly groups: readonly Group[] }): TemplateResult {
    if (groups.length > 0) {
      const all = html`<button @click=${() => choose({ q: '', show: '' })}>Clear filters</button>`;
      return empty('No matches', all);
    }
    if (requests > 0) {
      const next = html`<p>
        All requests succeeded. To test how your client handles failures, activate a <a href=${linkTo('scenarios')}>scenario</a>.
      </p>`;
      return empty('No problems found', next);
    }
    return empty('No requests yet', html`<p><a href=${linkTo('connect')}>Connect your client</a> first.</p>`);
  }
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
