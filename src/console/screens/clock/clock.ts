/** The clock screen: a project's clock, what is due next, its usage, and its state. */
import { html, nothing, type TemplateResult } from 'lit';
import { callApi, projectPath, type Schemas } from '../../data/client.ts';
import { projects, settings } from '../../data/live.ts';
import { type ClockReading, nowOf, readClock, runningNow } from '../../data/project-clock.ts';
import { createResource, isOf, type Resource } from '../../data/resource.ts';
import { route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { chooseProject, chosenProject, onlyProject } from '../../parts/choose-project.ts';
import { everySecond } from '../../parts/every-second.ts';
import { keepFocus } from '../../parts/keep-focus.ts';
import { errorNote } from '../../parts/notices.ts';
import { instant } from '../../parts/times.ts';
import './clock.css';
import { dueTable, maxDue } from './due.ts';
import { settingsCard } from './settings.ts';
import './project-state.ts';
import './controls.ts';
import { usageTable } from './usage.ts';

interface Shown {
  readonly reading: ClockReading;
  /** The items that are due first, in order. */
  readonly due: readonly Schemas['PendingThing'][];
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
      <h1>Clock and state</h1>
      ${errorNote(this.resource.errorText)}
      ${project === undefined ? chooseProject('clock') : this.renderProject(project)}
      <clock-state .project=${project}></clock-state>
      ${settingsCard()}
    `;
  }

  private renderProject(project: string): TemplateResult {
    const shown = this.resource.value;
    return html`
      <section class="card column" aria-labelledby="clock-of">
        <div class="row"><h2 id="clock-of">Clock of ${project}</h2>${onlyProject() === undefined ? nothing : html`<span class="quiet">only project</span>`}</div>
        ${shown ? clockFace(shown.reading) : html`<p class="quiet">Loading…</p>`}
        <clock-controls .project=${project} .reading=${shown?.reading} .changed=${this.resource.reload}></clock-controls>
      </section>
      <section class="card column" aria-labelledby="due">
        <h2 id="due">Pending work</h2>
        ${shown ? dueTable(shown.due, shown.reading) : html`<p class="quiet">Loading…</p>`}
      </section>
      <section class="card column" aria-labelledby="usage">
        <h2 id="usage">Usage and limits</h2>
        ${shown ? usageTable(shown.summary) : html`<p class="quiet">Loading…</p>`}
      </section>
    `;
  }
}

async function loadShown(project: string): Promise<Shown> {
  const [reading, { items }, summary] = await Promise.all([
    readClock(project),
    callApi<Schemas['PendingPage']>('GET', projectPath(project, `/pending?limit=${maxDue}`)),
    callApi<Schemas['ProjectSummary']>('GET', projectPath(project)),
  ]);
  return { reading, due: items, summary };
}

function clockFace(reading: ClockReading): TemplateResult {
  const { mode, rate = 1 } = reading.clock;
  const now = new Date(nowOf(reading));
  const timestamp = mode === 'real' ? `${now.toISOString().slice(0, 19)}Z` : reading.clock.now;
  return html`
    <div class="row">
      <time class="face" datetime=${timestamp}>${instant(timestamp)}</time>
      <span class="quiet">UTC</span>
      <span class="chip ${mode === 'real' ? 'good' : 'warn'}" role="status">${mode === 'frozen' ? 'frozen' : rate === 1 ? 'running' : `running ${rate}×`}</span>
    </div>
  `;
}

customElements.define('clock-screen', ClockScreen);
