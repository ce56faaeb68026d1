/** The conditions of a rule: operation, entries, requests, fields and probability. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Schemas } from '../../../data/client.ts';
import { icon } from '../../../parts/icon.ts';
import { renderEntries } from './entries.ts';
import { newField, renderFields } from './fields.ts';
import { wholeNumber } from './inputs.ts';
import { part } from './part.ts';
import { renderRequests } from './requests.ts';
import type { Entries, FieldTest, Requests, RuleForm, TimeSpan } from './scenario-form.ts';
import { newTimeSpan, renderTimeSpan } from './time-span.ts';

export interface ConditionsView {
  readonly rule: RuleForm;
  /** Unique in the page. */
  readonly name: string;
  readonly operations: readonly Schemas['CatalogOperation'][];
  readonly setOperation: (operation: string) => void;
  readonly setEntries: (entries: Entries) => void;
  readonly setRequests: (requests: Requests) => void;
  readonly setFields: (fields: readonly FieldTest[]) => void;
  readonly setTimeSpan: (span: TimeSpan | undefined) => void;
  readonly setChance: (chance: number | undefined) => void;
}

export function renderConditions(view: ConditionsView): TemplateResult {
  const { rule, name } = view;
  return html`
    ${part('Operation', renderOperation(view))}
    ${part('Entries', renderEntries({ entries: rule.entries, name: `${name}-entries`, set: view.setEntries }))}
    ${part('Requests', renderRequests({ requests: rule.requests, name: `${name}-requests`, set: view.setRequests }))}
    ${renderMore(view)}
  `;
}

function renderOperation({ rule, operations, setOperation }: ConditionsView): TemplateResult {
  const { operation } = rule;
  const names = operations.map((one) => one.operation);
  // A glob or a list stays as it is until another operation is chosen.
  const all = operation === '' || names.includes(operation) ? names : [operation, ...names];
  const choose = ({ target }: Event): void => setOperation((target as HTMLSelectElement).value);
  return html`
    <select aria-label="Operation" @change=${choose}>
      <option value="" ?selected=${operation === ''}>any operation</option>
      ${all.map((name) => html`<option value=${name} ?selected=${name === operation}>${name}</option>`)}
    </select>
  `;
}

function renderMore(view: ConditionsView): TemplateResult {
  const { rule, setFields, setTimeSpan, setChance } = view;
  const { fields, timeSpan, chance } = rule;
  const addField = (): void => setFields([...fields, newField(fields)]);
  return html`
    ${renderFields({ fields, set: setFields })}
    ${timeSpan ? renderTimeSpan(timeSpan, setTimeSpan) : nothing}
    ${
      chance === undefined
        ? nothing
        : part(
            'Probability',
            html`${wholeNumber('Probability in percent', Math.round(chance * 100), (percent) => percent && setChance(percent / 100))}
            <span class="quiet">%</span><button type="button" class="plain" @click=${() => setChance(undefined)}>Remove<span class="unseen"> probability</span></button>`,
          )
    }
    ${part(
      '',
      html`
        <button type="button" class="plain add" @click=${addField}>${icon('plus')}Field</button>
        ${timeSpan ? nothing : html`<button type="button" class="plain add" @click=${() => setTimeSpan(newTimeSpan)}>${icon('plus')}Time span</button>`}
        ${chance === undefined ? html`<button type="button" class="plain add" @click=${() => setChance(0.5)}>${icon('plus')}Probability</button>` : nothing}
      `,
    )}
  `;
}
