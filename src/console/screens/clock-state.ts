/** A project's state: kept in a file, put back from one, recorded, reset; with what was cancelled by that. */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { ask, ofProject, Refusal, type Schemas } from '../data/client.ts';
import { PageElement } from '../element.ts';
import { confirmed, type Question } from '../parts/confirm.ts';
import { counted } from '../parts/counted.ts';
import { download } from '../parts/download.ts';
import { contentOf, readSnapshot } from './clock-snapshot.ts';

/** What was done, or why it could not be, in one line or several. */
interface Said {
  readonly kind: 'good' | 'warn' | 'bad';
  readonly lines: readonly string[];
}

class ClockState extends PageElement {
  static override properties = { project: { attribute: false }, said: { state: true } };
  /** Undefined where none is chosen: then only all can be reset. */
  declare project: string | undefined;
  declare private said: Said | undefined;

  protected override willUpdate(changed: PropertyValues<this>): void {
    // Reset, a project is gone until it is written to: what is said of that stays.
    const before = changed.get('project');
    if (before !== undefined && this.project !== undefined) this.said = undefined;
  }

  protected override render(): TemplateResult {
    const { project, said } = this;
    return html`
      <section class="card column" aria-labelledby="state-of">
        <h2 id="state-of">State${project === undefined ? nothing : html` of ${project}`}</h2>
        ${project === undefined ? nothing : this.renderProject(project)}
        <div class="row">
          ${project === undefined ? nothing : html`<button @click=${() => this.reset(project)}>Reset ${project}…</button>`}
          <button @click=${this.resetAll}>Reset all projects…</button>
        </div>
        <div role="status">${said ? html`<div class="note ${said.kind}">${said.lines.map((line) => html`<p>${line}</p>`)}</div>` : nothing}</div>
      </section>
    `;
  }

  private renderProject(project: string): TemplateResult {
    return html`
      <p class="quiet">A snapshot is all records. A recording is all that changed the project since it began: <code>field-sandbox replay FILE</code> plays it anywhere.</p>
      <div class="row">
        <button @click=${() => this.keepSnapshot(project)}>Download snapshot</button>
        <button @click=${() => this.keepRecording(project)}>Download recording</button>
      </div>
      <label class="field">Put a snapshot back
        <input type="file" accept=".json,application/json" @change=${(event: Event) => this.restore(project, event.target as HTMLInputElement)} />
      </label>
    `;
  }

  private keepSnapshot(project: string): Promise<void> {
    return this.act(async () => {
      const snapshot = await ask<Schemas['Snapshot']>('GET', ofProject(project, '/snapshot'));
      download(`${project}.snapshot.json`, 'application/json', JSON.stringify(snapshot, null, 2));
      return { kind: 'good', lines: [`Kept in a file: ${contentOf(snapshot)}.`] };
    });
  }

  private keepRecording(project: string): Promise<void> {
    return this.act(async () => {
      const recording = await ask<Schemas['Recording']>('GET', ofProject(project, '/recording'));
      download(`${project}.recording.json`, 'application/json', JSON.stringify(recording, null, 2));
      const kept = `Kept in a file: ${counted(recording.changes.length, 'change')}.`;
      const isPart = 'The journal has let something go: it is not complete, and can’t be played.';
      return recording.complete ? { kind: 'good', lines: [kept] } : { kind: 'warn', lines: [kept, isPart] };
    });
  }

  private async restore(project: string, input: HTMLInputElement): Promise<void> {
    const file = input.files?.[0];
    if (!file) return;
    const text = await file.text();
    // So that the same file can be chosen again.
    input.value = '';
    const read = readSnapshot(text);
    if ('mistake' in read) {
      this.said = { kind: 'bad', lines: [`${file.name} is no snapshot: ${read.mistake}.`] };
      return;
    }
    const { snapshot } = read;
    const question = {
      title: `Put ${file.name} back into ${project}?`,
      text: `All records of ${project} are replaced by ${contentOf(snapshot)}, and what is pending is cancelled. Journal, clock and scenarios stay.`,
      act: 'Put back',
    };
    await this.ask(question, async () => {
      const done = await ask<Schemas['RestoreResult']>('PUT', ofProject(project, '/snapshot'), snapshot);
      return [`Put back: ${contentOf(done.restored)}.`, toCancelled(done.cancelled)];
    });
  }

  private reset(project: string): Promise<void> {
    const question = {
      title: `Reset ${project}?`,
      text: 'Its records, journal and callbacks go, and what is pending is cancelled. Clock, scenarios and callback endpoint are again what the options of the sandbox say.',
      act: `Reset ${project}`,
    };
    return this.ask(question, async () => {
      const { cancelled } = await ask<Schemas['ResetResult']>('POST', ofProject(project, '/reset'));
      return [`${project} is as new.`, toCancelled(cancelled)];
    });
  }

  private resetAll(): Promise<void> {
    const question = {
      title: 'Reset all projects?',
      text: 'Records, journal and callbacks of every project go, and what is pending is cancelled. Tests that use this sandbox now lose what they did.',
      act: 'Reset all projects',
    };
    return this.ask(question, async () => {
      const { projects, cancelled } = await ask<Schemas['ResetAllResult']>('POST', '/reset');
      return [`${counted(projects, 'project')} reset.`, toCancelled(cancelled)];
    });
  }

  private async ask(question: Question, act: () => Promise<readonly string[]>): Promise<void> {
    if (!(await confirmed(question))) return;
    await this.act(async () => ({ kind: 'good', lines: await act() }));
  }

  private async act(act: () => Promise<Said>): Promise<void> {
    try {
      this.said = await act();
    } catch (error) {
      this.said = { kind: 'bad', lines: error instanceof Refusal ? toLines(error) : [String(error)] };
    }
  }
}

function toCancelled({ instructions, callbacks }: Schemas['Cancelled']): string {
  if (instructions + callbacks === 0) return 'Nothing was pending.';
  return `Cancelled: ${counted(instructions, 'instruction')}, ${counted(callbacks, 'callback')}.`;
}

function toLines({ message, errors }: Refusal): readonly string[] {
  return errors.length === 0 ? [message] : errors.map(({ path, message: text }) => `${path} ${text}`);
}

customElements.define('clock-state', ClockState);
