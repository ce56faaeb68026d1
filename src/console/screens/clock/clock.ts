/** The clock screen: a project's clock, what is due next, its usage, and its state. */
import { html, nothing, type TemplateResult } from 'lit';
import { ApiError, callApi, projectPath, type Schemas } from '../../data/client.ts';
import { projects } from '../../data/live.ts';
import { type ClockReading, nowOf, readClock, runningNow } from '../../data/project-clock.ts';
import { followProject } from '../../data/project-feed.ts';
import { route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { chooseProject, chosenProject, onlyProject } from '../../parts/choose-project.ts';
import { everySecond } from '../../parts/every-second.ts';
import { keepFocus } from '../../parts/keep-focus.ts';
import { instant } from '../../parts/times.ts';
import './clock.css';
import { dueTable, maxDue } from './due.ts';
import './settings.ts';
import './state.ts';
import './steer.ts';
import { usageTable } from './usage.ts';

interface Shown {
  readonly reading: ClockReading;
  /** The items that are due first, in order. */
  readonly due: readonly Schemas['PendingThing'][];
  readonly summary: Schemas['ProjectSummary'];
}

class ClockScreen extends PageElement {
  static override properties = { shown: { state: true }, errorText: { state: true } };
  declare private shown: Shown | undefined;
  /** Why nothing is shown. */
  declare private errorText: string;
  private project: string | undefined;
  private readonly reloader = followProject(
    this,
    (soon) => ({
      request: ({ project }) => project === this.project && soon(),
      callback: ({ project }) => project === this.project && soon(),
      change: ({ project }) => (project === null || project === this.project) && soon(),
      records: ({ project }) => project === this.project && soon(),
    }),
    () => this.load(),
  );

  constructor() {
    super();
    this.errorText = '';
    watch(this, route, projects);
    keepFocus(this);
    everySecond(this, () => runningNow(this.shown?.reading));
  }

  protected override willUpdate(): void {
    const project = chosenProject();
    if (project === this.project) return;
    this.project = project;
    this.shown = undefined;
    this.errorText = '';
    if (project !== undefined) this.reloader.now();
  }

  private async load(): Promise<void> {
    const { project } = this;
    if (project === undefined) return;
    try {
      const [reading, { items }, summary] = await Promise.all([
        readClock(project),
        callApi<Schemas['PendingPage']>('GET', projectPath(project, `/pending?limit=${maxDue}`)),
        callApi<Schemas['ProjectSummary']>('GET', projectPath(project, '')),
      ]);
      if (project !== this.project) return;
      this.shown = { reading, due: items, summary };
      this.errorText = '';
    } catch (error) {
      if (project === this.project) this.errorText = error instanceof ApiError ? error.message : String(error);
    }
  }

  protected override render(): TemplateResult {
    const { project } = this;
    return html`
      <h1>Clock and state</h1>
      ${this.errorText === '' ? nothing : html`<p class="note bad">${this.errorText}</p>`}
      ${project === undefined ? chooseProject('clock') : this.renderProject(project)}
      <clock-state .project=${project}></clock-state>
      <clock-settings></clock-settings>
    `;
  }

  private renderProject(project: string): TemplateResult {
    const { shown } = this;
    return html`
      <section class="card column" aria-labelledby="clock-of">
        <div class="row"><h2 id="clock-of">Clock of ${project}</h2>${onlyProject() === undefined ? nothing : html`<span class="quiet">only project</span>`}</div>
        ${shown ? clockFace(shown.reading) : html`<p class="quiet">Loading…</p>`}
        <clock-steer .project=${project} .reading=${shown?.reading} .changed=${this.reloader.now}></clock-steer>
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

function clockFace(reading: ClockReading): TemplateResult {
  const { mode } = reading.clock;
  const now = new Date(nowOf(reading));
  const timestamp = mode === 'real' ? `${now.toISOString().slice(0, 19)}Z` : reading.clock.now;
  return html`
    <div class="row">
      <time class="face" datetime=${timestamp}>${instant(timestamp)}</time>
      <span class="quiet">UTC</span>
      <span class="chip ${mode === 'real' ? 'good' : 'warn'}" role="status">${mode === 'real' ? 'running' : 'frozen'}</span>
    </div>
  `;
}

customElements.define('clock-screen', ClockScreen);
