/**
 * The scenario library: description and source of each scenario, with switches for the project and for all projects.
 */
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { access, isOfKey } from '../../data/access.ts';
import { projects } from '../../data/live.ts';
import { createResource, type Resource } from '../../data/resource.ts';
import { linkTo, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { chooseProject, chosenProject } from '../../parts/choose-project.ts';
import { counted } from '../../parts/counted.ts';
import { empty } from '../../parts/empty.ts';
import { inlineCode } from '../../parts/inline-code.ts';
import { attempt, errorNote } from '../../parts/notices.ts';
import { searchField } from '../../parts/search-field.ts';
import './active.ts';
import {
  type Active,
  readActive,
  readLibrary,
  readServerScenarios,
  type ServerScenarios,
  type Summary,
  setScenarioActive,
} from './data.ts';

const sources: Readonly<Record<Summary['source'], string>> = {
  shipped: 'shipped',
  folder: 'from a folder',
  option: 'from an option',
  control: 'from the control API',
};

interface Loaded {
  readonly library: readonly Summary[];
  /** The scenarios that are active for all projects. */
  readonly serverScenarios: ServerScenarios | undefined;
  /** The scenarios that are active for the project, if one is selected. */
  readonly active: Active | undefined;
}

async function loadScenarios(project: string | undefined): Promise<Loaded> {
  const [library, serverScenarios, active] = await Promise.all([
    readLibrary(),
    readServerScenarios(),
    project === undefined ? undefined : readActive(project),
  ]);
  return { library, serverScenarios, active };
}

class ScenarioLibrary extends PageElement {
  private readonly resource: Resource<Loaded> = createResource(this, {
    key: () => chosenProject() ?? '',
    load: () => loadScenarios(chosenProject()),
    reloadOn: (event) => event.kind === 'change' && ['library', 'scenarios', 'reset'].includes(event.what),
  });

  constructor() {
    super();
    watch(this, route, projects, access);
  }

  protected override render(): TemplateResult {
    const project = chosenProject();
    const { value, errorText, reload } = this.resource;
    return html`
      ${
        project === undefined
          ? chooseProject('scenarios')
          : html`<scenario-active @changed=${reload} .project=${project} .active=${value?.active}></scenario-active>`
      }
      ${errorNote(errorText)}
      ${this.renderLibrary()}
    `;
  }

  private renderLibrary(): TemplateResult {
    const { q = '' } = route.get().query;
    const { value } = this.resource;
    const all = value?.library ?? [];
    const matching = all.filter((one) => textOf(one).includes(q.toLowerCase()));
    const status = value === undefined ? 'Loading…' : `${matching.length} of ${all.length} scenarios`;
    return html`
      <section class="column" aria-label="Library">
        <div class="row">
          <h2>Library</h2>
          <span class="quiet" role="status">${status}</span>
          ${isOfKey() ? nothing : html`<a class="button push" href=${linkTo('scenarios', { view: 'editor', edit: 'new' })}>New scenario</a>`}
        </div>
        <div class="row">${searchField('Search scenarios', 'Name, description or source')}</div>
        ${
          value && matching.length === 0
            ? empty(
                'No matches',
                html`<p>Change the search, or search the <a href=${linkTo('scenarios', { view: 'catalog' })}>failure catalog</a>.</p>`,
              )
            : nothing
        }
        <ul class="scenarios">
          ${repeat(
            matching,
            ({ name }) => name,
            (one) => html`<li class="card column">${this.renderScenario(one)}</li>`,
          )}
        </ul>
      </section>
    `;
  }

  private renderScenario(one: Summary): TemplateResult {
    const { name, description = '', source, rules } = one;
    const [first, rest] = splitDescription(description);
    return html`
      <div class="row">
        <h3>${name}</h3>
        <span class="chip quiet">${sources[source]}</span>
        <span class="quiet">${counted(rules, 'rule')}</span>
      </div>
      ${first === '' ? nothing : html`<p>${inlineCode(first)}</p>`}
      ${rest === '' ? nothing : html`<details><summary>Details</summary><p class="quiet">${inlineCode(rest)}</p></details>`}
      <div class="row">
        <a href=${linkTo('scenarios', { view: 'editor', edit: name })}>View YAML<span class="unseen"> of ${name}</span></a>
        ${this.renderState(name)}
      </div>
    `;
  }

  /** Renders whether a scenario is on, with switches for the selected project and for all projects. */
  private renderState(name: string): TemplateResult {
    const project = chosenProject();
    const { active, serverScenarios } = this.resource.value ?? {};
    const { magicIds } = active ?? serverScenarios ?? {};
    return html`
      <span class="row push">
        ${name === 'magic-ids' && magicIds ? html`<span class="chip good">always on, lowest priority</span>` : nothing}
        ${project === undefined ? nothing : this.renderSwitch(name, project, active?.scenarios)}
        ${isOfKey() ? nothing : this.renderSwitch(name, undefined, serverScenarios?.scenarios)}
      </span>
    `;
  }

  private renderSwitch(name: string, project: string | undefined, on: readonly string[] | undefined): TemplateResult {
    const isOn = on?.includes(name) ?? false;
    const toggle = (): Promise<boolean> =>
      attempt('', async () => {
        await setScenarioActive(project, name, !isOn);
        this.resource.reload();
      });
    return html`
      <button class="switch" role="switch" aria-checked=${isOn} ?disabled=${on === undefined} @click=${toggle}>
        <span class="unseen">${name} for</span>
        ${project ?? 'all projects'}
        <span aria-hidden="true">${isOn ? 'on' : 'off'}</span>
      </button>
    `;
  }
}

function textOf({ name, description = '', source }: Summary): string {
  return `${name} ${description} ${sources[source]}`.toLowerCase();
}

/** Splits a text into its first sentence and the rest. */
function splitDescription(text: string): readonly [string, string] {
  const end = /[.!?]\s/.exec(text.trim());
  return end ? [text.slice(0, end.index + 1), text.slice(end.index + 2).trim()] : [text.trim(), ''];
}

customElements.define('scenario-library', ScenarioLibrary);
