/** The palette: every action and every id, by a few letters. */
import { html, nothing, type TemplateResult } from 'lit';
import { toMessage } from '../data/client.ts';
import { ranked } from '../data/rank.ts';
import { PageElement } from '../element.ts';
import '../parts/choice-list.ts';
import type { Choice } from '../parts/choice-list.ts';
import { chosenProject } from '../parts/choose-project.ts';
import { icon } from '../parts/icon.ts';
import { readActive, readLibrary } from '../screens/scenarios/data.ts';
import { actionsOf, type ScenarioState } from './actions.ts';
import { showDialog } from './dialog.ts';
import './palette.css';
import { direct, search } from './search.ts';

/** How long the user pauses before the sandbox is asked. */
const pauseMs = 120;

/** Projects and scenarios are only listed once a text finds them: there may be hundreds. */
const hiddenGroups: ReadonlySet<string> = new Set(['Switch project', 'Scenarios']);

class CommandPalette extends PageElement {
  static override properties = {
    close: { attribute: false },
    text: { state: true },
    found: { state: true },
    scenarios: { state: true },
    errorText: { state: true },
  };
  declare close: () => void;
  declare private text: string;
  declare private found: readonly Choice[];
  declare private scenarios: readonly ScenarioState[] | undefined;
  /** Why the search or the load of the scenarios failed. */
  declare private errorText: string;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super();
    this.text = '';
    this.found = [];
    this.errorText = '';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    const project = chosenProject();
    if (project === undefined) return;
    Promise.all([readLibrary(), readActive(project)]).then(
      ([library, { scenarios }]) => {
        this.scenarios = library.map(({ name }) => ({ name, isActive: scenarios.includes(name) }));
      },
      (error) => this.fail('Cannot load the scenarios', error),
    );
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.timer);
  }

  protected override render(): TemplateResult {
    const { text, found, close, errorText } = this;
    const actions = actionsOf(this.scenarios);
    // An id that was typed in full comes before the actions.
    const exact = found.filter(({ title }) => title.toLowerCase() === text.toLowerCase());
    const others = found.filter((one) => !exact.includes(one));
    const choices =
      text === ''
        ? actions.filter(({ group }) => !hiddenGroups.has(group))
        : [...exact, ...ranked(actions, text), ...others, ...direct(text, chosenProject())];
    return html`
      <choice-list name="palette" label="Search or run a command" placeholder="Search ids, or run a command…"
        .choices=${choices} .onText=${this.search} .onChoose=${close}></choice-list>
      ${errorText === '' ? nothing : html`<p class="failed bad" role="alert">${icon('circle-alert')}${errorText}</p>`}
      <footer><span><kbd>↑</kbd> <kbd>↓</kbd> move</span><span><kbd>Enter</kbd> run</span><span><kbd>Esc</kbd> close</span></footer>
    `;
  }

  private readonly search = (typed: string): void => {
    const text = typed.trim();
    this.text = text;
    clearTimeout(this.timer);
    if (text === '') {
      this.found = [];
      return;
    }
    this.timer = setTimeout(async () => {
      try {
        const found = await search(text, chosenProject());
        if (text === this.text) this.found = found;
        this.errorText = '';
      } catch (error) {
        this.fail('Cannot search', error);
      }
    }, pauseMs);
  };

  private fail(what: string, error: unknown): void {
    this.errorText = `${what}: ${toMessage(error)}`;
  }
}

customElements.define('command-palette', CommandPalette);

export function showPalette(): void {
  showDialog('palette', 'Commands', (close) => html`<command-palette .close=${close}></command-palette>`);
}
