/** Renders a field for a value, as its JSON Schema describes it. */
import { html, type TemplateResult } from 'lit';
import type { Schema } from '../schema.ts';

export interface SchemaField {
  readonly label: string;
  readonly schema: Schema;
  readonly value: unknown;
  /** Undefined removes the value. */
  readonly set: (value: unknown) => void;
}

type Values = Readonly<Record<string, unknown>>;

export function schemaField(field: SchemaField): TemplateResult {
  const { schema } = field;
  if (schema.anyOf && schema.type === undefined) return oneOf(field, schema.anyOf);
  if (schema.enum) return select(field, schema.enum);
  if (schema.type === 'boolean') return checkbox(field);
  if (schema.type === 'integer' || schema.type === 'number') return numberInput(field);
  if (schema.properties) return group(field, schema.properties);
  if (schema.type === 'object') return headersInput(field);
  if (schema.type === 'string') return textInput(field);
  return anyInput(field);
}

function labelled({ label, schema }: SchemaField, control: TemplateResult, className = ''): TemplateResult {
  return html`<label class="field ${className}" title=${schema.description ?? ''}><span>${label}</span>${control}</label>`;
}

function textInput(field: SchemaField): TemplateResult {
  const input = ({ target }: Event): void => field.set((target as HTMLInputElement).value || undefined);
  const isDuration = field.schema.pattern?.includes('ms|s|m') ?? false;
  return labelled(
    field,
    html`<input type="text" size="1" .value=${String(field.value ?? '')} placeholder=${isDuration ? '2s' : ''} autocomplete="off" @input=${input} />`,
    isDuration ? 'short' : 'long',
  );
}

function numberInput(field: SchemaField): TemplateResult {
  const { schema, value } = field;
  const input = ({ target }: Event): void => {
    const { valueAsNumber } = target as HTMLInputElement;
    field.set(Number.isNaN(valueAsNumber) ? undefined : valueAsNumber);
  };
  return labelled(
    field,
    html`<input type="number" min=${schema.minimum ?? 0} .value=${String(value ?? '')} @change=${input} />`,
    'short',
  );
}

function select(field: SchemaField, options: readonly string[]): TemplateResult {
  const choose = ({ target }: Event): void => field.set((target as HTMLSelectElement).value || undefined);
  return labelled(
    field,
    html`
      <select @change=${choose}>
        <option value="" ?selected=${field.value === undefined}>–</option>
        ${options.map((option) => html`<option value=${option} ?selected=${option === field.value}>${option}</option>`)}
      </select>
    `,
    'short',
  );
}

function checkbox({ label, schema, value, set }: SchemaField): TemplateResult {
  const toggle = ({ target }: Event): void => set((target as HTMLInputElement).checked || undefined);
  return html`<label class="check" title=${schema.description ?? ''}><input type="checkbox" .checked=${value === true} @change=${toggle} />${label}</label>`;
}

function group({ value, set }: SchemaField, properties: Readonly<Record<string, Schema>>): TemplateResult {
  const values = (typeof value === 'object' && value !== null ? value : {}) as Values;
  const replace = (key: string, next: unknown): void => {
    const { [key]: _, ...others } = values;
    set(next === undefined ? others : { ...values, [key]: next });
  };
  return html`${Object.entries(properties).map(([key, schema]) =>
    schemaField({ label: titleOf(key), schema, value: values[key], set: (next) => replace(key, next) }),
  )}`;
}

/** A value of one of several shapes, such as a fixed and a random delay. */
function oneOf(field: SchemaField, shapes: readonly Schema[]): TemplateResult {
  const { label, value, set } = field;
  const at = Math.max(
    0,
    shapes.findIndex((shape) => fits(value, shape)),
  );
  const shape = shapes[at];
  const choose = ({ target }: Event): void => {
    const keys = Object.keys(shapes[(target as HTMLSelectElement).selectedIndex]?.properties ?? {});
    set(keys.length === 0 ? '2s' : Object.fromEntries(keys.map((key, index) => [key, index === 0 ? '200ms' : '2s'])));
  };
  return html`
    ${labelled(
      { ...field, label: 'Kind' },
      html`<select @change=${choose}>${shapes.map(({ properties }, index) => {
        const name = properties ? Object.keys(properties).join(' and ') : 'fixed';
        return html`<option ?selected=${index === at}>${name}</option>`;
      })}</select>`,
      'short',
    )}
    ${shape === undefined ? '' : schemaField({ label, schema: shape, value, set })}
  `;
}

function fits(value: unknown, { properties }: Schema): boolean {
  if (typeof value !== 'object' || value === null) return properties === undefined;
  return Object.keys(value).some((key) => properties?.[key] !== undefined);
}

/** One header per line. */
function headersInput(field: SchemaField): TemplateResult {
  const headers = Object.entries((field.value ?? {}) as Values);
  const change = ({ target }: Event): void => {
    const lines = (target as HTMLTextAreaElement).value
      .split('\n')
      .map((line) => /^\s*([^:\s]+)\s*:\s*(.*)$/.exec(line));
    const pairs = lines.flatMap((found) => (found ? [[found[1], found[2]]] : []));
    field.set(pairs.length === 0 ? undefined : Object.fromEntries(pairs));
  };
  const text = headers.map(([name, value]) => `${name}: ${value}`).join('\n');
  return labelled(
    field,
    html`<textarea rows=${Math.max(1, headers.length)} placeholder="retry-after: 30" .value=${text} @change=${change}></textarea>`,
    'long',
  );
}

/** Any value: a text, or JSON if it begins with a bracket. */
function anyInput(field: SchemaField): TemplateResult {
  const { value } = field;
  const text = value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  const change = ({ target }: Event): void => field.set(readAny((target as HTMLTextAreaElement).value));
  return labelled(
    field,
    html`<textarea rows=${text.length > 60 ? 3 : 1} placeholder="default of the status" .value=${text} @change=${change}></textarea>`,
    'long',
  );
}

function readAny(text: string): unknown {
  if (text === '') return undefined;
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export function titleOf(key: string): string {
  return key.replace(/^./, (letter) => letter.toUpperCase());
}
