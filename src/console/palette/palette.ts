/** The palette: every action and every id, by a few letters. */
import { html, nothing, type TemplateResult } from 'lit';
import { callApi, listAll, projectPath, type Schemas, toMessage } from '../data/client.ts';
import { readClock } from '../data/project-clock.ts';
import { ranked } from '../data/rank.ts';
import { PageElement } from '../element.ts';
import '../parts/choice-list.ts';
import type { Choice } from '../parts/choice-list.ts';
import { chosenProject } from '../parts/choose-project.ts';
import { icon } from '../parts/icon.ts';
import type { TypedAhead } from '../parts/type-ahead.ts';
import { actionsOf, type PaletteState } from './actions.ts';
import { showDialog } from './dialog.ts';
import './palette.css';
import { direct, search } from './search.ts';

/** How long the user pauses before the sandbox is asked. */
const pauseMs = 120;

/** How long Enter waits for what the sandbox finds. */
const maxWaitMs = 1500;

/** Projects and scenarios are only listed once a text finds them: there may be hundreds. */
const hiddenGroups: ReadonlySet<string> = new Set(['Switch project', 'Scenarios']);

class CommandPalette extends PageElement {
  static override properties = {
    close: { attribute: false },
    typed: { attribute: false },
    text: { state: true },
    found: { state: true },
    state: { state: true },
    errorText: { state: true },
  };
  declare close: () => void;
  declare typed: TypedAhead;
  declare private text: string;
  declare private found: readonly Choice[];
  declare private state: PaletteState | undefined;
  /** Why the search or the load of the scenarios failed. */
  declare private errorText: string;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private loading: Promise<void> | undefined;
  /** The search for the present text, once it has begun. */
  private answer: Promise<void> | undefined;

  constructor() {
    super();
    this.text = '';
    this.found = [];
    this.errorText = '';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.loading = loadState(chosenProject()).then(
      (state) => {
        this.state = state;
      },
      (error) => this.fail('Cannot load the scenarios', error),
    );
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.timer);
  }

  protected override render(): TemplateResult {
    const { text, found, close, typed, errorText } = this;
    const actions = actionsOf(this.state);
    // An id that was typed in full comes before the actions.
    const exact = found.filter(({ title }) => title.toLowerCase() === text.toLowerCase());
    const others = found.filter((one) => !exact.includes(one));
    const choices =
      text === ''
        ? actions.filter(({ group, isDisabled }) => !hiddenGroups.has(group) && !isDisabled)
        : [...exact, ...ranked(actions, text), ...others, ...direct(text, chosenProject())];
    return html`
      <choice-list name="palette" label="Search or run a command" placeholder="Search ids, or run a command…"
        .choices=${choices} .onText=${this.search} .onChoose=${close} .whenListed=${this.whenListed} .typed=${typed}></choice-list>
      ${errorText === '' ? nothing : html`<p class="failed bad" role="alert">${icon('circle-alert')}${errorText}</p>`}
      <footer><span><kbd>↑</kbd> <kbd>↓</kbd> move</span><span><kbd>Enter</kbd> run</span><span><kbd>Esc</kbd> close</span></footer>
    `;
  }

  private readonly search = (typed: string): void => {
    const text = typed.trim();
    this.text = text;
    this.answer = undefined;
    clearTimeout(this.timer);
    if (text === '') {
      this.found = [];
      return;
    }
    this.timer = setTimeout(() => this.ask(), pauseMs);
  };

  /** Asks the sandbox, once for a text. */
  private ask(): Promise<void> {
    clearTimeout(this.timer);
    this.answer ??= this.find(this.text);
    return this.answer;
  }

  private async find(text: string): Promise<void> {
    try {
      const found = await search(text, chosenProject());
      if (text === this.text) this.found = found;
      this.errorText = '';
    } catch (error) {
      this.fail('Cannot search', error);
    }
  }

  /** Waits until an id that was typed in full is found, and is the first choice. */
  private readonly whenListed = async (): Promise<void> => {
    const bound = new Promise((resolve) => setTimeout(resolve, maxWaitMs));
    await Promise.race([bound, Promise.all([this.loading, this.text === '' ? undefined : this.ask()])]);
    await this.updateComplete;
  };

  private fail(what: string, error: unknown): void {
    this.errorText = `${what}: ${toMessage(error)}`;
  }
}

customElements.define('command-palette', CommandPalette);

/** Reads the scenarios, and what the project has of them. */
async function loadState(project: string | undefined): Promise<PaletteState> {
  const [library, active, reading] = await Promise.all([
    listAll<Schemas['ScenarioSummary']>('/scenarios'),
    project === undefined ? undefined : callApi<Schemas['ActiveScenarios']>('GET', projectPath(project, '/scenarios')),
    project === undefined ? undefined : readClock(project),
  ]);
  return {
    scenarios: library.map(({ name }) => ({ name, isActive: active?.scenarios.includes(name) ?? false })),
    isFrozen: reading && reading.clock.mode === 'frozen',
  };
}

/** `typed`: what the user typed before the palette was loaded. */
export function showPalette(typed: TypedAhead): void {
  showDialog(
    'palette',
    'Commands',
    (close) => html`<command-palette .close=${close} .typed=${typed}></command-palette>`,
  );
}
