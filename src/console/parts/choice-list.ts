/** A search field with choices below it: typing filters, arrow keys move, Enter chooses. It takes the focus. */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { PageElement } from '../element.ts';
import './choice-list.css';
import { type IconName, icon } from './icon.ts';
import type { TypedAhead } from './type-ahead.ts';

export interface Choice {
  readonly key: string;
  /** Choices of a group are shown below its title. */
  readonly group: string;
  readonly title: string;
  readonly icon: IconName;
  /** Further words that find the choice. */
  readonly words?: string;
  /** Text at the right: a count, or the keys of the action. */
  readonly hint?: string;
  readonly isCurrent?: boolean;
  readonly isDanger?: boolean;
  /** Shown, but not run. The hint says why. */
  readonly isDisabled?: boolean;
  readonly run: () => unknown;
}

/**
 * `<choice-list name=… label=… placeholder=… .choices=… .onText=… .onChoose=…>`: shows the choices in their order.
 * `onText` is called with each text, `onChoose` before a choice runs. Enter on the first choice waits for `whenListed`,
 * because better choices may still come. `.typed`: what the user typed before the list was there.
 */
class ChoiceList extends PageElement {
  static override properties = {
    name: {},
    label: {},
    placeholder: {},
    choices: { attribute: false },
    onText: { attribute: false },
    onChoose: { attribute: false },
    whenListed: { attribute: false },
    typed: { attribute: false },
    at: { state: true },
  };
  /** Unique in the page. */
  declare name: string;
  declare label: string;
  declare placeholder: string;
  declare choices: readonly Choice[];
  declare onText: (text: string) => void;
  declare onChoose: () => void;
  declare whenListed: (() => Promise<unknown>) | undefined;
  declare typed: TypedAhead | undefined;
  /** Index of the choice that Enter chooses, in the order of the page. */
  declare private at: number;
  private isEntered = false;
  private groups: readonly (readonly [title: string, members: readonly Choice[]])[] = [];

  constructor() {
    super();
    this.choices = [];
    this.at = 0;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('choices')) return;
    const titles = [...new Set(this.choices.map(({ group }) => group))];
    this.groups = titles.map((title) => [title, this.choices.filter(({ group }) => group === title)]);
    if (this.at >= this.choices.length) this.at = 0;
  }

  protected override firstUpdated(): void {
    const { field, typed } = this;
    field?.focus();
    if (!field || !typed) return;
    field.value = typed.text;
    this.onText(typed.text);
    if (typed.isEntered) void this.enter();
  }

  private get field(): HTMLInputElement | null {
    return this.querySelector('input');
  }

  protected override updated(changed: PropertyValues): void {
    if (changed.has('at')) this.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }

  protected override render(): TemplateResult {
    const { name, label, placeholder, choices, at, ordered } = this;
    return html`
      <div class="choose">
        ${icon('search')}
        <input role="combobox" aria-expanded="true" aria-controls=${`${name}-list`} aria-autocomplete="list" aria-label=${label}
          aria-activedescendant=${choices.length === 0 ? nothing : `${name}-${at}`} placeholder=${placeholder}
          autocomplete="off" spellcheck="false" @input=${this.type} @keydown=${this.move} />
      </div>
      <div class="choices" role="listbox" id=${`${name}-list`} aria-label=${label} tabindex="-1">
        ${this.groups.map(
          ([group, members]) => html`
            <div role="group" aria-label=${group}>
              <div class="group" aria-hidden="true">${group}</div>
              ${repeat(
                members,
                ({ key }) => key,
                (choice) => this.renderChoice(choice, ordered.indexOf(choice)),
              )}
            </div>
          `,
        )}
      </div>
      ${choices.length === 0 ? html`<p class="nothing quiet" role="status">No matches</p>` : nothing}
    `;
  }

  /** The choices in the order of the page. */
  private get ordered(): readonly Choice[] {
    return this.groups.flatMap(([, members]) => members);
  }

  private renderChoice(choice: Choice, index: number): TemplateResult {
    const { isDanger = false, isCurrent = false, isDisabled = false, hint } = choice;
    return html`
      <div role="option" id=${`${this.name}-${index}`} aria-selected=${index === this.at} aria-current=${isCurrent ? 'true' : nothing} aria-disabled=${isDisabled || nothing} class=${isDisabled ? 'quiet' : isDanger ? 'bad' : ''}
        @click=${() => this.run(choice)} @pointermove=${() => (this.at = index)}>
        ${icon(choice.icon)}<span class="title">${choice.title}</span>
        ${isCurrent ? icon('check') : nothing}
        ${hint === undefined ? nothing : html`<span class="hint quiet">${hint}</span>`}
      </div>
    `;
  }

  private type({ target }: Event): void {
    this.at = 0;
    if (target instanceof HTMLInputElement) this.onText(target.value);
  }

  private move(event: KeyboardEvent): void {
    const { key } = event;
    const count = this.choices.length;
    if (key === 'Enter') {
      event.preventDefault();
      void this.enter();
      return;
    }
    const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
    if (step === 0 || count === 0) return;
    event.preventDefault();
    this.at = (this.at + step + count) % count;
  }

  /** Runs the choice that is marked once all are listed, unless the user has typed on or left. */
  private async enter(): Promise<void> {
    if (this.isEntered) return;
    this.isEntered = true;
    const text = this.field?.value;
    if (this.at === 0) await this.whenListed?.();
    await this.updateComplete;
    this.isEntered = false;
    const choice = this.ordered[this.at];
    if (choice && this.isConnected && this.field?.value === text) this.run(choice);
  }

  private run(choice: Choice): void {
    if (choice.isDisabled) return;
    this.onChoose();
    choice.run();
  }
}

customElements.define('choice-list', ChoiceList);
