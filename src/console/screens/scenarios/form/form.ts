/** The form of a scenario: shows the text as fields, and writes each change into the text. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Schemas } from '../../../data/client.ts';
import { PageElement } from '../../../element.ts';
import { icon } from '../../../parts/icon.ts';
import type { Active } from '../data.ts';
import { addRule, entryChanges, removeRule, requestChanges, setValues, toDuring, toMatcher } from './change-text.ts';
import { renderConditions } from './conditions.ts';
import { renderEffects } from './effects.ts';
import './form.css';
import type { Schema } from '../schema.ts';
import { part } from './part.ts';
import { type FieldTest, type RuleForm, readForm, type ScenarioForm } from './scenario-form.ts';
import { describeRule } from './sentence.ts';

type Changes = Parameters<typeof setValues> extends [string, ...infer Rest] ? Rest : never;

/** `<scenario-form .text=…>` dispatches `typed` with the next text. */
class ScenarioFormElement extends PageElement {
  static override properties = {
    text: { attribute: false },
    operations: { attribute: false },
    schema: { attribute: false },
    counts: { attribute: false },
  };
  declare text: string;
  declare operations: readonly Schemas['CatalogOperation'][];
  declare schema: Schema | undefined;
  /** The counts of the scenario's rules, if it is active. */
  declare counts: Active['rules'];

  constructor() {
    super();
    this.text = '';
    this.operations = [];
    this.counts = [];
  }

  protected override render(): TemplateResult {
    const form = readForm(this.text);
    if ('problem' in form) return html`<p class="note">${form.problem} The form returns when the text allows it.</p>`;
    return html`
      ${part('Name', html`<input type="text" size="1" class="path" aria-label="Name" .value=${form.name} autocomplete="off" spellcheck="false" @change=${({ target }: Event) => this.apply([['name'], (target as HTMLInputElement).value])} />`)}
      ${part('Description', html`<textarea rows="3" aria-label="Description" .value=${form.description} @change=${({ target }: Event) => this.apply([['description'], (target as HTMLTextAreaElement).value || undefined])}></textarea>`)}
      ${form.rules.map((rule, index) => this.renderRule(rule, index, form))}
      <div><button type="button" @click=${() => this.send(addRule(this.text))}>${icon('plus')}Add rule</button></div>
      ${form.others.length === 0 ? nothing : html`<p class="quiet">Only in the text, and kept: ${code(form.others)}.</p>`}
    `;
  }

  private renderRule(rule: RuleForm, index: number, { rules }: ScenarioForm): TemplateResult {
    const title = rule.name === '' ? `Rule ${index + 1}` : rule.name;
    return html`
      <section class="rule" aria-label=${title}>
        <div class="row">
          <h2>${title}</h2>
          ${this.renderCounts(rule.name === '' ? `rule ${index + 1}` : rule.name)}
          ${rules.length > 1 ? html`<button type="button" class="icon push" aria-label=${`Remove ${title}`} title="Remove" @click=${() => this.send(removeRule(this.text, index))}>${icon('trash')}</button>` : nothing}
        </div>
        <p class="sentence">${describeRule(rule)}</p>
        ${this.renderConditions(rule, index)}
        ${part('Effect', this.renderEffects(rule, index))}
        ${rule.others.length === 0 ? nothing : html`<p class="quiet">Only in the text, and kept: ${code(rule.others)}.</p>`}
      </section>
    `;
  }

  private renderCounts(name: string): TemplateResult | typeof nothing {
    const counts = this.counts.find(({ rule }) => rule === name);
    if (!counts) return nothing;
    const left = counts.left === 0 ? ', used up' : '';
    return html`<span class="chip ${counts.acted > 0 ? 'good' : 'quiet'}">fired ${counts.acted} of ${counts.met} matched${left}</span>`;
  }

  private renderConditions(rule: RuleForm, index: number): TemplateResult {
    const path = ['rules', index];
    return renderConditions({
      rule,
      name: `rule-${index}`,
      operations: this.operations,
      setOperation: (operation) => this.apply([[...path, 'when', 'operation'], operation || undefined]),
      setEntries: (entries) => this.apply(...entryChanges(path, entries)),
      setRequests: (requests) => this.apply(...requestChanges(path, requests)),
      setFields: (fields) => this.apply(...fieldChanges([...path, 'when', 'where'], rule.fields, fields)),
      setTimeSpan: (span) => this.apply([[...path, 'when', 'during'], span && toDuring(span)]),
      setChance: (chance) => this.apply([[...path, 'chance'], chance]),
    });
  }

  private renderEffects(rule: RuleForm, index: number): TemplateResult {
    const path = ['rules', index, 'then'];
    return renderEffects({
      rule,
      name: `rule-${index}`,
      operations: this.operations,
      schema: this.schema?.properties?.['rules']?.items?.properties?.['then'],
      replace: (effects) => this.apply(...effectChanges(path, rule.effects, effects)),
      set: (key, value) => this.apply([[...path, key], value]),
    });
  }

  /** Changes the text. A description that the form wrote follows the first rule. */
  private apply(...changes: Changes): void {
    const next = setValues(this.text, ...changes);
    const [before, after] = [readForm(this.text), readForm(next)];
    const [first, changed] = [before, after].map((form) => ('problem' in form ? undefined : form.rules[0]));
    const isOwn = first && changed && !('problem' in before) && before.description === describeRule(first);
    this.send(isOwn ? setValues(next, [['description'], describeRule(changed)]) : next);
  }

  private send(text: string): void {
    this.text = text;
    this.dispatchEvent(new CustomEvent('typed', { detail: text }));
  }
}

/** Sets the conditions that changed, and removes those whose path changed. */
function fieldChanges(
  path: readonly (string | number)[],
  before: readonly FieldTest[],
  after: readonly FieldTest[],
): Changes {
  const removed = before.filter((one) => !after.some((other) => other.path === one.path));
  const changed = after.filter((one) => !before.includes(one));
  return [
    ...changed.map((one) => [[...path, one.path], toMatcher(one)] as const),
    ...removed.map((one) => [[...path, one.path], undefined] as const),
  ];
}

function effectChanges(
  path: readonly (string | number)[],
  before: RuleForm['effects'],
  after: RuleForm['effects'],
): Changes {
  const removed = Object.keys(before).filter((key) => !(key in after));
  return [
    ...Object.entries(after).flatMap(([key, value]) =>
      before[key] === value ? [] : [[[...path, key], value] as const],
    ),
    ...removed.map((key) => [[...path, key], undefined] as const),
  ];
}

function code(paths: readonly string[]): readonly TemplateResult[] {
  return paths.map((path, index) => html`${index > 0 ? ', ' : ''}<code>${path}</code>`);
}

customElements.define('scenario-form', ScenarioFormElement);
