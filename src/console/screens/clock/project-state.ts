/** The state of a project: download a snapshot or a recording, restore a snapshot, fork or reset the project. */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import {
  chooseSnapshot,
  downloadRecording,
  downloadSnapshot,
  fork,
  type Report,
  reported,
  resetAllProjects,
  resetProject,
} from '../../actions/project.ts';
import { access, isOfKey } from '../../data/access.ts';
import { PageElement, watch } from '../../element.ts';
import { type IconName, icon } from '../../parts/icon.ts';

class ClockState extends PageElement {
  static override properties = { project: { attribute: false }, report: { state: true } };
  /** Undefined if no project is selected: then only all projects can be reset. */
  declare project: string | undefined;
  /** The result of the last action. */
  declare private report: Report | undefined;

  constructor() {
    super();
    watch(this, access);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    // After a reset the project does not exist until its next write. The message about the reset stays.
    const previous = changed.get('project');
    if (previous !== undefined && this.project !== undefined) this.report = undefined;
  }

  protected override render(): TemplateResult | typeof nothing {
    const { project, report } = this;
    if (project === undefined && isOfKey()) return nothing;
    return html`
      <section class="card column" aria-labelledby="state-of">
        <h2 id="state-of">State${project === undefined ? nothing : html` of ${project}`}</h2>
        ${project === undefined ? nothing : this.renderProject(project)}
        <div class="row resets">
          ${project === undefined ? nothing : this.button('rotate-ccw', `Reset ${project}…`, () => resetProject(project))}
          ${isOfKey() ? nothing : this.button('rotate-ccw', 'Reset all projects…', resetAllProjects)}
        </div>
        <div role="status">${report ? html`<div class="note ${report.kind}">${report.lines.map((line) => html`<p>${line}</p>`)}</div>` : nothing}</div>
      </section>
    `;
  }

  private renderProject(project: string): TemplateResult {
    return html`
      <p class="quiet">A snapshot contains all records. A recording contains the history of the project: replay it with <code>field-sandbox replay FILE</code>.</p>
      <div class="row">
        ${this.button('download', 'Download snapshot', () => downloadSnapshot(project))}
        ${this.button('download', 'Download recording', () => downloadRecording(project))}
        <button @click=${() => chooseSnapshot(project, this.show)}>${icon('upload')}Restore snapshot…</button>
      </div>
      <p class="quiet">A fork is a copy with its own clock and pending work. Try something else there, and keep ${project} as it is.</p>
      <div class="row">${this.button('git-fork', `Fork ${project}`, () => fork(project))}</div>
    `;
  }

  private button(name: IconName, label: string, action: () => Promise<Report | undefined>): TemplateResult {
    return html`<button @click=${async () => this.show(await reported(action))}>${icon(name)}${label}</button>`;
  }

  private readonly show = (report: Report | undefined): void => {
    if (report) this.report = report;
  };
}

customElements.define('clock-state', ClockState);
