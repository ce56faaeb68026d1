/** Templates: JSON values with placeholders, parsed once and filled many times. */

/** Values by placeholder, such as `message`; an undefined value is absent. */
export type TemplateValues = Readonly<Record<string, unknown>>;

/** The items that a list repeats, by the name in front of the dot: `error` for `{error.path}`. */
export type TemplateItems = Readonly<Record<string, readonly TemplateValues[] | undefined>>;

/** A parsed template. */
export type Template =
  | { readonly kind: 'constant'; readonly value: unknown }
  | { readonly kind: 'value'; readonly name: string }
  | { readonly kind: 'text'; readonly parts: readonly TextPart[] }
  | { readonly kind: 'object'; readonly fields: readonly (readonly [key: string, field: Template])[] }
  | { readonly kind: 'list'; readonly items: readonly Template[] }
  | { readonly kind: 'repeat'; readonly over: string; readonly item: Template };

/** A literal text, or a placeholder. */
export type TextPart = string | { readonly name: string };

/** A mistake in a template: where it is, and the placeholder that is unknown or the text that is no placeholder. */
export interface TemplateMistake {
  readonly path: readonly (string | number)[];
  readonly kind: 'unknown' | 'brace';
  readonly name: string;
}

/** Placeholders, escaped braces, and braces that are neither. */
const tokens = /\{\{|\}\}|\{([^{}]*)\}|[{}]/g;

/** Parses a JSON value. A text that is no placeholder stays as it is; `findMistakes` reports it. */
export function parseTemplate(value: unknown): Template {
  if (typeof value === 'string') return parseText(value);
  if (typeof value !== 'object' || value === null) return { kind: 'constant', value };
  if (!Array.isArray(value)) {
    const fields = Object.entries(value).map(([key, field]) => [key, parseTemplate(field)] as const);
    const template = { kind: 'object', fields } as const;
    return fields.every(([, { kind }]) => kind === 'constant') ? toConstant(template) : template;
  }
  const items = value.map(parseTemplate);
  if (items.every(({ kind }) => kind === 'constant')) return toConstant({ kind: 'list', items });
  const [first] = items;
  const over = items.length === 1 ? itemNameIn(value) : undefined;
  return first && over !== undefined ? { kind: 'repeat', over, item: first } : { kind: 'list', items };
}

/** Fills a template without placeholders. */
function toConstant(template: Template): Template {
  return { kind: 'constant', value: fillTemplate(template, {}) };
}

function parseText(text: string): Template {
  const parts = toParts(text);
  const [first] = parts;
  if (parts.length === 1 && typeof first === 'object') return { kind: 'value', name: first.name };
  return parts.some((part) => typeof part === 'object')
    ? { kind: 'text', parts }
    : { kind: 'constant', value: parts.join('') };
}

/** Splits a text at its placeholders. `{{` and `}}` are literal braces. */
function toParts(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let literal = '';
  let end = 0;
  for (const match of text.matchAll(tokens)) {
    const [token, name] = match;
    literal += text.slice(end, match.index);
    end = match.index + token.length;
    if (name === undefined) literal += token[0];
    else {
      if (literal !== '') parts.push(literal);
      literal = '';
      parts.push({ name });
    }
  }
  literal += text.slice(end);
  return literal === '' && parts.length > 0 ? parts : [...parts, literal];
}

/** Returns the name in front of the dot of the first placeholder that has one. */
function itemNameIn(value: unknown): string | undefined {
  return placeholdersOf(value)
    .find((name) => name.includes('.'))
    ?.split('.')[0];
}

/** Returns the placeholders of a JSON value, in order. */
export function placeholdersOf(value: unknown): readonly string[] {
  return findMistakes(value, []).flatMap(({ kind, name }) => (kind === 'unknown' ? [name] : []));
}

/** Returns all unknown placeholders and single braces of a JSON value. */
export function findMistakes(
  value: unknown,
  known: readonly string[],
  path: readonly (string | number)[] = [],
): readonly TemplateMistake[] {
  if (typeof value === 'string') {
    return [...value.matchAll(tokens)].flatMap(([token, name]): readonly TemplateMistake[] => {
      if (name !== undefined) return known.includes(name) ? [] : [{ path, kind: 'unknown', name }];
      return token.length === 1 ? [{ path, kind: 'brace', name: token }] : [];
    });
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => findMistakes(item, known, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, field]) => findMistakes(field, known, [...path, key]));
}

/** Fills a template. Returns undefined if a placeholder of a text, or the whole value, is absent. */
export function fillTemplate(template: Template, values: TemplateValues, items: TemplateItems = {}): unknown {
  switch (template.kind) {
    case 'constant':
      return template.value;
    case 'value':
      return readValue(template.name, values, items);
    case 'text':
      return fillText(template.parts, values, items);
    case 'object': {
      const filled: Record<string, unknown> = {};
      for (const [key, field] of template.fields) {
        const value = fillTemplate(field, values, items);
        if (value !== undefined) filled[key] = value;
      }
      return filled;
    }
    case 'list':
      return template.items.map((item) => fillTemplate(item, values, items)).filter((item) => item !== undefined);
    case 'repeat':
      return items[template.over]
        ?.map((one) => fillTemplate(template.item, values, { ...items, [template.over]: [one] }))
        .filter((item) => item !== undefined);
    default:
      return template satisfies never;
  }
}

/** Returns a value; outside a repeated list, `{error.path}` is that of the first item. */
function readValue(name: string, values: TemplateValues, items: TemplateItems): unknown {
  const dot = name.indexOf('.');
  return dot < 0 ? values[name] : items[name.slice(0, dot)]?.[0]?.[name.slice(dot + 1)];
}

function fillText(parts: readonly TextPart[], values: TemplateValues, items: TemplateItems): string | undefined {
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') text += part;
    else {
      const value = readValue(part.name, values, items);
      if (value === undefined) return undefined;
      text += typeof value === 'string' ? value : JSON.stringify(value);
    }
  }
  return text;
}

/** Parses and fills a text of placeholders, such as a header; an absent value makes it undefined. */
export function createText(text: string): (values: TemplateValues, items?: TemplateItems) => string | undefined {
  const parts = toParts(text);
  return (values, items = {}) => fillText(parts, values, items);
}
