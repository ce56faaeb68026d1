/** The editor: the text of a scenario, the parser's errors at their lines, and buttons to save and activate it. */
import { html, nothing, type TemplateResult } from 'lit';
import { access, isOfKey } from '../../data/access.ts';
import { ApiError, type Schemas } from '../../data/client.ts';
import { projects } from '../../data/live.ts';
import { createResource, type Resource } from '../../data/resource.ts';
import { choose, route } from '../../data/route.ts';
import { draft } from '../../data/scenario-draft.ts';
import { PageElement, watch } from '../../element.ts';
import { chosenProject } from '../../parts/choose-project.ts';
import { copyButton } from '../../parts/copy-button.ts';
import { download } from '../../parts/download.ts';
import { attempt, errorNote, notice } from '../../parts/notices.ts';
import './code.ts';
import { readLibrary, readScenario, remove, type Summary, save, setScenarioActive } from './data.ts';
import { currentErrors, defaultText, nameOf, type ParserError, toParserErrors } from './text.ts';

/** Unsaved texts by the name of the opened scenario. They are kept while another screen is open. */
const unsavedTexts = new Map<string, string>();

const schemaUrl = new URL('scenario.schema.json', location.href).href;

interface Loaded {
  readonly library: readonly Summary[];
  /** The opened scenario of the library, or undefined for a new one. */
  readonly found: Schemas['Scenario'] | undefined;
}

async function loadEditor(opened: string): Promise<Loaded> {
  return { library: await readLibrary(), found: opened === 'new' ? undefined : await readScenario(opened) };
}

class ScenarioEditor extends PageElement {
  static override properties = {
    errors: { state: true },
  };
  declare private errors: readonly ParserError[];
  private opened = '';
  /** The scenario that was saved last. It is shown until it is loaded under its new name. */
  private saved: Readonly<Record<'name' | 'text', string>> | undefined;
  private readonly resource: Resource<Loaded> = createResource(this, {
    key: () => this.opened,
    load: () => loadEditor(this.opened),
    reloadOn: (event) => event.kind === 'change' && event.what === 'library',
  });

  constructor() {
    super();
    this.errors = [];
    watch(this, route, draft, projects, access);
  }

  protected override willUpdate(): void {
    const opened = route.get().query['edit'] || 'new';
    if (opened === this.opened) return;
    this.opened = opened;
    this.errors = [];
  }

  private get text(): string | undefined {
    if (this.opened === 'new') return draft.get() === '' ? defaultText : draft.get();
    const saved = this.saved?.name === this.opened ? this.saved.text : undefined;
    return unsavedTexts.get(this.opened) ?? this.resource.value?.found?.text ?? saved;
  }

  private setText(text: string): void {
    // With an empty draft, the default text would appear again.
    if (this.opened === 'new') draft.set(text === '' ? '\n' : text);
    else if (text === this.resource.value?.found?.text) unsavedTexts.delete(this.opened);
    else unsavedTexts.set(this.opened, text);
    this.requestUpdate();
  }

  protected override render(): TemplateResult {
    const { text, opened } = this;
    const { value, errorText, isMissing } = this.resource;
    const found = value?.found;
    return html`
      ${this.renderChoice(value)}
      ${errorNote(isMissing ? `The library has no scenario ${opened}: it was deleted, or defined inline through the API.` : errorText)}
      ${
        text !== undefined
          ? html`
              <scenario-code .value=${text} .errors=${currentErrors(this.errors, text)}
                @typed=${({ detail }: CustomEvent<string>) => this.setText(detail)} @save=${() => this.save()}></scenario-code>
              ${this.renderActions(text, found)}
            `
          : nothing
      }
      <p class="quiet">
        Saved scenarios are stored in the sandbox's memory. Download them to keep them.
        Editors with YAML support can check and complete scenarios with <a href=${schemaUrl}>the schema</a>.
      </p>
    `;
  }

  private renderChoice({ library = [], found }: Partial<Loaded> = {}): TemplateResult {
    const { opened } = this;
    const open = ({ target }: Event): void => choose({ view: 'editor', edit: (target as HTMLSelectElement).value });
    return html`
      <div class="row">
        <label>
          Open
          <select class="open" @change=${open}>
            <option value="new" ?selected=${opened === 'new'}>New scenario</option>
            ${library.map(({ name }) => html`<option value=${name} ?selected=${name === opened}>${name}</option>`)}
          </select>
        </label>
        ${unsavedTexts.has(opened) ? html`<span class="chip warn">not saved</span><button @click=${this.discard}>Discard changes</button>` : nothing}
        ${
          found && found.source !== 'control'
            ? html`<span class="quiet">Your saved version takes precedence over the file. The file is not changed.</span>`
            : nothing
        }
      </div>
    `;
  }

  private renderActions(text: string, found: Loaded['found']): TemplateResult {
    const project = chosenProject();
    const name = nameOf(text);
    return html`
      <div class="row">
        ${isOfKey() ? html`<span class="quiet">Your API key cannot change the library. To use another scenario, send it with <code>PUT /_sandbox/projects/ID/scenarios</code>.</span>` : html`<button class="main" title="Ctrl+S" @click=${() => this.save()}>Save</button>`}
        ${
          isOfKey()
            ? nothing
            : project === undefined
              ? html`<span class="quiet">Select a project above to activate it.</span>`
              : html`<button @click=${() => this.saveAndActivate(project)}>Save and activate for ${project}</button>`
        }
        ${copyButton('Copy', () => text)}
        <button @click=${() => download(`${name || 'scenario'}.yaml`, 'application/yaml', text)}>Download</button>
        ${found?.source === 'control' && !isOfKey() ? html`<button @click=${this.deleteScenario}>Delete</button>` : nothing}
      </div>
    `;
  }

  private readonly discard = (): void => {
    unsavedTexts.delete(this.opened);
    this.errors = [];
    this.requestUpdate();
    this.focusText();
  };

  /** Focuses the text, because the pressed button disappears. */
  private focusText(): void {
    this.querySelector('textarea')?.focus();
  }

  /** Saves the text. Returns its name, or undefined if the sandbox rejected it. */
  private async save(): Promise<string | undefined> {
    const { text = '', opened } = this;
    // If the text has no name, the parser reports that together with all other errors.
    const name = nameOf(text) || 'unnamed';
    try {
      await save(name, text);
      this.errors = [];
      this.saved = { name, text };
      if (opened === name) this.resource.set(await loadEditor(name));
      unsavedTexts.delete(opened);
      unsavedTexts.delete(name);
      if (opened === 'new') draft.set('');
      choose({ view: 'editor', edit: name });
      notice('good', `Saved ${name}.`);
      return name;
    } catch (error) {
      const { errors = [], message } = error instanceof ApiError ? error : { message: String(error) };
      this.errors = toParserErrors(errors.length > 0 ? errors : [{ path: '', message }], text);
      return undefined;
    }
  }

  private async saveAndActivate(project: string): Promise<void> {
    const name = await this.save();
    if (name !== undefined)
      await attempt(`Activated ${name} for ${project}.`, () => setScenarioActive(project, name, true));
  }

  /** Keeps the deleted text as a draft, so that nothing is lost. */
  private readonly deleteScenario = async (): Promise<void> => {
    const { opened, text } = this;
    const done = `Deleted ${opened}. Its text is kept here as an unsaved scenario.`;
    if (!(await attempt(done, () => remove(opened)))) return;
    unsavedTexts.delete(opened);
    this.saved = undefined;
    draft.set(text ?? '');
    choose({ edit: 'new' });
    this.focusText();
  };
}

customElements.define('scenario-editor', ScenarioEditor);
