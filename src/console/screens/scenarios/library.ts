/**
 * The scenario library: description and source of each scenario, with switches for the project and for all projects.
 */
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { ApiError } from '../../data/client.ts';
import { listen } from '../../data/events.ts';
import { projects } from '../../data/live.ts';
import { createReloader, type Reloader } from '../../data/reloader.ts';
import { choose, linkTo, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { chooseProject, chosenProject } from '../../parts/choose-project.ts';
import { empty } from '../../parts/empty.ts';
import { inlineCode } from '../../parts/inline-code.ts';
import { attempt } from '../../parts/notices.ts';
import './active.ts';
import {
  type Active,
  readActive,
  readLibrary,
  readServerScenarios,
  type ServerScenarios,
  type Summary,
  switchScenario,
} from './data.ts';

const sources: Readonly<Record<Summary['source'], string>> = {
  shipped: 'shipped',
  folder: 'from a folder',
  option: 'from an option',
  control: 'from the control API',
};

class ScenarioLibrary extends PageElement {
  static override properties = {
    library: { state: true },
    active: { state: true },
    serverScenarios: { state: true },
    errorText: { state: true },
  };
  declare private library: readonly Summary[] | undefined;
  /** The active scenarios of the project. */
  declare private active: Active | undefined;
  /** The active scenarios of all projects. */
  declare private serverScenarios: ServerScenarios | undefined;
  declare private errorText: string;
  private project: string | undefined;
  private readonly reloader: Reloader = createReloader(() => this.load());
  private removeHandlers = (): void => undefined;

  constructor() {
    super();
    this.errorText = '';
    watch(this, route, projects);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.removeHandlers = listen({
      change: ({ what }) => {
        if (what === 'library' || what === 'scenarios' || what === 'reset') this.reloader.soon();
      },
      missed: () => this.reloader.soon(),
    });
    this.reloader.now();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.removeHandlers();
    this.reloader.end();
  }

  protected override willUpdate(): void {
    const project = chosenProject();
    if (project === this.project) return;
    this.project = project;
    this.active = undefined;
    this.reloader.now();
  }

  private async load(): Promise<void> {
    const { project } = this;
    try {
      const [library, serverScenarios, active] = await Promise.all([
        readLibrary(),
        readServerScenarios(),
        project === undefined ? undefined : readActive(project),
      ]);
      if (project !== this.project) return;
      this.library = library;
      this.serverScenarios = serverScenarios;
      this.active = active;
      this.errorText = '';
    } catch (error) {
      this.errorText = error instanceof ApiError ? error.message : String(error);
    }
  }

  protected override render(): TemplateResult {
    return html`
      ${
        this.project === undefined
          ? chooseProject('scenarios')
          : html`<scenario-active @switched=${({ detail }: CustomEvent<Active>) => (this.active = detail)} .project=${this.project} .active=${this.active}></scenario-active>`
      }
      ${this.errorText === '' ? nothing : html`<p class="note bad">${this.errorText}</p>`}
      ${this.renderLibrary()}
    `;
  }

  private renderLibrary(): TemplateResult {
    const { q = '' } = route.get().query;
    const all = this.library ?? [];
    const matching = all.filter((one) => textOf(one).includes(q.toLowerCase()));
    const status = this.library === undefined ? 'Loading…' : `${matching.length} of ${all.length} scenarios`;
    return html`
      <section class="column" aria-label="Library">
        <div class="row">
          <h2>Library</h2>
          <span class="quiet" role="status">${status}</span>
          <a class="button push" href=${linkTo('scenarios', { view: 'editor', edit: 'new' })}>New scenario</a>
        </div>
        <input type="search" aria-label="Search scenarios" placeholder="Name, description or source"
          .value=${q} @input=${({ target }: Event) => choose({ q: (target as HTMLInputElement).value }, true)} />
        ${
          this.library && matching.length === 0
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
        <span class="quiet">${rules === 1 ? '1 rule' : `${rules} rules`}</span>
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
    const { project, active, serverScenarios } = this;
    return html`
      <span class="row push">
        ${name === 'magic-ids' && serverScenarios?.magicIds ? html`<span class="chip good">always on, lowest priority</span>` : nothing}
        ${project === undefined ? nothing : this.renderSwitch(name, project, active?.scenarios)}
        ${this.renderSwitch(name, undefined, serverScenarios?.scenarios)}
      </span>
    `;
  }

  private renderSwitch(name: string, project: string | undefined, on: readonly string[] | undefined): TemplateResult {
    const isOn = on?.includes(name) ?? false;
    const toggle = (): Promise<boolean> =>
      attempt('', async () => {
        await switchScenario(project, name, !isOn);
        this.reloader.now();
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
