/** What goes wrong: grouped by operation and cause, the latest first, with what to do about it. */
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { Refusal } from '../data/client.ts';
import { listen } from '../data/events.ts';
import { type Fresh, keepFresh } from '../data/fresh.ts';
import { choose, linkTo, route } from '../data/route.ts';
import { PageElement, watch } from '../element.ts';
import { empty } from '../parts/empty.ts';
import { keepFocus } from '../parts/keep-focus.ts';
import { adviceOf } from './problems-advice.ts';
import { renderGroup } from './problems-card.ts';
import { type Group, toGroups } from './problems-groups.ts';
import { createJournal, type Looked, mostRequests, type ProblemJournal } from './problems-journal.ts';
import './problems.css';

const filters = ['refused', 'entries', 'warnings', 'callbacks', 'scenario'] as const;

class ProblemsScreen extends PageElement {
  static override properties = { looked: { state: true }, why: { state: true } };
  /** What was found, once it has come. */
  declare private looked: (Looked & { readonly groups: readonly Group[] }) | undefined;
  /** Why nothing was. */
  declare private why: string;
  private project: string | undefined;
  private journal: ProblemJournal = createJournal('');
  private readonly fresh: Fresh = keepFresh(() => this.load());
  private endListening = (): void => undefined;

  constructor() {
    super();
    this.why = '';
    watch(this, route);
    keepFocus(this);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.endListening = listen({
      request: () => this.fresh.soon(),
      callback: ({ project }) => {
        this.journal.callbacksChanged(project);
        this.fresh.soon();
      },
      change: ({ what }) => {
        if (what === 'reset') this.begin();
        if (what === 'reset' || what === 'clock') this.fresh.soon();
      },
      missed: () => {
        this.begin();
        this.fresh.soon();
      },
    });
    this.project = undefined;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.endListening();
    this.fresh.end();
  }

  protected override willUpdate(): void {
    const { project = '' } = route.get().query;
    if (project === this.project) return;
    this.project = project;
    this.begin();
    this.looked = undefined;
    this.fresh.now();
  }

  /** All is asked for anew: ids begin anew, too, where a project was reset. */
  private begin(): void {
    this.journal = createJournal(this.project ?? '');
  }

  private async load(): Promise<void> {
    const { journal } = this;
    try {
      const looked = await journal.look();
      if (journal !== this.journal) return;
      this.looked = { ...looked, groups: toGroups(looked.findings) };
      this.why = '';
    } catch (error) {
      if (journal === this.journal) this.why = error instanceof Refusal ? error.message : String(error);
    }
  }

  protected override render(): TemplateResult {
    const { q = '', show = '' } = route.get().query;
    const groups = this.looked?.groups ?? [];
    const fitting = groups.filter((group) => fits(group, show) && textOf(group).includes(q.toLowerCase()));
    const said = this.looked === undefined ? 'Loading…' : `${fitting.length} of ${groups.length} problems`;
    return html`
      <div class="row">
        <h1>Problems</h1>
        <span class="quiet" role="status">${said}</span>
      </div>
      <p class="quiet">In the latest ${mostRequests.toLocaleString('en')} requests: what was refused, what callbacks told of later, what was strange. Callbacks that could not be delivered stand here whatever their age.</p>
      ${this.renderFilters(q, show)}
      ${this.why === '' ? nothing : html`<p class="note bad">${this.why}</p>`}
      ${this.looked && fitting.length === 0 ? this.renderNone(this.looked) : nothing}
      <ul class="problems">
        ${repeat(
          fitting,
          ({ key }) => key,
          (group) => html`<li class="card">${renderGroup(group)}</li>`,
        )}
      </ul>
    `;
  }

  private renderFilters(q: string, show: string): TemplateResult {
    return html`
      <div class="row">
        <input class="grow" type="search" aria-label="Search problems" placeholder="operation, cause, field, scenario, request"
          .value=${q} @input=${({ target }: Event) => choose({ q: (target as HTMLInputElement).value }, true)} />
        ${filters.map(
          (name) =>
            html`<button aria-pressed=${show === name} @click=${() => choose({ show: show === name ? '' : name })}>${name}</button>`,
        )}
      </div>
    `;
  }

  private renderNone({ requests, groups }: Looked & { readonly groups: readonly Group[] }): TemplateResult {
    if (groups.length > 0) {
      const all = html`<button @click=${() => choose({ q: '', show: '' })}>Show all problems</button>`;
      return empty('No problem fits', all);
    }
    if (requests > 0) {
      const next = html`<p>
        Every request went well. Try what your client does when one doesn't: switch a <a href=${linkTo('scenarios')}>scenario</a> on.
      </p>`;
      return empty('No problem so far', next);
    }
    return empty(
      'No request so far',
      html`<p>Point your client here first: <a href=${linkTo('connect')}>Connect</a>.</p>`,
    );
  }
}

function fits({ latest }: Group, show: string): boolean {
  if (show === '') return true;
  return show === 'scenario' ? latest.scenario !== '' : latest.show === show;
}

function textOf({ latest, examples }: Group): string {
  const { kind, operation, place, cause, scenario } = latest;
  const ids = examples.map(({ requestId, callbackId }) => `${requestId} ${callbackId}`).join(' ');
  return `${adviceOf[kind].title} ${operation} ${place} ${cause} ${scenario} ${ids}`.toLowerCase();
}

customElements.define('problems-screen', ProblemsScreen);
