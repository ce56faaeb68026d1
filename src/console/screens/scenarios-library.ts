/** The library: what each scenario does, where it comes from, and a switch for the project. */
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { Refusal } from '../data/client.ts';
import { listen } from '../data/events.ts';
import { type Fresh, keepFresh } from '../data/fresh.ts';
import { projects } from '../data/live.ts';
import { choose, linkTo, route } from '../data/route.ts';
import { PageElement, watch } from '../element.ts';
import { chooseProject, chosenProject } from '../parts/choose-project.ts';
import { empty } from '../parts/empty.ts';
import { inlineCode } from '../parts/inline-code.ts';
import { attempt } from '../parts/notices.ts';
import './scenarios-active.ts';
import { type Active, type ForAll, flip, readActive, readForAll, readLibrary, type Summary } from './scenarios-data.ts';

const sources: Readonly<Record<Summary['source'], string>> = {
  shipped: 'shipped',
  folder: 'from a folder',
  option: 'given at the start',
  control: 'put here',
};

class ScenarioLibrary extends PageElement {
  static override properties = {
    library: { state: true },
    active: { state: true },
    forAll: { state: true },
    why: { state: true },
  };
  declare private library: readonly Summary[] | undefined;
  /** What is in force for the project. */
  declare private active: Active | undefined;
  /** What is in force for all projects. */
  declare private forAll: ForAll | undefined;
  declare private why: string;
  private project: string | undefined;
  private readonly fresh: Fresh = keepFresh(() => this.load());
  private endListening = (): void => undefined;

  constructor() {
    super();
    this.why = '';
    watch(this, route, projects);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.endListening = listen({
      change: ({ what }) => {
        if (what === 'library' || what === 'scenarios' || what === 'reset') this.fresh.soon();
      },
      missed: () => this.fresh.soon(),
    });
    this.fresh.now();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.endListening();
    this.fresh.end();
  }

  protected override willUpdate(): void {
    const project = chosenProject();
    if (project === this.project) return;
    this.project = project;
    this.active = undefined;
    this.fresh.now();
  }

  private async load(): Promise<void> {
    const { project } = this;
    try {
      const [library, forAll, active] = await Promise.all([
        readLibrary(),
        readForAll(),
        project === undefined ? undefined : readActive(project),
      ]);
      if (project !== this.project) return;
      this.library = library;
      this.forAll = forAll;
      this.active = active;
      this.why = '';
    } catch (error) {
      this.why = error instanceof Refusal ? error.message : String(error);
    }
  }

  protected override render(): TemplateResult {
    return html`
      ${
        this.project === undefined
          ? chooseProject('scenarios')
          : html`<scenario-active @switched=${({ detail }: CustomEvent<Active>) => (this.active = detail)} .project=${this.project} .active=${this.active}></scenario-active>`
      }
      ${this.why === '' ? nothing : html`<p class="note bad">${this.why}</p>`}
      ${this.renderLibrary()}
    `;
  }

  private renderLibrary(): TemplateResult {
    const { q = '' } = route.get().query;
    const all = this.library ?? [];
    const fitting = all.filter((one) => textOf(one).includes(q.toLowerCase()));
    const said = this.library === undefined ? 'Loading…' : `${fitting.length} of ${all.length} scenarios`;
    return html`
      <section class="column" aria-label="Library">
        <div class="row">
          <h2>Library</h2>
          <span class="quiet" role="status">${said}</span>
          <a class="button push" href=${linkTo('scenarios', { view: 'editor', edit: 'new' })}>Write a new one</a>
        </div>
        <input type="search" aria-label="Search scenarios" placeholder="name, what it does, where it comes from"
          .value=${q} @input=${({ target }: Event) => choose({ q: (target as HTMLInputElement).value }, true)} />
        ${
          this.library && fitting.length === 0
            ? empty(
                'No scenario fits',
                html`<p>Search for less, or look for the failure in the <a href=${linkTo('scenarios', { view: 'catalog' })}>catalog</a>.</p>`,
              )
            : nothing
        }
        <ul class="scenarios">
          ${repeat(
            fitting,
            ({ name }) => name,
            (one) => html`<li class="card column">${this.renderOne(one)}</li>`,
          )}
        </ul>
      </section>
    `;
  }

  private renderOne(one: Summary): TemplateResult {
    const { name, description = '', source, rules } = one;
    const [first, rest] = splitDescription(description);
    return html`
      <div class="row">
        <h3>${name}</h3>
        <span class="chip quiet">${sources[source]}</span>
        <span class="quiet">${rules === 1 ? '1 rule' : `${rules} rules`}</span>
      </div>
      ${first === '' ? nothing : html`<p>${inlineCode(first)}</p>`}
      ${rest === '' ? nothing : html`<details><summary>More on it</summary><p class="quiet">${inlineCode(rest)}</p></details>`}
      <div class="row">
        <a href=${linkTo('scenarios', { view: 'editor', edit: name })}>Open its text<span class="unseen"> of ${name}</span></a>
        ${this.renderState(name)}
      </div>
    `;
  }

  /** Whether it is on, and its switches: for the project that is chosen, and for all. */
  private renderState(name: string): TemplateResult {
    const { project, active, forAll } = this;
    return html`
      <span class="row push">
        ${name === 'magic-ids' && forAll?.magicIds ? html`<span class="chip good">always on, behind all others</span>` : nothing}
        ${project === undefined ? nothing : this.renderSwitch(name, project, active?.scenarios)}
        ${this.renderSwitch(name, undefined, forAll?.scenarios)}
      </span>
    `;
  }

  private renderSwitch(name: string, project: string | undefined, on: readonly string[] | undefined): TemplateResult {
    const isOn = on?.includes(name) ?? false;
    const press = (): Promise<boolean> =>
      attempt('', async () => {
        await flip(project, name, !isOn);
        this.fresh.now();
      });
    return html`
      <button class="switch" role="switch" aria-checked=${isOn} ?disabled=${on === undefined} @click=${press}>
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

/** The first sentence, and all that follows. */
function splitDescription(text: string): readonly [string, string] {
  const end = /[.!?]\s/.exec(text.trim());
  return end ? [text.slice(0, end.index + 1), text.slice(end.index + 2).trim()] : [text.trim(), ''];
}

customElements.define('scenario-library', ScenarioLibrary);
