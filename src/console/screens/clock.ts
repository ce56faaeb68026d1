/** The time that a project lives in, what is due next, and its state: kept, put back, reset. */
import { html, nothing, type TemplateResult } from 'lit';
import { ask, ofProject, Refusal, type Schemas } from '../data/client.ts';
import { projects } from '../data/live.ts';
import { askClock, nowOf, runningNow, type ToldClock } from '../data/project-clock.ts';
import { followProject } from '../data/project-feed.ts';
import { route } from '../data/route.ts';
import { PageElement, watch } from '../element.ts';
import { chooseProject, chosenProject, onlyProject } from '../parts/choose-project.ts';
import { everySecond } from '../parts/every-second.ts';
import { keepFocus } from '../parts/keep-focus.ts';
import { instant } from '../parts/times.ts';
import './clock.css';
import { dueTable, mostDue } from './clock-due.ts';
import './clock-settings.ts';
import './clock-state.ts';
import './clock-steer.ts';

interface Shown {
  readonly told: ToldClock;
  /** The first of what is due, in its order. */
  readonly due: readonly Schemas['PendingThing'][];
}

class ClockScreen extends PageElement {
  static override properties = { shown: { state: true }, why: { state: true } };
  declare private shown: Shown | undefined;
  /** Why nothing is shown. */
  declare private why: string;
  private project: string | undefined;
  private readonly fresh = followProject(
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
    this.why = '';
    watch(this, route, projects);
    keepFocus(this);
    everySecond(this, () => runningNow(this.shown?.told));
  }

  protected override willUpdate(): void {
    const project = chosenProject();
    if (project === this.project) return;
    this.project = project;
    this.shown = undefined;
    this.why = '';
    if (project !== undefined) this.fresh.now();
  }

  private async load(): Promise<void> {
    const { project } = this;
    if (project === undefined) return;
    try {
      const [told, { items }] = await Promise.all([
        askClock(project),
        ask<Schemas['PendingPage']>('GET', ofProject(project, `/pending?limit=${mostDue}`)),
      ]);
      if (project !== this.project) return;
      this.shown = { told, due: items };
      this.why = '';
    } catch (error) {
      if (project === this.project) this.why = error instanceof Refusal ? error.message : String(error);
    }
  }

  protected override render(): TemplateResult {
    const { project } = this;
    return html`
      <h1>Clock and state</h1>
      ${this.why === '' ? nothing : html`<p class="note bad">${this.why}</p>`}
      ${project === undefined ? chooseProject('clock') : this.renderProject(project)}
      <clock-state .project=${project}></clock-state>
      <clock-settings></clock-settings>
    `;
  }

  private renderProject(project: string): TemplateResult {
    const { shown } = this;
    return html`
      <section class="card column" aria-labelledby="clock-of">
        <div class="row"><h2 id="clock-of">Clock of ${project}</h2>${onlyProject() === undefined ? nothing : html`<span class="quiet">the only project</span>`}</div>
        ${shown ? face(shown.told) : html`<p class="quiet">Loading…</p>`}
        <clock-steer .project=${project} .told=${shown?.told} .changed=${this.fresh.now}></clock-steer>
      </section>
      <section class="card column" aria-labelledby="due">
        <h2 id="due">Due next</h2>
        ${shown ? dueTable(shown.due, shown.told) : html`<p class="quiet">Loading…</p>`}
      </section>
    `;
  }
}

function face(told: ToldClock): TemplateResult {
  const { mode } = told.clock;
  const now = new Date(nowOf(told));
  const timestamp = mode === 'real' ? `${now.toISOString().slice(0, 19)}Z` : told.clock.now;
  return html`
    <div class="row">
      <time class="face" datetime=${timestamp}>${instant(timestamp)}</time>
      <span class="quiet">UTC</span>
      <span class="chip ${mode === 'real' ? 'good' : 'warn'}" role="status">${mode === 'real' ? 'runs' : 'frozen'}</span>
    </div>
  `;
}

customElements.define('clock-screen', ClockScreen);
