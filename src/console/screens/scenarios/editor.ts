/** The editor: the text of a scenario, the parser's errors at their lines, and buttons to save it and switch it on. */
import { html, nothing, type TemplateResult } from 'lit';
import { ApiError, type Schemas } from '../../data/client.ts';
import { draft } from '../../data/draft.ts';
import { listen } from '../../data/events.ts';
import { projects } from '../../data/live.ts';
import { createReloader, type Reloader } from '../../data/reloader.ts';
import { choose, route } from '../../data/route.ts';
import { PageElement, watch } from '../../element.ts';
import { chosenProject } from '../../parts/choose-project.ts';
import { copyButton } from '../../parts/copy-button.ts';
import { download } from '../../parts/download.ts';
import { attempt, notice } from '../../parts/notices.ts';
import { renderChoice } from './choice.ts';
import './code.ts';
import type { ScenarioCode } from './code.ts';
import { readLibrary, readScenario, remove, type Summary, save, switchScenario, toErrorText } from './data.ts';
import { renderMistakes } from './mistakes.ts';
import { defaultText, type Mistake, nameOf, placeMistakes, toMistakes } from './text.ts';

/** Unsaved texts by the name of the opened scenario. They are kept while another screen is open. */
const unsavedTexts = new Map<string, string>();

const schemaUrl = new URL('scenario.schema.json', location.href).href;

class ScenarioEditor extends PageElement {
  static override properties = {
    library: { state: true },
    found: { state: true },
    mistakes: { state: true },
    errorText: { state: true },
  };
  declare private library: readonly Summary[];
  /** The opened scenario of the library. */
  declare private found: Schemas['Scenario'] | undefined;
  declare private mistakes: readonly Mistake[];
  declare private errorText: string;
  private opened = '';
  private readonly reloader: Reloader = createReloader(() => this.load());
  private removeHandlers = (): void => undefined;

  constructor() {
    super();
    this.library = [];
    this.mistakes = [];
    this.errorText = '';
    watch(this, route, draft, projects);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.removeHandlers = listen({
      change: ({ what }) => {
        if (what === 'library') this.reloader.soon();
      },
      missed: () => this.reloader.soon(),
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.removeHandlers();
    this.reloader.end();
  }

  protected override willUpdate(): void {
    const { edit = '' } = route.get().query;
    const opened = edit === '' ? 'new' : edit;
    if (opened === this.opened) return;
    // After saving under a new name, the text is still the same.
    if (this.found?.name !== opened) this.found = undefined;
    this.opened = opened;
    this.mistakes = [];
    this.errorText = '';
    this.reloader.now();
  }

  private async load(): Promise<void> {
    const { opened } = this;
    try {
      this.library = await readLibrary();
      const found = opened === 'new' ? undefined : await readScenario(opened);
      if (opened !== this.opened) return;
      this.found = found;
      this.errorText = '';
    } catch (error) {
      if (opened !== this.opened) return;
      this.errorText = toErrorText(error, opened);
    }
  }

  private get text(): string {
    if (this.opened === 'new') return draft.get() === '' ? defaultText : draft.get();
    return unsavedTexts.get(this.opened) ?? this.found?.text ?? '';
  }

  private setText(text: string): void {
    // With an empty draft, the default text would appear again.
    if (this.opened === 'new') draft.set(text === '' ? '\n' : text);
    else if (text === this.found?.text) unsavedTexts.delete(this.opened);
    else unsavedTexts.set(this.opened, text);
    this.requestUpdate();
  }

  protected override render(): TemplateResult {
    const { text, opened, found } = this;
    const placed = placeMistakes(this.mistakes, text);
    const isShown = opened === 'new' || found !== undefined || unsavedTexts.has(opened);
    return html`
      ${renderChoice({ opened, found, library: this.library, discard: unsavedTexts.has(opened) ? this.discard : undefined })}
      ${this.errorText === '' ? nothing : html`<p class="note bad">${this.errorText}</p>`}
      ${
        isShown
          ? html`
              <scenario-code .value=${text} .mistakes=${placed}
                @typed=${({ detail }: CustomEvent<string>) => this.setText(detail)} @save=${() => this.save()}></scenario-code>
              ${renderMistakes(placed, (mistake) => this.querySelector<ScenarioCode>('scenario-code')?.show(mistake))}
              ${this.renderActions(text)}
            `
          : nothing
      }
      <p class="quiet">
        Saved scenarios are stored in the sandbox's memory. Download them to keep them.
        Editors with YAML support can check and complete scenarios with <a href=${schemaUrl}>the schema</a>.
      </p>
    `;
  }

  private renderActions(text: string): TemplateResult {
    const project = chosenProject();
    const name = nameOf(text);
    return html`
      <div class="row">
        <button class="main" title="Ctrl+S" @click=${() => this.save()}>Save</button>
        ${
          project === undefined
            ? html`<span class="quiet">Select a project above to activate it.</span>`
            : html`<button @click=${() => this.saveAndSwitchOn(project)}>Save and activate for ${project}</button>`
        }
        ${copyButton('Copy', () => text)}
        <button @click=${() => download(`${name || 'scenario'}.yaml`, 'application/yaml', text)}>Download</button>
        ${this.found?.source === 'control' ? html`<button @click=${this.deleteScenario}>Delete</button>` : nothing}
      </div>
    `;
  }

  private readonly discard = (): void => {
    unsavedTexts.delete(this.opened);
    this.mistakes = [];
    this.requestUpdate();
    this.focusText();
  };

  /** Focuses the text, because the pressed button disappears. */
  private focusText(): void {
    this.querySelector('textarea')?.focus();
  }

  /** Saves the text. Returns its name, or undefined if the sandbox rejected it. */
  private async save(): Promise<string | undefined> {
    const { text, opened } = this;
    // If the text has no name, the parser reports that together with all other errors.
    const name = nameOf(text) || 'unnamed';
    try {
      const { rules, source, description } = await save(name, text);
      this.found = { name, rules, source, text, ...(description !== undefined && { description }) };
      this.mistakes = [];
      unsavedTexts.delete(opened);
      unsavedTexts.delete(name);
      if (opened === 'new') draft.set('');
      choose({ view: 'editor', edit: name });
      notice('good', `Saved ${name}.`);
      return name;
    } catch (error) {
      const { errors = [], message } = error instanceof ApiError ? error : { message: String(error) };
      this.mistakes = toMistakes(errors.length > 0 ? errors : [{ path: '', message }], text);
      return undefined;
    }
  }

  private async saveAndSwitchOn(project: string): Promise<void> {
    const name = await this.save();
    if (name !== undefined)
      await attempt(`Activated ${name} for ${project}.`, () => switchScenario(project, name, true));
  }

  /** Keeps the deleted text as a draft, so that nothing is lost. */
  private readonly deleteScenario = async (): Promise<void> => {
    const { opened, text } = this;
    const done = `Deleted ${opened}. Its text is kept here as an unsaved scenario.`;
    if (!(await attempt(done, () => remove(opened)))) return;
    unsavedTexts.delete(opened);
    draft.set(text);
    choose({ edit: 'new' });
    this.focusText();
  };
}

customElements.define('scenario-editor', ScenarioEditor);
