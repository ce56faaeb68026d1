/** The active scenarios of a project: their order, how often each rule fired, and which expectations are met. */
import { html, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { callApi, projectPath, type Schemas } from '../../data/client.ts';
import { createResource, isOf, type Resource } from '../../data/resource.ts';
import { linkTo } from '../../data/route.ts';
import { PageElement } from '../../element.ts';
import { keepFocus } from '../../parts/keep-focus.ts';
import { attempt, errorNote } from '../../parts/notices.ts';
import { type Active, putActive, readActive } from './data.ts';
import { renderExpectations, renderRules } from './tables.ts';

interface Activity {
  readonly rules: Active['rules'];
  readonly expectations: Schemas['Expectations'];
}

class ScenarioActive extends PageElement {
  static override properties = {
    project: { attribute: false },
    active: { attribute: false },
  };
  declare project: string;
  declare active: Active | undefined;
  private readonly activity: Resource<Activity> = createResource(this, {
    key: () => this.project,
    load: () => loadActivity(this.project),
    reloadOn: (event) => event.kind !== 'records' && isOf(event, this.project),
  });

  constructor() {
    super();
    keepFocus(this);
  }

  protected override render(): TemplateResult {
    const { project, active } = this;
    return html`
      <section class="card column" aria-labelledby="active">
        <h2 id="active" tabindex="-1">Active scenarios of ${project}</h2>
        ${errorNote(this.activity.errorText)}
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
      ${renderRules(this.project, this.activity.value?.rules)}
      ${renderExpectations(this.activity.value?.expectations)}
    `;
  }

  private renderOrder(scenarios: readonly string[]): TemplateResult {
    const activate = (names: readonly string[], successText = ''): Promise<boolean> =>
      attempt(successText, async () => {
        await putActive(this.project, names);
        this.dispatchEvent(new CustomEvent('changed'));
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

async function loadActivity(project: string): Promise<Activity> {
  const [{ rules }, expectations] = await Promise.all([
    readActive(project),
    callApi<Schemas['Expectations']>('GET', projectPath(project, '/expectations')),
  ]);
  return { rules, expectations };
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
