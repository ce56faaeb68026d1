/** The callbacks of a project, newest first: as a table, or as cards in its inbox. */
import { html, nothing, type TemplateResult } from 'lit';
import { listAll, projectPath } from '../../data/client.ts';
import { createResource, isOf } from '../../data/resource.ts';
import { readMessage } from '../../data/response-body.ts';
import { choose, linkTo, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { states } from '../../parts/chips.ts';
import { empty } from '../../parts/empty.ts';
import { keepFocus } from '../../parts/keep-focus.ts';
import { errorNote } from '../../parts/notices.ts';
import { paged } from '../../parts/pager.ts';
import { searchField } from '../../parts/search-field.ts';
import { type Callback, types } from './labels.ts';
import { callbackTable, inboxCards } from './table.ts';

class CallbackListView extends PageElement {
  static override properties = {
    project: { attribute: false },
    isInbox: { attribute: false },
    previousId: { attribute: false },
  };
  declare project: string;
  declare isInbox: boolean;
  /** Id of the callback that was open before. Its row gets the focus when the list is loaded. */
  declare previousId: string;
  private isFocused = false;
  /** Newest first. */
  private readonly all = createResource<readonly Callback[]>(this, {
    key: () => this.project,
    load: async () =>
      (await listAll<Callback>(projectPath(this.project, '/callbacks'), Number.POSITIVE_INFINITY)).toReversed(),
    reloadOn: (event) =>
      isOf(event, this.project) &&
      (event.kind === 'callback' || (event.kind === 'change' && ['reset', 'snapshot'].includes(event.what))),
  });

  constructor() {
    super();
    watch(this, route);
    keepFocus(this);
  }

  protected override updated(): void {
    if (this.isFocused || this.all.value === undefined) return;
    this.isFocused = true;
    this.querySelector<HTMLElement>(`[data-callback="${CSS.escape(this.previousId)}"]`)?.focus();
  }

  protected override render(): TemplateResult {
    const { query } = route.get();
    const { type = '', q = '' } = query;
    const all = this.all.value ?? [];
    const state = this.isInbox ? 'inbox' : (query['state'] ?? '');
    const candidates = all.filter((one) => (type === '' || one.type === type) && textOf(one).includes(q.toLowerCase()));
    const matching = candidates.filter((one) => state === '' || one.state === state);
    const { shown, pager } = paged(matching);
    const status = this.all.value ? `${matching.length} of ${all.length} callbacks` : 'Loading…';
    return html`
      ${errorNote(this.all.errorText)}
      ${this.renderFilters(candidates, state, type)}
      <div class="row"><span class="quiet" role="status">${status}</span>${pager}</div>
      ${this.all.value && matching.length === 0 ? this.renderEmpty(all.length > 0) : nothing}
      ${shown.length === 0 ? nothing : this.isInbox ? inboxCards(shown) : callbackTable(shown)}
    `;
  }

  private renderFilters(candidates: readonly Callback[], state: string, type: string): TemplateResult {
    const press = (name: string) => () => choose({ state: state === name ? '' : name, page: '' });
    return html`
      <div class="row" ?hidden=${(this.all.value ?? []).length === 0}>
        ${searchField('Search callbacks', 'Entry, reason, request, operation or id')}
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
  const failed = readMessage(callback).failed.map((entry) => `${entry.id} ${entry.reason}`);
  const text = `${id} ${requestId} ${operation} ${type} ${failed.join(' ')}`.toLowerCase();
  texts.set(callback, text);
  return text;
}

customElements.define('callback-list', CallbackListView);
