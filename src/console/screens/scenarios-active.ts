/** What is in force for a project: in which order, how often each rule acted, and which expectations are met. */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { ask, ofProject, Refusal, type Schemas } from '../data/client.ts';
import { listen } from '../data/events.ts';
import { type Fresh, keepFresh } from '../data/fresh.ts';
import { linkTo } from '../data/route.ts';
import { PageElement } from '../element.ts';
import { keepFocus } from '../parts/keep-focus.ts';
import { attempt } from '../parts/notices.ts';
import { type Active, putActive } from './scenarios-data.ts';
import { renderExpectations, renderRules } from './scenarios-tables.ts';

class ScenarioActive extends PageElement {
  static override properties = {
    project: { attribute: false },
    active: { attribute: false },
    rules: { state: true },
    expected: { state: true },
    why: { state: true },
  };
  declare project: string;
  declare active: Active | undefined;
  declare private rules: Active['rules'] | undefined;
  declare private expected: Schemas['Expectations'] | undefined;
  declare private why: string;
  private readonly fresh: Fresh = keepFresh(() => this.load());
  private endListening = (): void => undefined;

  constructor() {
    super();
    this.why = '';
    keepFocus(this);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    const soon = ({ project }: { project: string | null }): void => {
      if (project === this.project) this.fresh.soon();
    };
    this.endListening = listen({
      request: soon,
      callback: soon,
      change: ({ project }) => {
        if (project === null || project === this.project) this.fresh.soon();
      },
      missed: () => this.fresh.soon(),
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.endListening();
    this.fresh.end();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('project')) return;
    this.rules = undefined;
    this.expected = undefined;
    this.fresh.now();
  }

  private async load(): Promise<void> {
    const { project } = this;
    try {
      const [{ rules }, expected] = await Promise.all([
        ask<Active>('GET', ofProject(project, '/scenarios')),
        ask<Schemas['Expectations']>('GET', ofProject(project, '/expectations')),
      ]);
      if (project !== this.project) return;
      this.rules = rules;
      this.expected = expected;
      this.why = '';
    } catch (error) {
      this.why = error instanceof Refusal ? error.message : String(error);
    }
  }

  protected override render(): TemplateResult {
    const { project, active } = this;
    return html`
      <section class="card column" aria-labelledby="in-force">
        <h2 id="in-force" tabindex="-1">In force for ${project}</h2>
        ${this.why === '' ? nothing : html`<p class="note bad">${this.why}</p>`}
        ${active ? this.renderInForce(active) : html`<p class="quiet">Loading…</p>`}
      </section>
    `;
  }

  private renderInForce(active: Active): TemplateResult {
    const { scenarios, serverScenarios, magicIds } = active;
    return html`
      ${scenarios.length === 0 ? html`<p class="quiet">Nothing is switched on for this project alone. Switch on what you like below.</p>` : this.renderOrder(scenarios)}
      <p>
        <span class="quiet">For all projects, behind those:</span>
        ${serverScenarios.length === 0 ? 'no scenario' : serverScenarios.map((name, at) => html`${at > 0 ? ', ' : ''}${toEditor(name)}`)};
        <a href=${linkTo('scenarios', { view: 'editor', edit: 'magic-ids' })}>magic ids</a> are ${magicIds ? 'on' : 'off'}.
      </p>
      ${renderRules(this.project, this.rules)}
      ${renderExpectations(this.expected)}
    `;
  }

  private renderOrder(scenarios: readonly string[]): TemplateResult {
    const put = (names: readonly string[], done = ''): Promise<boolean> =>
      attempt(done, async () => {
        const detail = await putActive(this.project, names);
        this.dispatchEvent(new CustomEvent('switched', { detail }));
      });
    // The button that was pressed goes, and the focus must not go with it.
    const putLess = (names: readonly string[], done: string): void => {
      this.querySelector('h2')?.focus();
      void put(names, done);
    };
    const last = scenarios.length - 1;
    return html`
      <p class="quiet">The first whose rule fits wins. Whatever is changed here lets the counts of all rules begin anew.</p>
      <ol class="order">
        ${repeat(
          scenarios,
          (name) => name,
          (name, at) => html`
            <li>
              <span class="row">
                ${toEditor(name)}
                <button class="push" aria-disabled=${at === 0} aria-label=${`${name}: earlier`} @click=${() => at > 0 && put(swap(scenarios, at - 1))}>↑</button>
                <button aria-disabled=${at === last} aria-label=${`${name}: later`} @click=${() => at < last && put(swap(scenarios, at))}>↓</button>
                <button aria-label=${`Switch off ${name}`} @click=${() => putLess(without(scenarios, at), `${name} is switched off.`)}>Switch off</button>
              </span>
            </li>
          `,
        )}
      </ol>
      <div class="row">
        <button @click=${() => put(scenarios, 'All counts begin anew.')}>Begin anew</button>
        <button @click=${() => putLess([], 'All are switched off.')}>Switch all off</button>
      </div>
    `;
  }
}

function toEditor(name: string): TemplateResult {
  return html`<a href=${linkTo('scenarios', { view: 'editor', edit: name })}>${name}</a>`;
}

/** The one at `at` and the one behind it in each other's place. */
function swap(names: readonly string[], at: number): readonly string[] {
  return names.map((name, index) => (index === at ? names[at + 1] : index === at + 1 ? names[at] : name) ?? name);
}

function without(names: readonly string[], at: number): readonly string[] {
  return names.filter((_, index) => index !== at);
}

customElements.define('scenario-active', ScenarioActive);
