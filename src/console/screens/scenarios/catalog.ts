/** Lists the failures that each operation can return, with the ways to cause them: an id, a header, a scenario. */
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { callApi, type Schemas } from '../../data/client.ts';
import { projects } from '../../data/live.ts';
import { createResource } from '../../data/resource.ts';
import { choose, linkTo, route } from '../../data/route.ts';
import { draft } from '../../data/scenario-draft.ts';
import { PageElement, watch } from '../../element.ts';
import { chosenProject } from '../../parts/choose-project.ts';
import { copyButton } from '../../parts/copy-button.ts';
import { empty } from '../../parts/empty.ts';
import { inlineCode } from '../../parts/inline-code.ts';
import { attempt, errorNote } from '../../parts/notices.ts';
import { searchField } from '../../parts/search-field.ts';
import { save, setScenarioActive } from './data.ts';
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
  // The catalog changes only with a restart of the server.
  private readonly resource = createResource<readonly Operation[]>(this, {
    key: () => 'catalog',
    load: async () => (await callApi<Schemas['Catalog']>('GET', '/catalog')).items,
  });

  constructor() {
    super();
    watch(this, route, projects);
  }

  protected override render(): TemplateResult {
    const { q = '', kind = '', op = '' } = route.get().query;
    const catalog = this.resource.value ?? [];
    const entries = catalog.flatMap((operation) => operation.failures.map((failure) => ({ operation, failure })));
    const defaultEntry = catalog.find(({ operation }) => operation === defaultOperation) ?? catalog[0];
    const chosen = op !== '' ? op : kind !== '' ? allOperations : (defaultEntry?.operation ?? '');
    const matching = entries.filter(
      (entry) =>
        (chosen === allOperations || entry.operation.operation === chosen) &&
        (kind === '' || entry.failure.kind === kind) &&
        textOf(entry).includes(q.toLowerCase()),
    );
    return html`
      <p class="quiet">Failures you can simulate, by operation. An id works without a scenario. A header activates a shipped scenario for one request. The YAML text is a template for your own scenario.</p>
      ${renderFilters(catalog, chosen, kind)}
      ${errorNote(this.resource.errorText)}
      <p class="quiet" role="status">${describeCount(catalog.length, matching.length, entries.length)}</p>
      ${
        catalog.length > 0 && matching.length === 0
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
}

function renderFilters(catalog: readonly Operation[], chosen: string, kind: string): TemplateResult {
  const kinds = [...new Set(catalog.flatMap(({ failures }) => failures.map((failure) => failure.kind)))];
  const option = (value: string, selected: string, label = value): TemplateResult =>
    html`<option value=${value} ?selected=${value === selected}>${label}</option>`;
  return html`
    <div class="row">
      <select class="grow" aria-label="Operation" @change=${({ target }: Event) => choose({ op: (target as HTMLSelectElement).value })}>
        ${option(allOperations, chosen, 'all operations')}${catalog.map(({ operation }) => option(operation, chosen))}
      </select>
      <select class="grow" aria-label="Failure" @change=${({ target }: Event) => choose({ kind: (target as HTMLSelectElement).value, op: chosen })}>
        ${option('', kind, 'all failures')}${kinds.map((name) => option(name, kind))}
      </select>
      ${searchField('Search failures', '503, FAIL-, callback, lost')}
    </div>
  `;
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
  const activate = (target: string): Promise<boolean> =>
    attempt(`Saved ${name} and activated it for ${target}.`, async () => {
      await save(name, text);
      await setScenarioActive(target, name, true);
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
          : html`<button @click=${() => activate(project)}>Activate for ${project}</button>`
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
