/** The active scenarios of a project: their order, how often each rule fired, and which expectations are met. */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { ApiError, callApi, projectPath, type Schemas } from '../../data/client.ts';
import { listen } from '../../data/events.ts';
import { createReloader, type Reloader } from '../../data/reloader.ts';
import { linkTo } from '../../data/route.ts';
import { PageElement } from '../../element.ts';
import { keepFocus } from '../../parts/keep-focus.ts';
import { attempt } from '../../parts/notices.ts';
import { type Active, putActive } from './data.ts';
import { renderExpectations, renderRules } from './tables.ts';

class ScenarioActive extends PageElement {
  static override properties = {
    project: { attribute: false },
    active: { attribute: false },
    rules: { state: true },
    expectations: { state: true },
    errorText: { state: true },
  };
  declare project: string;
  declare active: Active | undefined;
  declare private rules: Active['rules'] | undefined;
  declare private expectations: Schemas['Expectations'] | undefined;
  declare private errorText: string;
  private readonly reloader: Reloader = createReloader(() => this.load());
  private removeHandlers = (): void => undefined;

  constructor() {
    super();
    this.errorText = '';
    keepFocus(this);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    const soon = ({ project }: { project: string | null }): void => {
      if (project === this.project) this.reloader.soon();
    };
    this.removeHandlers = listen({
      request: soon,
      callback: soon,
      change: ({ project }) => {
        if (project === null || project === this.project) this.reloader.soon();
      },
      missed: () => this.reloader.soon(),
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.removeHandlers();
    this.reloader.end();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('project')) return;
    this.rules = undefined;
    this.expectations = undefined;
    this.reloader.now();
  }

  private async load(): Promise<void> {
    const { project } = this;
    try {
      const [{ rules }, expectations] = await Promise.all([
        callApi<Active>('GET', projectPath(project, '/scenarios')),
        callApi<Schemas['Expectations']>('GET', projectPath(project, '/expectations')),
      ]);
      if (project !== this.project) return;
      this.rules = rules;
      this.expectations = expectations;
      this.errorText = '';
    } catch (error) {
      this.errorText = error instanceof ApiError ? error.message : String(error);
    }
  }

  protected override render(): TemplateResult {
    const { project, active } = this;
    return html`
      <section class="card column" aria-labelledby="active">
        <h2 id="active" tabindex="-1">Active scenarios of ${project}</h2>
        ${this.errorText === '' ? nothing : html`<p class="note bad">${this.errorText}</p>`}
        ${active ? this.renderActive(active) : html`<p class="quiet">Loading…</p>`}
      </section>
    `;
  }

  private renderActive(active: Active): TemplateResult {
    const { scenarios, serverScenarios, magicIds } = active;
    return html`
      ${scenarios.length === 0 ? html`<p class="quiet">No active scenarios. Activate one below.</p>` : this.renderOrder(scenarios)}
      <p>
        <span class="quiet">All projects (lower priority):</span>
        ${serverScenarios.length === 0 ? 'none' : serverScenarios.map((name, at) => html`${at > 0 ? ', ' : ''}${toEditor(name)}`)}.
        <a href=${linkTo('scenarios', { view: 'editor', edit: 'magic-ids' })}>Magic ids</a> are ${magicIds ? 'on' : 'off'}.
      </p>
      ${renderRules(this.project, this.rules)}
      ${renderExpectations(this.expectations)}
    `;
  }

  private renderOrder(scenarios: readonly string[]): TemplateResult {
    const activate = (names: readonly string[], successText = ''): Promise<boolean> =>
      attempt(successText, async () => {
        const detail = await putActive(this.project, names);
        this.dispatchEvent(new CustomEvent('switched', { detail }));
      });
    // The pressed button disappears, so the focus moves to the heading.
    const deactivate = (names: readonly string[], successText: string): void => {
      this.querySelector('h2')?.focus();
      void activate(names, successText);
    };
    const last = scenarios.length - 1;
    return html`
      <p class="quiet">The first scenario with a matching rule wins. Changes reset the counters of all rules.</p>
      <ol class="order">
        ${repeat(
          scenarios,
          (name) => name,
          (name, at) => html`
            <li>
              <span class="row">
                ${toEditor(name)}
                <button class="push" aria-disabled=${at === 0} aria-label=${`Move ${name} up`} @click=${() => at > 0 && activate(swap(scenarios, at - 1))}>↑</button>
                <button aria-disabled=${at === last} aria-label=${`Move ${name} down`} @click=${() => at < last && activate(swap(scenarios, at))}>↓</button>
                <button aria-label=${`Deactivate ${name}`} @click=${() => deactivate(without(scenarios, at), `Deactivated ${name}.`)}>Deactivate</button>
              </span>
            </li>
          `,
        )}
      </ol>
      <div class="row">
        <button @click=${() => activate(scenarios, 'Counters reset.')}>Reset counters</button>
        <button @click=${() => deactivate([], 'Deactivated all scenarios.')}>Deactivate all</button>
      </div>
    `;
  }
}

function toEditor(name: string): TemplateResult {
  return html`<a href=${linkTo('scenarios', { view: 'editor', edit: name })}>${name}</a>`;
}

/** Swaps the names at `at` and `at + 1`. */
function swap(names: readonly string[], at: number): readonly string[] {
  return names.map((name, index) => (index === at ? names[at + 1] : index === at + 1 ? names[at] : name) ?? name);
}

function without(names: readonly string[], at: number): readonly string[] {
  return names.filter((_, index) => index !== at);
}

customElements.define('scenario-active', ScenarioActive);
