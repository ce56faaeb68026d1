/** The editor: a scenario's text, the parser's messages at their lines, and switching it on. */
import { html, nothing, type TemplateResult } from 'lit';
import { Refusal, type Schemas } from '../data/client.ts';
import { draft } from '../data/draft.ts';
import { listen } from '../data/events.ts';
import { type Fresh, keepFresh } from '../data/fresh.ts';
import { projects } from '../data/live.ts';
import { choose, route } from '../data/route.ts';
import { PageElement, watch } from '../element.ts';
import { chosenProject } from '../parts/choose-project.ts';
import { copyButton } from '../parts/copy-button.ts';
import { download } from '../parts/download.ts';
import { attempt, notice } from '../parts/notices.ts';
import { renderChoice } from './scenarios-choice.ts';
import './scenarios-code.ts';
import type { ScenarioCode } from './scenarios-code.ts';
import { flip, readLibrary, readScenario, remove, type Summary, save, toWhy } from './scenarios-data.ts';
import { renderMistakes } from './scenarios-mistakes.ts';
import { firstText, type Mistake, nameOf, placeMistakes, toMistakes } from './scenarios-text.ts';

/** What was typed and not saved, by the name of what was opened: kept while another screen is looked at. */
const typed = new Map<string, string>();

const schemaUrl = new URL('scenario.schema.json', location.href).href;

class ScenarioEditor extends PageElement {
  static override properties = {
    library: { state: true },
    found: { state: true },
    mistakes: { state: true },
    why: { state: true },
  };
  declare private library: readonly Summary[];
  /** The scenario of the library that is open. */
  declare private found: Schemas['Scenario'] | undefined;
  declare private mistakes: readonly Mistake[];
  declare private why: string;
  private opened = '';
  private readonly fresh: Fresh = keepFresh(() => this.load());
  private endListening = (): void => undefined;

  constructor() {
    super();
    this.library = [];
    this.mistakes = [];
    this.why = '';
    watch(this, route, draft, projects);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.endListening = listen({
      change: ({ what }) => {
        if (what === 'library') this.fresh.soon();
      },
      missed: () => this.fresh.soon(),
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.endListening();
    this.fresh.end();
  }

  protected override willUpdate(): void {
    const { edit = '' } = route.get().query;
    const opened = edit === '' ? 'new' : edit;
    if (opened === this.opened) return;
    // What was saved under its name is the same text still.
    if (this.found?.name !== opened) this.found = undefined;
    this.opened = opened;
    this.mistakes = [];
    this.why = '';
    this.fresh.now();
  }

  private async load(): Promise<void> {
    const { opened } = this;
    try {
      this.library = await readLibrary();
      const found = opened === 'new' ? undefined : await readScenario(opened);
      if (opened !== this.opened) return;
      this.found = found;
      this.why = '';
    } catch (error) {
      if (opened !== this.opened) return;
      this.why = toWhy(error, opened);
    }
  }

  private get text(): string {
    if (this.opened === 'new') return draft.get() === '' ? firstText : draft.get();
    return typed.get(this.opened) ?? this.found?.text ?? '';
  }

  private setText(text: string): void {
    // An empty draft is none, and the first text would come back.
    if (this.opened === 'new') draft.set(text === '' ? '\n' : text);
    else if (text === this.found?.text) typed.delete(this.opened);
    else typed.set(this.opened, text);
    this.requestUpdate();
  }

  protected override render(): TemplateResult {
    const { text, opened, found } = this;
    const standing = placeMistakes(this.mistakes, text);
    const isShown = opened === 'new' || found !== undefined || typed.has(opened);
    return html`
      ${renderChoice({ opened, found, library: this.library, takeBack: typed.has(opened) ? this.takeBack : undefined })}
      ${this.why === '' ? nothing : html`<p class="note bad">${this.why}</p>`}
      ${
        isShown
          ? html`
              <scenario-code .value=${text} .mistakes=${standing}
                @typed=${({ detail }: CustomEvent<string>) => this.setText(detail)} @save=${() => this.save()}></scenario-code>
              ${renderMistakes(standing, (mistake) => this.querySelector<ScenarioCode>('scenario-code')?.show(mistake))}
              ${this.renderActions(text)}
            `
          : nothing
      }
      <p class="quiet">
        Saved scenarios are in the sandbox's memory: download what is to be kept.
        Editors that know YAML help while you type when told of <a href=${schemaUrl}>the schema</a>.
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
            ? html`<span class="quiet">Choose a project above to switch it on.</span>`
            : html`<button @click=${() => this.saveAndSwitchOn(project)}>Save and switch on for ${project}</button>`
        }
        ${copyButton('Copy', () => text)}
        <button @click=${() => download(`${name || 'scenario'}.yaml`, 'application/yaml', text)}>Download</button>
        ${this.found?.source === 'control' ? html`<button @click=${this.takeOut}>Delete</button>` : nothing}
      </div>
    `;
  }

  private readonly takeBack = (): void => {
    typed.delete(this.opened);
    this.mistakes = [];
    this.requestUpdate();
    this.focusText();
  };

  /** Where the button that was pressed goes. */
  private focusText(): void {
    this.querySelector('textarea')?.focus();
  }

  /** Gives back the name it was saved under; undefined where it was refused. */
  private async save(): Promise<string | undefined> {
    const { text, opened } = this;
    // Without a name inside the parser says so, and all else that is wrong.
    const name = nameOf(text) || 'unnamed';
    try {
      const { rules, source, description } = await save(name, text);
      this.found = { name, rules, source, text, ...(description !== undefined && { description }) };
      this.mistakes = [];
      typed.delete(opened);
      typed.delete(name);
      if (opened === 'new') draft.set('');
      choose({ view: 'editor', edit: name });
      notice('good', `${name} is saved.`);
      return name;
    } catch (error) {
      const { errors = [], message } = error instanceof Refusal ? error : { message: String(error) };
      this.mistakes = toMistakes(errors.length > 0 ? errors : [{ path: '', message }], text);
      return undefined;
    }
  }

  private async saveAndSwitchOn(project: string): Promise<void> {
    const name = await this.save();
    if (name !== undefined) await attempt(`${name} is switched on for ${project}.`, () => flip(project, name, true));
  }

  /** What was deleted stays as a draft, so that nothing is lost by it. */
  private readonly takeOut = async (): Promise<void> => {
    const { opened, text } = this;
    const done = `${opened} is deleted. Its text is still here, as a new one that is not saved.`;
    if (!(await attempt(done, () => remove(opened)))) return;
    typed.delete(opened);
    draft.set(text);
    choose({ edit: 'new' });
    this.focusText();
  };
}

customElements.define('scenario-editor', ScenarioEditor);
