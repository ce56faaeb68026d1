/** A form that is made from a schema of the control API, with the errors of the sandbox at their fields. */
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { ApiError, type Schemas, toMessage } from '../api.ts';
import { useApi } from '../use-api.ts';
import { Code, ErrorNote, Loading, submitOnce } from './small.tsx';

/** The part of JSON Schema that forms show. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly writeOnly?: boolean;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface ControlDocument {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

type Values = Readonly<Record<string, unknown>>;

interface SchemaFormProps {
  /** The schema of the request body. */
  readonly of: keyof Schemas;
  /** Only these fields, in this order. Default: all. */
  readonly fields?: readonly string[];
  /** The values at first. */
  readonly values?: Values;
  readonly submit: string;
  /** Throws the error of the sandbox. */
  readonly save: (values: Values) => Promise<unknown>;
  /** Further buttons. */
  readonly children?: ComponentChildren;
}

export function SchemaForm({ of, fields, values = {}, submit, save, children }: SchemaFormProps) {
  const loaded = useApi<ControlDocument>('/control.json');
  const document = loaded.value;
  const [errors, setErrors] = useState<ReadonlyMap<string, string>>(new Map());
  if (!document) return <Loading of={loaded} rows={3} />;
  const { properties = {}, required = [] } = resolve(document, { $ref: `#/components/schemas/${of}` });
  const shown = (fields ?? Object.keys(properties)).map((name) => ({
    name,
    schema: resolve(document, properties[name] ?? {}),
  }));
  const send = async (form: HTMLFormElement): Promise<void> => {
    try {
      await save(readValues(new FormData(form), shown, values));
      setErrors(new Map());
      for (const { name } of shown.filter(({ schema }) => schema.writeOnly)) clearField(form, name);
    } catch (error) {
      const placed = placeErrors(error, shown);
      setErrors(placed);
      const [first] = shown.filter(({ name }) => placed.has(name));
      form.querySelector<HTMLElement>(`[name="${first?.name}"]`)?.focus();
    }
  };
  return (
    <form class="card column" noValidate onSubmit={(event) => submitOnce(event, send)}>
      {shown.map(({ name, schema }) => (
        <Field
          key={name}
          name={name}
          schema={schema}
          value={values[name]}
          isRequired={required.includes(name)}
          error={errors.get(name)}
        />
      ))}
      <ErrorNote text={errors.get('') ?? ''} />
      <div class="row">
        <button type="submit" class="main">
          {submit}
        </button>
        {children}
      </div>
    </form>
  );
}

function resolve({ components }: ControlDocument, { $ref, ...schema }: Schema): Schema {
  return { ...components.schemas[$ref?.split('/').at(-1) ?? ''], ...schema };
}

interface NamedSchema {
  readonly name: string;
  readonly schema: Schema;
}

/** Reads the typed values. Texts that are empty are left out if they were: secrets, too, which are not shown. */
function readValues(form: FormData, fields: readonly NamedSchema[], before: Values): Values {
  const values = fields.map(({ name, schema }) => {
    const text = String(form.get(name) ?? '').trim();
    if (schema.type === 'boolean') return [name, form.get(name) !== null];
    if (schema.type === 'integer' || schema.type === 'number') return [name, text === '' ? undefined : Number(text)];
    return [name, text === '' && (before[name] ?? '') === '' ? undefined : text];
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function clearField(form: HTMLFormElement, name: string): void {
  const field = form.elements.namedItem(name);
  if (field instanceof HTMLInputElement) field.value = '';
}

/** Returns the errors by field. Those without a field of the form are under an empty name. */
function placeErrors(error: unknown, fields: readonly NamedSchema[]): ReadonlyMap<string, string> {
  const errors = error instanceof ApiError ? error.errors : [];
  if (errors.length === 0) return new Map([['', toMessage(error)]]);
  return new Map(
    errors.map(({ path, message }) => {
      const name = fields.find((one) => path === `/${one.name}` || path.startsWith(`/${one.name}/`))?.name;
      return name === undefined ? ['', `${path} ${message}`] : [name, message];
    }),
  );
}

interface FieldProps extends NamedSchema {
  readonly value: unknown;
  readonly isRequired: boolean;
  readonly error: string | undefined;
}

function Field({ name, schema, value, isRequired, error }: FieldProps) {
  const id = useId();
  const { title = name, description = '', type } = schema;
  const about = { 'aria-invalid': error !== undefined, 'aria-describedby': `${id}-hint ${id}-error` };
  const isBoolean = type === 'boolean';
  const control = <Control id={id} name={name} schema={schema} value={value} isRequired={isRequired} about={about} />;
  return (
    <div class="form-field">
      <label class={isBoolean ? '' : 'field'} for={id}>
        {isBoolean && control} {title}
      </label>
      {!isBoolean && control}
      <p class="quiet small" id={`${id}-hint`}>
        <Code text={description} />
      </p>
      <p class="bad small" role="alert" id={`${id}-error`}>
        {error}
      </p>
    </div>
  );
}

interface ControlProps extends Omit<FieldProps, 'error'> {
  readonly id: string;
  readonly about: { readonly 'aria-invalid': boolean; readonly 'aria-describedby': string };
}

function Control({ id, name, schema, value, isRequired, about }: ControlProps) {
  const { type, minimum, maximum, writeOnly } = schema;
  if (type === 'boolean')
    return <input id={id} name={name} type="checkbox" defaultChecked={value === true} {...about} />;
  if (schema.enum) {
    return (
      <select id={id} name={name} {...about}>
        {!isRequired && <option value="" />}
        {schema.enum.map((one) => (
          <option key={one} selected={one === value}>
            {one}
          </option>
        ))}
      </select>
    );
  }
  const common = { id, name, required: isRequired, defaultValue: String(value ?? ''), spellcheck: false, ...about };
  if (type === 'integer' || type === 'number')
    return <input {...common} type="number" min={minimum} max={maximum} step={type === 'integer' ? 1 : 'any'} />;
  if (writeOnly) return <input {...common} type="password" autocomplete="new-password" />;
  return <input {...common} type="text" autocomplete="off" />;
}
