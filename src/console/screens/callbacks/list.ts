/** The callbacks of a project, newest first: as a table, or as cards in its inbox. */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { ApiError } from '../../data/client.ts';
import { followProject } from '../../data/project-feed.ts';
import { choose, linkTo, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { empty } from '../../parts/empty.ts';
import { keepFocus } from '../../parts/keep-focus.ts';
import { pageSize } from '../records/arrange.ts';
import { pager } from '../records/table.ts';
import { type CallbackList, createCallbackList } from './data.ts';
import { type Callback, messageOf, states, types } from './labels.ts';
import { callbackTable, inboxCards } from './table.ts';

class CallbackListView extends PageElement {
  static override properties = {
    project: { attribute: false },
    isInbox: { attribute: false },
    previousId: { attribute: false },
    all: { state: true },
    errorText: { state: true },
  };
  declare project: string;
  declare isInbox: boolean;
  /** Id of the callback that was open before. Its row gets the focus when the list is loaded. */
  declare previousId: string;
  /** The callbacks, once they are loaded. */
  declare private all: readonly Callback[] | undefined;
  /** Why they could not be loaded. */
  declare private errorText: string;
  private list: CallbackList | undefined;
  private readonly reloader = followProject(
    this,
    (soon) => ({
      callback: ({ project, id }) => {
        if (project !== this.project) return;
        this.list?.markChanged(id);
        soon();
      },
      change: ({ project, what }) => {
        if ((project !== null && project !== this.project) || !['reset', 'snapshot'].includes(what)) return;
        this.list?.discard();
        soon();
      },
      missed: () => {
        this.list?.discard();
        soon();
      },
    }),
    () => this.load(),
  );

  constructor() {
    super();
    this.errorText = '';
    watch(this, route);
    keepFocus(this);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('project')) return;
    this.list = createCallbackList(this.project);
    this.all = undefined;
    this.errorText = '';
    this.reloader.now();
  }

  protected override updated(changed: PropertyValues): void {
    if (!changed.has('all') || changed.get('all') !== undefined || this.previousId === '') return;
    this.querySelector<HTMLElement>(`[data-callback="${CSS.escape(this.previousId)}"]`)?.focus();
  }

  private async load(): Promise<void> {
    const { list } = this;
    try {
      const all = await list?.load();
      if (list !== this.list) return;
      this.all = all?.toReversed();
      this.errorText = '';
    } catch (error) {
      if (list === this.list) this.errorText = error instanceof ApiError ? error.message : String(error);
    }
  }

  protected override render(): TemplateResult {
    const { query } = route.get();
    const { type = '', q = '', page: requestedPage = '' } = query;
    const all = this.all ?? [];
    const state = this.isInbox ? 'inbox' : (query['state'] ?? '');
    const candidates = all.filter((one) => (type === '' || one.type === type) && textOf(one).includes(q.toLowerCase()));
    const matching = candidates.filter((one) => state === '' || one.state === state);
    const pages = Math.max(1, Math.ceil(matching.length / pageSize));
    const page = Math.min(pages, Math.max(1, Number(requestedPage) || 1));
    const shown = matching.slice((page - 1) * pageSize, page * pageSize);
    const status = this.all ? `${matching.length} of ${all.length} callbacks` : 'Loading…';
    return html`
      ${this.errorText === '' ? nothing : html`<p class="note bad">${this.errorText}</p>`}
      ${this.renderFilters(candidates, state, type, q)}
      <div class="row"><span class="quiet" role="status">${status}</span>${pager({ matching, page, pages })}</div>
      ${this.all && matching.length === 0 ? this.renderEmpty(all.length > 0) : nothing}
      ${shown.length === 0 ? nothing : this.isInbox ? inboxCards(shown) : callbackTable(shown)}
    `;
  }

  private renderFilters(candidates: readonly Callback[], state: string, type: string, q: string): TemplateResult {
    const press = (name: string) => () => choose({ state: state === name ? '' : name, page: '' });
    return html`
      <div class="row" ?hidden=${this.all === undefined || this.all.length === 0}>
        <input class="grow" type="search" aria-label="Search callbacks" placeholder="Entry, reason, request, operation or id"
          .value=${q} @input=${({ target }: Event) => choose({ q: (target as HTMLInputElement).value, page: '' }, true)} />
        <select aria-label="Type" @change=${({ target }: Event) => choose({ type: (target as HTMLSelectElement).value, page: '' })}>
          <option value="" ?selected=${type === ''}>all types</option>
          ${types.map((name) => html`<option ?selected=${name === type}>${name}</option>`)}
        </select>
        ${
          this.isInbox
            ? nothing
            : states.map(
                (name) =>
                  html`<button aria-pressed=${state === name} @click=${press(name)}>${name} <span class="quiet">${candidates.filter((one) => one.state === name).length}</span></button>`,
              )
        }
      </div>
    `;
  }

  private renderEmpty(isFilter: boolean): TemplateResult {
    const { query } = route.get();
    if (isFilter && (!this.isInbox || query['type'] || query['q'])) {
      const all = () => choose({ state: '', type: '', q: '', page: '' });
      return empty('No matches', html`<button @click=${all}>Clear filters</button>`);
    }
    if (isFilter) {
      return empty(
        'The inbox is empty',
        html`<p>Callbacks are stored here while the <a href=${linkTo('callbacks', { project: this.project, view: 'endpoint' })}>endpoint</a> has no URL or is disabled.</p>`,
      );
    }
    return empty(
      'No callbacks yet',
      html`<p>
        The sandbox sends a callback when an accepted entry fails downstream. To cause one, import a job whose id starts
        with <code>FAIL-</code>, such as <code>FAIL-GEOCODE-1</code>, with asyncImportJobs in the
        <a href=${linkTo('reference')}>API reference</a>. Pending work is listed under <a href=${linkTo('clock', { project: this.project })}>Clock and state</a>.
      </p>`,
    );
  }
}

const texts = new WeakMap<Callback, string>();

function textOf(callback: Callback): string {
  const cached = texts.get(callback);
  if (cached !== undefined) return cached;
  const { id, requestId, operation, type } = callback;
  const failed = messageOf(callback).failed.map((entry) => `${entry.id} ${entry.reason}`);
  const text = `${id} ${requestId} ${operation} ${type} ${failed.join(' ')}`.toLowerCase();
  texts.set(callback, text);
  return text;
}

customElements.define('callback-list', CallbackListView);
