/** Conditions on fields of the body and on headers. */
import { html, type TemplateResult } from 'lit';
import { parse } from 'yaml';
import { part } from './part.ts';
import { type FieldTest, fieldTestKinds } from './scenario-form.ts';

export interface FieldsView {
  readonly fields: readonly FieldTest[];
  readonly set: (fields: readonly FieldTest[]) => void;
}

export function renderFields(view: FieldsView): readonly TemplateResult[] {
  return view.fields.map((field, index) => renderField(field, index, view));
}

/** Returns a condition for a field that has none yet. */
export function newField(fields: readonly FieldTest[]): FieldTest {
  return { path: fields.length === 0 ? 'status' : `field${fields.length + 1}`, test: 'is', value: '*' };
}

const testLabels: Readonly<Record<FieldTest['test'], string>> = {
  is: 'is',
  matches: 'matches',
  exists: 'exists',
  gt: '>',
  gte: '≥',
  lt: '<',
  lte: '≤',
};

function renderField(field: FieldTest, index: number, { fields, set }: FieldsView): TemplateResult {
  const replace = (next: Partial<FieldTest> | undefined): void =>
    set(fields.flatMap((other, at) => (at !== index ? [other] : next ? [{ ...other, ...next }] : [])));
  const value = ({ target }: Event): string => (target as HTMLInputElement | HTMLSelectElement).value;
  return part(
    'Field',
    html`
      <input type="text" size="1" class="path" aria-label="Path of the field" .value=${field.path} @change=${(event: Event) => value(event) && replace({ path: value(event) })} />
      <select aria-label="Test of the field" @change=${(event: Event) => replace(toTest(value(event), field.value))}>
        ${fieldTestKinds.map((kind) => html`<option value=${kind} ?selected=${kind === field.test}>${testLabels[kind]}</option>`)}
      </select>
      <input type="text" size="1" class="path" aria-label="Value of the field" .value=${showScalar(field.value)} @change=${(event: Event) => replace({ value: readScalar(value(event)) })} />
      <button type="button" class="plain" @click=${() => replace(undefined)}>Remove<span class="unseen"> field ${field.path}</span></button>
    `,
  );
}

/** A test keeps the value only if it fits. */
function toTest(text: string, value: unknown): Partial<FieldTest> {
  const test = fieldTestKinds.find((kind) => kind === text) ?? 'is';
  if (test === 'exists') return { test, value: true };
  const isNumeric = test !== 'is' && test !== 'matches';
  return { test, value: isNumeric && typeof value !== 'number' ? 0 : typeof value === 'boolean' ? '*' : value };
}

/** Shows a text that looks like another value in quotes. */
function showScalar(value: unknown): string {
  if (typeof value !== 'string') return String(value);
  return readScalar(value) === value ? value : JSON.stringify(value);
}

function readScalar(text: string): unknown {
  try {
    const value: unknown = parse(text);
    return typeof value === 'object' && value !== null ? text : value;
  } catch {
    return text;
  }
}
