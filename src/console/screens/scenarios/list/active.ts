/** The active scenarios of a project: their order, how often each rule fired, and which expectations are met. */
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { callApi, projectPath, type Schemas } from '../../../data/client.ts';
import { createResource, isOf, type Resource } from '../../../data/resource.ts';
import { linkTo } from '../../../data/route.ts';
import { PageElement } from '../../../element.ts';
import { icon } from '../../../parts/icon.ts';
import { keepFocus } from '../../../parts/keep-focus.ts';
import { attempt, errorNote } from '../../../parts/notices.ts';
import { skeleton } from '../../../parts/skeleton.ts';
import { type Active, putActive, readActive, restartNote } from '../data.ts';
import { renderExpectations } from './expectations.ts';

type Rules = Active['rules'];

interface Activity {
  readonly rules: Rules;
  readonly expectations: Schemas['Expectations'];
}

class ScenarioActive extends PageElement {
  static override properties = { project: { attribute: false }, active: { attribute: false } };
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
        <div class="row">
          <h2 id="active" tabindex="-1">Active in ${project}</h2>
          ${active && active.scenarios.length > 0 ? this.renderButtons(active.scenarios) : nothing}
        </div>
        ${errorNote(this.activity.errorText)}
        ${active ? this.renderActive(active) : this.activity.errorText === '' ? skeleton(2) : nothing}
      </section>
    `;
  }

  private renderButtons(scenarios: readonly string[]): TemplateResult {
    return html`
      <span class="row push">
        <button type="button" class="plain" @click=${() => this.activate(scenarios, 'Counters reset.')}>Reset counters</button>
        <button type="button" class="plain" @click=${() => this.deactivate([], 'Deactivated all scenarios.')}>Deactivate all</button>
      </span>
    `;
  }

  private renderActive({ scenarios, serverScenarios }: Active): TemplateResult {
    // The library loads at another time than the counts.
    const all = (this.activity.value?.rules ?? []).filter(
      // Unused magic ids would hide the rest.
      ({ scenario, acted }) =>
        scenario === 'magic-ids' ? acted > 0 : scenarios.includes(scenario) || serverScenarios.includes(scenario),
    );
    const names = [
      ...scenarios,
      ...new Set(all.map(({ scenario }) => scenario).filter((name) => !scenarios.includes(name))),
    ];
    if (names.length === 0)
      return html`<p class="quiet">No active scenario. Switch one on below, or write a new one.</p>`;
    return html`
      <div class="scroll" tabindex="0" role="region" aria-label="Rules">
        <table class="active-rules">
          <thead><tr><th scope="col">Scenario</th><th scope="col">Rule</th><th scope="col" class="hits">Matched</th><th scope="col" class="hits">Fired</th><th scope="col">Left</th><th scope="col"><span class="unseen">Order</span></th></tr></thead>
          ${repeat(
            names,
            (name) => name,
            (name) =>
              this.renderScenario(
                name,
                all.filter(({ scenario }) => scenario === name),
                scenarios,
              ),
          )}
        </table>
      </div>
      ${scenarios.length > 1 ? html`<p class="quiet">The first rule that matches decides. A new order resets the counters.</p>` : nothing}
      ${renderExpectations(this.activity.value?.expectations)}
    `;
  }

  private renderScenario(name: string, rules: Rules, scenarios: readonly string[]): TemplateResult {
    const at = scenarios.indexOf(name);
    const [first, ...others] = rules;
    const span = Math.max(1, rules.length);
    const label = name === 'magic-ids' ? 'always on' : 'all projects';
    return html`
      <tbody>
        <tr>
          <th scope="rowgroup" rowspan=${span}>${toEditor(name)} ${at < 0 ? html`<span class="chip quiet">${label}</span>` : nothing}</th>
          ${first ? renderCounts(this.project, first) : html`<td colspan="4"></td>`}
          <td class="acts" rowspan=${span}>${at < 0 ? nothing : this.renderOrder(name, at, scenarios)}</td>
        </tr>
        ${others.map((rule) => html`<tr>${renderCounts(this.project, rule)}</tr>`)}
      </tbody>
    `;
  }

  private renderOrder(name: string, at: number, scenarios: readonly string[]): TemplateResult {
    const last = scenarios.length - 1;
    return html`
      <button type="button" class="icon" title="Up" aria-disabled=${at === 0} aria-label=${`Move ${name} up`} @click=${() => at > 0 && this.activate(swap(scenarios, at - 1))}>${icon('arrow-up')}</button>
      <button type="button" class="icon" title="Down" aria-disabled=${at === last} aria-label=${`Move ${name} down`} @click=${() => at < last && this.activate(swap(scenarios, at))}>${icon('arrow-down')}</button>
      <button type="button" class="icon" title="Deactivate" aria-label=${`Deactivate ${name}`} @click=${() => this.deactivate(without(scenarios, at), `Deactivated ${name}.`)}>${icon('x')}</button>
    `;
  }

  private activate(names: readonly string[], successText = ''): Promise<boolean> {
    return attempt(successText, async () => {
      await putActive(this.project, names);
      this.dispatchEvent(new CustomEvent('changed'));
    });
  }

  /** The pressed button disappears, so the focus moves to the heading. */
  private deactivate(names: readonly string[], successText: string): void {
    this.querySelector('h2')?.focus();
    void this.activate(names, successText + restartNote(names));
  }
}

function renderCounts(project: string, { scenario, rule, met, acted, left }: Rules[number]): TemplateResult {
  return html`
    <td>${rule}</td>
    <td class="hits matched">${met}</td>
    <td class="hits">${acted === 0 ? acted : html`<a href=${linkTo('live', { project, scenario })}>${acted}</a>`}</td>
    <td class="left">${left === null ? html`<span class="quiet">unlimited</span>` : left === 0 ? html`<span class="chip warn">used up</span>` : left}</td>
  `;
}

async function loadActivity(project: string): Promise<Activity> {
  const [{ rules }, expectations] = await Promise.all([
    readActive(project),
    callApi<Schemas['Expectations']>('GET', projectPath(project, '/expectations')),
  ]);
  return { rules, expectations };
}

function toEditor(name: string): TemplateResult {
  return html`<a href=${linkTo('scenarios', { edit: name })}>${name}</a>`;
}

/** Swaps the names at `at` and `at + 1`. */
function swap(names: readonly string[], at: number): readonly string[] {
  return names.map((name, index) => (index === at ? names[at + 1] : index === at + 1 ? names[at] : name) ?? name);
}

function without(names: readonly string[], at: number): readonly string[] {
  return names.filter((_, index) => index !== at);
}

customElements.define('scenario-active', ScenarioActive);
