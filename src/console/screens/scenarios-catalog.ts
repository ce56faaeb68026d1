/** Every failure that each operation can be made to meet, with the ways to it: an id, a header, a scenario. */
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { ask, Refusal, type Schemas } from '../data/client.ts';
import { draft } from '../data/draft.ts';
import { listen } from '../data/events.ts';
import { projects } from '../data/live.ts';
import { choose, linkTo, route } from '../data/route.ts';
import { PageElement, watch } from '../element.ts';
import { chosenProject } from '../parts/choose-project.ts';
import { copyButton } from '../parts/copy-button.ts';
import { empty } from '../parts/empty.ts';
import { inlineCode } from '../parts/inline-code.ts';
import { attempt } from '../parts/notices.ts';
import { flip, save } from './scenarios-data.ts';
import { rename } from './scenarios-text.ts';

type Operation = Schemas['CatalogOperation'];

interface Entry {
  readonly operation: Operation;
  readonly failure: Schemas['CatalogFailure'];
}

/** What is looked at while nothing is chosen, where there is such an operation. */
const firstOperation = 'asyncImportJobs';
const every = 'every';
/** As many are shown; whoever wants others narrows them down. */
const mostShown = 100;
const longestName = 64;

class ScenarioCatalog extends PageElement {
  static override properties = { catalog: { state: true }, why: { state: true } };
  declare private catalog: readonly Operation[];
  declare private why: string;
  private endListening = (): void => undefined;

  constructor() {
    super();
    this.catalog = [];
    this.why = '';
    watch(this, route, projects);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    // It is the same as long as the server runs.
    this.endListening = listen({ missed: () => void this.load() });
    void this.load();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.endListening();
  }

  private async load(): Promise<void> {
    try {
      this.catalog = (await ask<Schemas['Catalog']>('GET', '/catalog')).items;
      this.why = '';
    } catch (error) {
      this.why = error instanceof Refusal ? error.message : String(error);
    }
  }

  protected override render(): TemplateResult {
    const { q = '', kind = '', op = '' } = route.get().query;
    const entries = this.catalog.flatMap((operation) => operation.failures.map((failure) => ({ operation, failure })));
    const usual = this.catalog.find(({ operation }) => operation === firstOperation) ?? this.catalog[0];
    const chosen = op !== '' ? op : kind !== '' ? every : (usual?.operation ?? '');
    const fitting = entries.filter(
      (entry) =>
        (chosen === every || entry.operation.operation === chosen) &&
        (kind === '' || entry.failure.kind === kind) &&
        textOf(entry).includes(q.toLowerCase()),
    );
    return html`
      <p class="quiet">What a client can meet at each operation. An id works with no scenario switched on; a header asks for a shipped scenario, for one request; a scenario of your own begins from the text here.</p>
      ${this.renderFilters(entries, chosen, kind, q)}
      ${this.why === '' ? nothing : html`<p class="note bad">${this.why}</p>`}
      <p class="quiet" role="status">${said(this.catalog.length, fitting.length, entries.length)}</p>
      ${
        this.catalog.length > 0 && fitting.length === 0
          ? empty(
              'No failure fits',
              html`<button @click=${() => choose({ q: '', kind: '', op: every })}>Show all</button>`,
            )
          : nothing
      }
      <ul class="scenarios">
        ${repeat(fitting.slice(0, mostShown), keyOf, (entry) => html`<li class="card column">${renderEntry(entry)}</li>`)}
      </ul>
    `;
  }

  private renderFilters(entries: readonly Entry[], chosen: string, kind: string, q: string): TemplateResult {
    const kinds = [...new Set(entries.map(({ failure }) => failure.kind))];
    return html`
      <div class="row">
        <label class="field grow">
          Operation
          <select @change=${({ target }: Event) => choose({ op: (target as HTMLSelectElement).value })}>
            <option value=${every} ?selected=${chosen === every}>every operation</option>
            ${this.catalog.map(({ operation }) => html`<option value=${operation} ?selected=${chosen === operation}>${operation}</option>`)}
          </select>
        </label>
        <label class="field grow">
          Failure
          <select @change=${({ target }: Event) => choose({ kind: (target as HTMLSelectElement).value, op: chosen })}>
            <option value="" ?selected=${kind === ''}>every failure</option>
            ${kinds.map((name) => html`<option value=${name} ?selected=${kind === name}>${name}</option>`)}
          </select>
        </label>
        <label class="field grow">
          Search
          <input type="search" placeholder="503, FAIL-, callback, lost" .value=${q}
            @input=${({ target }: Event) => choose({ q: (target as HTMLInputElement).value }, true)} />
        </label>
      </div>
    `;
  }
}

function renderEntry({ operation, failure }: Entry): TemplateResult {
  const { kind, about, magicId, header, yaml } = failure;
  const name = `${operation.operation.toLowerCase()}-${kind}`.slice(0, longestName);
  const text = rename(yaml, name);
  const project = chosenProject();
  const open = (): void => {
    draft.set(text);
    location.hash = linkTo('scenarios', { view: 'editor', edit: 'new' });
  };
  const useIt = (on: string): Promise<boolean> =>
    attempt(`${name} is in the library, and switched on for ${on}.`, async () => {
      await save(name, text);
      await flip(on, name, true);
    });
  return html`
    <div class="row">
      <h2><code>${kind}</code></h2>
      <a class="push quiet" href=${linkTo('reference', { operation: operation.operation })}>${operation.operation}</a>
    </div>
    <p>${inlineCode(about)}</p>
    <dl class="facts">
      <dt>Id</dt>
      <dd>${magicId === undefined ? html`<span class="quiet">none does it</span>` : html`<code>${magicId}</code> ${copyButton('Copy id', () => magicId)}`}</dd>
      <dt>Header</dt>
      <dd>${header === undefined ? html`<span class="quiet">no shipped scenario does it</span>` : html`<code>${header}</code> ${copyButton('Copy header', () => header)}`}</dd>
    </dl>
    <details><summary>Scenario</summary><pre tabindex="0">${text}</pre></details>
    <div class="row">
      ${copyButton('Copy YAML', () => text)}
      <button @click=${open}>Open in the editor</button>
      ${
        project === undefined
          ? html`<span class="quiet">Choose a project above to switch it on.</span>`
          : html`<button @click=${() => useIt(project)}>Switch on for ${project}</button>`
      }
    </div>
  `;
}

function said(operations: number, fitting: number, all: number): string {
  if (operations === 0) return 'Loading…';
  const shown = fitting > mostShown ? `, the first ${mostShown} of them here: choose or search for less` : '';
  return `${fitting} of ${all} failures of ${operations} operations${shown}`;
}

function keyOf({ operation, failure }: Entry): string {
  return `${operation.operation} ${failure.kind}`;
}

function textOf({ operation, failure }: Entry): string {
  const { kind, about, magicId = '', header = '' } = failure;
  return `${operation.operation} ${operation.path} ${kind} ${about} ${magicId} ${header}`.toLowerCase();
}

customElements.define('scenario-catalog', ScenarioCatalog);
