/** Lists the failures that each operation can return, with the ways to cause them: an id, a header, a scenario. */
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { ApiError, callApi, type Schemas } from '../../data/client.ts';
import { draft } from '../../data/draft.ts';
import { listen } from '../../data/events.ts';
import { projects } from '../../data/live.ts';
import { choose, linkTo, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { chosenProject } from '../../parts/choose-project.ts';
import { copyButton } from '../../parts/copy-button.ts';
import { empty } from '../../parts/empty.ts';
import { inlineCode } from '../../parts/inline-code.ts';
import { attempt } from '../../parts/notices.ts';
import { save, switchScenario } from './data.ts';
import { rename } from './text.ts';

type Operation = Schemas['CatalogOperation'];

interface Entry {
  readonly operation: Operation;
  readonly failure: Schemas['CatalogFailure'];
}

/** The operation that is selected by default, if the catalog contains it. */
const defaultOperation = 'asyncImportJobs';
const allOperations = 'every';
/** Maximum number of failures that are shown. The filters reduce the list. */
const maxShown = 100;
const maxNameLength = 64;

class ScenarioCatalog extends PageElement {
  static override properties = { catalog: { state: true }, errorText: { state: true } };
  declare private catalog: readonly Operation[];
  declare private errorText: string;
  private removeHandlers = (): void => undefined;

  constructor() {
    super();
    this.catalog = [];
    this.errorText = '';
    watch(this, route, projects);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    // The catalog changes only with a restart of the server.
    this.removeHandlers = listen({ missed: () => void this.load() });
    void this.load();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.removeHandlers();
  }

  private async load(): Promise<void> {
    try {
      this.catalog = (await callApi<Schemas['Catalog']>('GET', '/catalog')).items;
      this.errorText = '';
    } catch (error) {
      this.errorText = error instanceof ApiError ? error.message : String(error);
    }
  }

  protected override render(): TemplateResult {
    const { q = '', kind = '', op = '' } = route.get().query;
    const entries = this.catalog.flatMap((operation) => operation.failures.map((failure) => ({ operation, failure })));
    const defaultEntry = this.catalog.find(({ operation }) => operation === defaultOperation) ?? this.catalog[0];
    const chosen = op !== '' ? op : kind !== '' ? allOperations : (defaultEntry?.operation ?? '');
    const matching = entries.filter(
      (entry) =>
        (chosen === allOperations || entry.operation.operation === chosen) &&
        (kind === '' || entry.failure.kind === kind) &&
        textOf(entry).includes(q.toLowerCase()),
    );
    return html`
      <p class="quiet">Failures you can simulate, by operation. An id works without a scenario. A header activates a shipped scenario for one request. The YAML text is a template for your own scenario.</p>
      ${this.renderFilters(entries, chosen, kind, q)}
      ${this.errorText === '' ? nothing : html`<p class="note bad">${this.errorText}</p>`}
      <p class="quiet" role="status">${describeCount(this.catalog.length, matching.length, entries.length)}</p>
      ${
        this.catalog.length > 0 && matching.length === 0
          ? empty(
              'No matches',
              html`<button @click=${() => choose({ q: '', kind: '', op: allOperations })}>Clear filters</button>`,
            )
          : nothing
      }
      <ul class="scenarios">
        ${repeat(matching.slice(0, maxShown), keyOf, (entry) => html`<li class="card column">${renderEntry(entry)}</li>`)}
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
            <option value=${allOperations} ?selected=${chosen === allOperations}>all operations</option>
            ${this.catalog.map(({ operation }) => html`<option value=${operation} ?selected=${chosen === operation}>${operation}</option>`)}
          </select>
        </label>
        <label class="field grow">
          Failure
          <select @change=${({ target }: Event) => choose({ kind: (target as HTMLSelectElement).value, op: chosen })}>
            <option value="" ?selected=${kind === ''}>all failures</option>
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
  const name = `${operation.operation.toLowerCase()}-${kind}`.slice(0, maxNameLength);
  const text = rename(yaml, name);
  const project = chosenProject();
  const open = (): void => {
    draft.set(text);
    location.hash = linkTo('scenarios', { view: 'editor', edit: 'new' });
  };
  const switchOn = (target: string): Promise<boolean> =>
    attempt(`Saved ${name} and activated it for ${target}.`, async () => {
      await save(name, text);
      await switchScenario(target, name, true);
    });
  return html`
    <div class="row">
      <h2><code>${kind}</code></h2>
      <a class="push quiet" href=${linkTo('reference', { operation: operation.operation })}>${operation.operation}</a>
    </div>
    <p>${inlineCode(about)}</p>
    <dl class="facts">
      <dt>Id</dt>
      <dd>${magicId === undefined ? html`<span class="quiet">none</span>` : html`<code>${magicId}</code> ${copyButton('Copy id', () => magicId)}`}</dd>
      <dt>Header</dt>
      <dd>${header === undefined ? html`<span class="quiet">none</span>` : html`<code>${header}</code> ${copyButton('Copy header', () => header)}`}</dd>
    </dl>
    <details><summary>Scenario</summary><pre tabindex="0">${text}</pre></details>
    <div class="row">
      ${copyButton('Copy YAML', () => text)}
      <button @click=${open}>Open in editor</button>
      ${
        project === undefined
          ? html`<span class="quiet">Select a project above to activate it.</span>`
          : html`<button @click=${() => switchOn(project)}>Activate for ${project}</button>`
      }
    </div>
  `;
}

function describeCount(operations: number, matching: number, all: number): string {
  if (operations === 0) return 'Loading…';
  const shown = matching > maxShown ? `; only the first ${maxShown} are shown` : '';
  return `${matching} of ${all} failures of ${operations} operations${shown}`;
}

function keyOf({ operation, failure }: Entry): string {
  return `${operation.operation} ${failure.kind}`;
}

function textOf({ operation, failure }: Entry): string {
  const { kind, about, magicId = '', header = '' } = failure;
  return `${operation.operation} ${operation.path} ${kind} ${about} ${magicId} ${header}`.toLowerCase();
}

customElements.define('scenario-catalog', ScenarioCatalog);
