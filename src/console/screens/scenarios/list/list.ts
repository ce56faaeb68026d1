/** One list of everything that can fail on purpose: active, own and shipped scenarios, and single failures of operations. */
import { html, nothing, type TemplateResult } from 'lit';
import { access, isOfKey } from '../../../data/access.ts';
import type { Schemas } from '../../../data/client.ts';
import { projects } from '../../../data/live.ts';
import { createResource, isOf, type Resource } from '../../../data/resource.ts';
import { choose, route } from '../../../data/route.ts';
import { PageElement, watch } from '../../../element.ts';
import { chosenProject } from '../../../parts/choose-project.ts';
import { empty } from '../../../parts/empty.ts';
import { attempt, errorNote, notice } from '../../../parts/notices.ts';
import { openDraft } from '../../../parts/open-draft.ts';
import { searchField } from '../../../parts/search-field.ts';
import { skeleton } from '../../../parts/skeleton.ts';
import { askToDelete } from '../ask-to-delete.ts';
import { remove, setScenarioActive } from '../data.ts';
import { rename, unusedName } from '../text.ts';
import './active.ts';
import './list.css';
import { type LoadedList, loadList } from './load.ts';
import { readText, toActivate } from './read-row.ts';
import { findRows, type Group, groups, type Row } from './rows.ts';
import { renderTable, type TableView } from './table.ts';

const groupLabels: Readonly<Record<Group, string>> = {
  active: 'Active',
  own: 'Own',
  shipped: 'Shipped',
  failures: 'Single failures',
};

/** The operation whose failures are listed by default. */
const defaultOperation = 'asyncImportJobs';
const allOperations = 'every';
const ofAllOperations = 'of all operations';
/** Maximum number of failures that are shown. The filters reduce the list. */
const maxFailures = 100;

class ScenarioList extends PageElement {
  private readonly resource: Resource<LoadedList> = createResource(this, {
    key: () => chosenProject() ?? '',
    load: () => loadList(chosenProject()),
    reloadOn: (event) => {
      if (event.kind === 'change') return ['library', 'scenarios', 'reset'].includes(event.what);
      return event.kind === 'request' && (chosenProject() === undefined || isOf(event, chosenProject()));
    },
  });

  constructor() {
    super();
    watch(this, route, projects, access);
  }

  protected override render(): TemplateResult {
    const project = chosenProject();
    const { value, errorText, reload } = this.resource;
    return html`
      ${project === undefined ? html`<p class="note">Select a project above to activate scenarios for it.</p>` : html`<scenario-active @changed=${reload} .project=${project} .active=${value?.active}></scenario-active>`}
      ${errorNote(errorText)}
      ${value !== undefined ? this.renderLoaded(value) : errorText === '' ? skeleton() : nothing}
    `;
  }

  private renderLoaded(loaded: LoadedList): TemplateResult {
    const { q = '', kind = '', op = '' } = route.get().query;
    const group = groups.find((one) => one === chosenGroup());
    const operation = op !== '' ? op : kind === '' ? defaultOperation : allOperations;
    const rows = findRows(loaded, { group, operation: operation === allOperations ? '' : operation, kind, text: q });
    const scenarios = rows.filter((row) => row.group !== 'failures');
    const failures = rows.filter((row) => row.group === 'failures');
    return html`
      <div class="row filters">
        ${searchField('Search scenarios and failures', 'Name, effect, id or header')}
        <div class="option-chips" role="group" aria-label="Show">
          ${[undefined, ...groups].map((one) => html`<button type="button" class="option-chip" aria-pressed=${one === group} @click=${() => choose({ group: one ?? '', view: '' })}>${one === undefined ? 'All' : groupLabels[one]}</button>`)}
        </div>
        ${renderOperations(loaded.catalog, operation)}
      </div>
      ${scenarios.length === 0 ? nothing : this.renderSection('Scenarios', '', scenarios, loaded)}
      ${failures.length === 0 ? nothing : this.renderSection('Single failures', operation === allOperations ? ofAllOperations : `of ${operation}`, failures, loaded)}
      ${rows.length === 0 ? empty('No matches', html`<button @click=${() => choose({ q: '', group: '', kind: '', view: '' })}>Clear filters</button>`) : nothing}
    `;
  }

  private renderSection(title: string, of: string, rows: readonly Row[], loaded: LoadedList): TemplateResult {
    const shown = rows.slice(0, maxFailures);
    const cut = shown.length < rows.length ? `, the first ${maxFailures} are shown` : '';
    return html`
      <section class="column" aria-label=${title}>
        <h2>${title} <span class="quiet">${of} <span role="status">${rows.length}${cut}</span></span></h2>
        ${renderTable({ ...this.actions(loaded), label: `${title} table`, rows: shown, loaded, hasOperations: of === ofAllOperations })}
      </section>
    `;
  }

  private actions(loaded: LoadedList): Omit<TableView, 'label' | 'rows' | 'loaded' | 'hasOperations'> {
    const duplicate = (row: Row): Promise<boolean> => {
      const names = loaded.library.map(({ name }) => name);
      return attempt('', async () => {
        const text = await readText(row, chosenProject());
        await openDraft(rename(text, unusedName(`${row.name}-copy`.slice(0, 60), names)));
      });
    };
    return {
      project: chosenProject(),
      isOfKey: isOfKey(),
      toggle: (row, project, on) => void this.toggle(row, project, on),
      open: ({ text = '' }) => void openDraft(text),
      duplicate: (row) => void duplicate(row),
      remove: ({ name }) => void removeAfterQuestion(name),
    };
  }

  private async toggle(row: Row, project: string | undefined, on: boolean): Promise<void> {
    await attempt('', async () => {
      const note = await setScenarioActive(project, on ? await toActivate(row, chosenProject()) : row.name, on);
      if (note !== '') notice('good', `${row.name} is ${on ? 'active' : 'off'}.${note}`);
      this.resource.reload();
    });
  }
}

/** Earlier links name the catalog as a view of its own. */
function chosenGroup(): string | undefined {
  const { group, view } = route.get().query;
  return view === 'catalog' ? 'failures' : group;
}

function renderOperations(catalog: readonly Schemas['CatalogOperation'][], chosen: string): TemplateResult {
  const select = ({ target }: Event): void => choose({ op: (target as HTMLSelectElement).value, kind: '' });
  return html`
    <label class="quiet">Failures of
      <select aria-label="Operation of single failures" @change=${select}>
        <option value=${allOperations} ?selected=${chosen === allOperations}>all operations</option>
        ${catalog.map(({ operation }) => html`<option value=${operation} ?selected=${operation === chosen}>${operation}</option>`)}
      </select>
    </label>
  `;
}

async function removeAfterQuestion(name: string): Promise<void> {
  if (await askToDelete(name)) await attempt(`Deleted ${name}.`, () => remove(name));
}

customElements.define('scenario-list', ScenarioList);
