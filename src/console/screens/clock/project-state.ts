/** The state of a project: download a snapshot or a recording, restore a snapshot, fork or reset the project. */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { access, isOfKey } from '../../data/access.ts';
import { ApiError, callApi, projectPath, type Schemas } from '../../data/client.ts';
import { forkProject } from '../../data/fork-project.ts';
import { choose } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { confirmed, type Question } from '../../parts/confirm.ts';
import { counted } from '../../parts/counted.ts';
import { download } from '../../parts/download.ts';
import { attempt, notice } from '../../parts/notices.ts';
import { contentOf, readSnapshot } from './snapshot.ts';

/** The result of an action, as one or more lines. */
interface Message {
  readonly kind: 'good' | 'warn' | 'bad';
  readonly lines: readonly string[];
}

class ClockState extends PageElement {
  static override properties = { project: { attribute: false }, message: { state: true } };
  /** Undefined if no project is selected: then only all projects can be reset. */
  declare project: string | undefined;
  declare private message: Message | undefined;

  constructor() {
    super();
    watch(this, access);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    // After a reset the project does not exist until its next write. The message about the reset stays.
    const previous = changed.get('project');
    if (previous !== undefined && this.project !== undefined) this.message = undefined;
  }

  protected override render(): TemplateResult | typeof nothing {
    const { project, message } = this;
    if (project === undefined && isOfKey()) return nothing;
    return html`
      <section class="card column" aria-labelledby="state-of">
        <h2 id="state-of">State${project === undefined ? nothing : html` of ${project}`}</h2>
        ${project === undefined ? nothing : this.renderProject(project)}
        <div class="row">
          ${project === undefined ? nothing : html`<button class="danger" @click=${() => this.reset(project)}>Reset ${project}…</button>`}
          ${isOfKey() ? nothing : html`<button class="danger" @click=${this.resetAll}>Reset all projects…</button>`}
        </div>
        <div role="status">${message ? html`<div class="note ${message.kind}">${message.lines.map((line) => html`<p>${line}</p>`)}</div>` : nothing}</div>
      </section>
    `;
  }

  private renderProject(project: string): TemplateResult {
    return html`
      <p class="quiet">A snapshot contains all records. A recording contains the history of the project: replay it with <code>field-sandbox replay FILE</code>.</p>
      <div class="row">
        <button @click=${() => this.downloadSnapshot(project)}>Download snapshot</button>
        <button @click=${() => this.downloadRecording(project)}>Download recording</button>
      </div>
      <p class="quiet">A fork is a copy with its own clock and pending work. Try something else there, and keep ${project} as it is.</p>
      <div class="row"><button @click=${() => this.fork(project)}>Fork ${project}</button></div>
      <label class="field">Restore snapshot
        <input type="file" accept=".json,application/json" @change=${(event: Event) => this.restore(project, event.target as HTMLInputElement)} />
      </label>
    `;
  }

  private fork(project: string): Promise<boolean> {
    return attempt('', async () => {
      const fork = await forkProject(project);
      choose({ project: fork });
      notice('good', `This is ${fork}, a copy of ${project}.`);
    });
  }

  private downloadSnapshot(project: string): Promise<void> {
    return this.run(async () => {
      const snapshot = await callApi<Schemas['Snapshot']>('GET', projectPath(project, '/snapshot'));
      download(`${project}.snapshot.json`, 'application/json', JSON.stringify(snapshot, null, 2));
      return { kind: 'good', lines: [`Downloaded (${contentOf(snapshot)}).`] };
    });
  }

  private downloadRecording(project: string): Promise<void> {
    return this.run(async () => {
      const recording = await callApi<Schemas['Recording']>('GET', projectPath(project, '/recording'));
      download(`${project}.recording.json`, 'application/json', JSON.stringify(recording, null, 2));
      const summary = `Downloaded (${counted(recording.changes.length, 'change')}).`;
      const why = recording.incomplete ?? 'the journal has dropped entries';
      const incomplete = `The recording is incomplete and cannot be replayed: ${why}.`;
      return recording.complete ? { kind: 'good', lines: [summary] } : { kind: 'warn', lines: [summary, incomplete] };
    });
  }

  private async restore(project: string, input: HTMLInputElement): Promise<void> {
    const file = input.files?.[0];
    if (!file) return;
    const text = await file.text();
    // The input is emptied so that the user can choose the same file again.
    input.value = '';
    const parsed = readSnapshot(text);
    if ('errorText' in parsed) {
      this.message = { kind: 'bad', lines: [`${file.name} is not a snapshot: ${parsed.errorText}.`] };
      return;
    }
    const { snapshot } = parsed;
    const question = {
      title: `Restore ${file.name} in ${project}?`,
      text: `Replaces all records of ${project} with ${contentOf(snapshot)} and cancels pending work. Requests, clock and scenarios are kept.`,
      action: 'Restore',
      isDanger: true,
    };
    await this.confirmAndRun(question, async () => {
      const result = await callApi<Schemas['RestoreResult']>('PUT', projectPath(project, '/snapshot'), snapshot);
      return [`Restored: ${contentOf(result.restored)}.`, describeCancelled(result.cancelled)];
    });
  }

  private reset(project: string): Promise<void> {
    const question = {
      title: `Reset ${project}?`,
      text: 'Deletes records, requests and callbacks, and cancels pending work. Restores the defaults of clock, scenarios and callback endpoint.',
      action: `Reset ${project}`,
      isDanger: true,
    };
    return this.confirmAndRun(question, async () => {
      const { cancelled } = await callApi<Schemas['ResetResult']>('POST', projectPath(project, '/reset'));
      return [`${project} was reset.`, describeCancelled(cancelled)];
    });
  }

  private resetAll(): Promise<void> {
    const question = {
      title: 'Reset all projects?',
      text: 'Deletes the records, requests and callbacks of all projects, and cancels pending work. Running tests that use this sandbox lose their data.',
      action: 'Reset all projects',
      isDanger: true,
    };
    return this.confirmAndRun(question, async () => {
      const { projects, cancelled } = await callApi<Schemas['ResetAllResult']>('POST', '/reset');
      return [`Reset ${counted(projects, 'project')}.`, describeCancelled(cancelled)];
    });
  }

  private async confirmAndRun(question: Question, action: () => Promise<readonly string[]>): Promise<void> {
    if (!(await confirmed(question))) return;
    await this.run(async () => ({ kind: 'good', lines: await action() }));
  }

  private async run(action: () => Promise<Message>): Promise<void> {
    try {
      this.message = await action();
    } catch (error) {
      this.message = { kind: 'bad', lines: error instanceof ApiError ? toLines(error) : [String(error)] };
    }
  }
}

function describeCancelled({ instructions, callbacks }: Schemas['Cancelled']): string {
  if (instructions + callbacks === 0) return 'Nothing was pending.';
  return `Cancelled: ${counted(instructions, 'instruction')}, ${counted(callbacks, 'callback')}.`;
}

function toLines({ message, errors }: ApiError): readonly string[] {
  return errors.length === 0 ? [message] : errors.map(({ path, message: text }) => `${path} ${text}`);
}

customElements.define('clock-state', ClockState);
