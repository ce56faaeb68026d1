/** The clock screen: a project's clock, what is due next, what each advance did, its usage, and its state. */
import { html, nothing, type TemplateResult } from 'lit';
import { callApi, projectPath, type Schemas } from '../../data/client.ts';
import { projects, settings } from '../../data/live.ts';
import { type ClockReading, nowOf, readClock, runningNow } from '../../data/project-clock.ts';
import { createResource, isOf, type Resource } from '../../data/resource.ts';
import { route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { chooseProject, chosenProject } from '../../parts/choose-project.ts';
import { everySecond } from '../../parts/every-second.ts';
import { keepFocus } from '../../parts/keep-focus.ts';
import { errorNote } from '../../parts/notices.ts';
import { skeleton } from '../../parts/skeleton.ts';
import './clock.css';
import { type Advance, advancesLog } from './advances.ts';
import { dueTable, maxDue } from './due.ts';
import { type DueWork, type Outage, toDueWork, toOutages } from './due-work.ts';
import { settingsCard } from './settings.ts';
import './project-state.ts';
import './controls.ts';
import { usageTable } from './usage.ts';

interface Shown {
  readonly reading: ClockReading;
  /** The work that is due first, in order. */
  readonly due: readonly DueWork[];
  readonly outages: readonly Outage[];
  readonly advances: readonly Advance[];
  readonly summary: Schemas['ProjectSummary'];
}

class ClockScreen extends PageElement {
  private readonly resource: Resource<Shown> = createResource(this, {
    key: chosenProject,
    load: () => loadShown(chosenProject() ?? ''),
    reloadOn: (event) => isOf(event, chosenProject()),
  });

  constructor() {
    super();
    watch(this, route, projects, settings);
    keepFocus(this);
    everySecond(this, () => runningNow(this.resource.value?.reading));
  }

  protected override render(): TemplateResult {
    const project = chosenProject();
    return html`
      <h1>Clock</h1>
      ${errorNote(this.resource.errorText)}
      ${project === undefined ? chooseProject('clock') : this.renderProject(project)}
      <div class="clock-cards">
        <clock-state .project=${project}></clock-state>
        ${project === undefined ? nothing : this.renderUsage()}
        ${settingsCard()}
      </div>
    `;
  }

  private renderProject(project: string): TemplateResult {
    const shown = this.resource.value;
    return html`
      <section class="card column" aria-label="Clock of ${project}">
        <clock-controls .project=${project} .reading=${shown?.reading} .work=${shown?.due ?? noWork} .outages=${shown?.outages ?? noOutages} .changed=${this.resource.reload}></clock-controls>
      </section>
      <div class="clock-columns">
        <section class="card column" aria-labelledby="due">
          <h2 id="due">Pending work</h2>
          ${shown ? dueTable(shown.due, nowOf(shown.reading)) : skeleton(3)}
        </section>
        <section class="card column" aria-labelledby="advances">
          <h2 id="advances">Advances</h2>
          ${shown ? advancesLog(shown.advances) : skeleton(3)}
        </section>
      </div>
    `;
  }

  private renderUsage(): TemplateResult {
    const shown = this.resource.value;
    return html`
      <section class="card column" aria-labelledby="usage">
        <h2 id="usage">Usage and limits</h2>
        ${shown ? usageTable(shown.summary) : skeleton(6)}
      </section>
    `;
  }
}

async function loadShown(project: string): Promise<Shown> {
  const [reading, { items: pending }, { items: scheduled }, { items: advances }, { rules }, summary] =
    await Promise.all([
      readClock(project),
      callApi<Schemas['PendingPage']>('GET', projectPath(project, `/pending?limit=${maxDue}`)),
      callApi<{ readonly items: readonly Schemas['CallbackRow'][] }>(
        'GET',
        projectPath(project, '/callbacks?view=rows&state=scheduled&limit=1000'),
      ),
      callApi<{ readonly items: readonly Advance[] }>('GET', projectPath(project, '/clock/advances')),
      callApi<Schemas['ActiveScenarios']>('GET', projectPath(project, '/scenarios')),
      callApi<Schemas['ProjectSummary']>('GET', projectPath(project)),
    ]);
  const attempted = new Set(scheduled.filter(({ attemptCount }) => attemptCount > 0).map(({ id }) => id));
  return { reading, due: toDueWork(pending, attempted), outages: toOutages(rules), advances, summary };
}

const noWork: readonly DueWork[] = [];
const noOutages: readonly Outage[] = [];

customElements.define('clock-screen', ClockScreen);
