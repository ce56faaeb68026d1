/** The editor of one scenario: its text beside a form, with mistakes while the user types and what its rules did. */
import { html, nothing, type TemplateResult } from 'lit';
import { access, isOfKey } from '../../../data/access.ts';
import { ApiError, toMessage } from '../../../data/client.ts';
import { projects } from '../../../data/live.ts';
import { createResource, type Resource } from '../../../data/resource.ts';
import { choose, linkTo, route } from '../../../data/route.ts';
import { draft, nameOf } from '../../../data/scenario-draft.ts';
import { PageElement, watch } from '../../../element.ts';
import { chosenProject } from '../../../parts/choose-project.ts';
import { attempt, errorNote, notice } from '../../../parts/notices.ts';
import { openDraft } from '../../../parts/open-draft.ts';
import { skeleton } from '../../../parts/skeleton.ts';
import { remove, save } from '../data.ts';
import '../form/form.ts';
import { newText } from '../starters.ts';
import { rename, unusedName } from '../text.ts';
import { renderActions } from './actions.ts';
import { activate, activateText } from './activate.ts';
import './activity.ts';
import type { RuleCounts } from './activity.ts';
import { type Checker, createChecker } from './checker.ts';
import './code.ts';
import type { ScenarioCode } from './code.ts';
import { forgetSaved, keepText, unsavedTexts } from './drafts.ts';
import './editor.css';
import { renderIssues } from './issues.ts';
import { type LoadedHelp, type LoadedText, loadHelp, loadText } from './load.ts';
import { toHints } from './rule-hints.ts';

class ScenarioEditor extends PageElement {
  static override properties = { counts: { state: true }, refusal: { state: true } };
  declare private counts: RuleCounts;
  /** The text that the sandbox refused last, and what for. */
  declare private refusal: Readonly<Record<'text' | 'what', string>> | undefined;
  private opened = '';
  /** The scenario that was saved last. It is shown until it is loaded under its new name. */
  private saved: Readonly<Record<'name' | 'text', string>> | undefined;
  private readonly checker: Checker = createChecker(this);
  private readonly resource: Resource<LoadedText> = createResource(this, {
    key: () => JSON.stringify([this.opened, chosenProject()]),
    load: () => loadText(this.opened, chosenProject()),
    reloadOn: (event) => event.kind === 'change' && event.what === 'library',
  });
  private readonly help: Resource<LoadedHelp> = createResource(this, { key: () => 'help', load: loadHelp });

  constructor() {
    super();
    this.counts = [];
    watch(this, route, draft, projects, access, unsavedTexts);
  }

  protected override willUpdate(): void {
    const opened = route.get().query['edit'] || 'new';
    if (opened === this.opened) return;
    this.opened = opened;
    this.counts = [];
  }

  private get text(): string | undefined {
    const { value } = this.resource;
    if (this.opened === 'new') {
      if (draft.get() !== '') return draft.get();
      return value && newText(value.library, route.get().query['from']);
    }
    const saved = this.saved?.name === this.opened ? this.saved.text : undefined;
    return unsavedTexts.get().get(this.opened) ?? value?.found?.text ?? saved;
  }

  private setText(text: string): void {
    // With an empty draft, the text of a new scenario would appear again.
    if (this.opened === 'new') draft.set(text === '' ? '\n' : text);
    else keepText(this.opened, text === this.resource.value?.found?.text ? undefined : text);
  }

  protected override render(): TemplateResult {
    const { text, opened } = this;
    const { value, errorText } = this.resource;
    if (text !== undefined) this.checker.check(text);
    const isMissing = value !== undefined && text === undefined;
    return html`
      ${text === undefined ? html`<h1><a class="up" href=${linkTo('scenarios')}>Scenarios</a> / ${opened === 'new' ? 'New scenario' : opened}</h1>` : nothing}
      ${errorNote(isMissing ? `There is no scenario ${opened}: it was deleted, or it is active in another project only.` : errorText)}
      ${text !== undefined ? this.renderText(text, value) : value === undefined && errorText === '' ? skeleton() : nothing}
    `;
  }

  private renderText(text: string, value: LoadedText | undefined): TemplateResult {
    const { value: help } = this.help;
    const name = nameOf(text);
    const project = chosenProject();
    const typed = ({ detail }: CustomEvent<string>): void => this.setText(detail);
    return html`
      ${renderActions({
        ...{ text, name, project, opened: this.opened },
        source: value?.found?.source,
        replaces: name !== this.opened && (value?.library.some((one) => one.name === name) ?? false),
        isChanged: this.opened === 'new' ? draft.get() !== '' : unsavedTexts.get().has(this.opened),
        isOfKey: isOfKey(),
        save: () => void this.save(),
        activate: () => void this.activate(project),
        discard: () => this.discard(),
        duplicate: () => this.duplicate(text),
        remove: () => void this.deleteScenario(),
      })}
      <div class="editing">
        <scenario-form .text=${text} .operations=${help?.operations ?? noOperations} .schema=${help?.schema} .counts=${this.counts} @typed=${typed}></scenario-form>
        <div class="writing">
          <scenario-code .text=${text} .issues=${this.checker.issues ?? []} .hints=${toHints(text, this.counts)} .schema=${help?.schema}
            @typed=${typed} @save=${() => this.save()}></scenario-code>
          ${renderIssues(this.checker, this.refusal?.text === text ? this.refusal.what : '', (issue) => this.code?.show(issue))}
        </div>
        ${
          project === undefined || this.opened === 'new'
            ? nothing
            : html`<scenario-activity .project=${project} .name=${this.opened} @counted=${({ detail }: CustomEvent<RuleCounts>) => (this.counts = detail)}></scenario-activity>`
        }
      </div>
    `;
  }

  private get code(): ScenarioCode | null {
    return this.querySelector<ScenarioCode>('scenario-code');
  }

  private discard(): void {
    if (this.opened === 'new') draft.set('');
    else keepText(this.opened, undefined);
    this.code?.focusText();
  }

  private duplicate(text: string): void {
    const names = this.resource.value?.library.map(({ name }) => name) ?? [];
    void openDraft(rename(text, unusedName(`${nameOf(text)}-copy`.slice(0, 60), names)));
  }

  /** Saves the text. Returns its name, or undefined if the sandbox rejected it. */
  private async save(): Promise<string | undefined> {
    const { text = '', opened } = this;
    // If the text has no name, the parser reports that together with all other mistakes.
    const name = nameOf(text) || 'unnamed';
    try {
      await save(name, text);
      this.saved = { name, text };
      const loaded = opened === name ? await loadText(name, chosenProject()) : undefined;
      const isOpen = this.shows(opened);
      if (loaded && isOpen) this.resource.set(loaded);
      forgetSaved(opened, name, text, isOpen);
      if (isOpen) choose({ view: '', from: '', edit: name });
      notice('good', `Saved ${name}.`);
      return name;
    } catch (error) {
      this.refuse('Not saved', text, error);
      return undefined;
    }
  }

  /** Saves and activates the text. A key cannot change the library, so it activates the text without that. */
  private async activate(project: string | undefined): Promise<void> {
    const { text = '' } = this;
    try {
      if (isOfKey()) return await activateText(project, text);
      const name = await this.save();
      if (name !== undefined) await activate(project, name);
    } catch (error) {
      this.refuse('Not activated', text, error);
    }
  }

  /** The list of mistakes says why, unless the reason is another one. */
  private refuse(what: string, text: string, error: unknown): void {
    this.refusal = { text, what };
    const issue = this.checker.issues?.find(({ severity }) => severity === 'error');
    if (issue) this.code?.show(issue);
    const isOther = error instanceof ApiError && error.errors.length === 0;
    if (isOther || (!issue && !this.checker.isChecking)) notice('bad', `${what}: ${toMessage(error)}`);
  }

  /** Whether the user has not left the scenario meanwhile. */
  private shows(opened: string): boolean {
    return this.isConnected && this.opened === opened;
  }

  /** Keeps the deleted text as a draft, so that nothing is lost: beside another draft, under its name. */
  private async deleteScenario(): Promise<void> {
    const { opened, text } = this;
    const done = `Deleted ${opened}. Its text is kept here as an unsaved scenario.`;
    if (!(await attempt(done, () => remove(opened)))) return;
    this.saved = undefined;
    if (draft.get() !== '') return keepText(opened, text);
    keepText(opened, undefined);
    draft.set(text ?? '');
    if (this.shows(opened)) choose({ edit: 'new' });
  }
}

const noOperations: LoadedHelp['operations'] = [];

customElements.define('scenario-editor', ScenarioEditor);
