/** Infers a template from bodies: which parts are values that the sandbox knows, and which are always the same. */
import { isObject, type Json } from '../../lib/json.ts';
import { findMajority, toPatternText } from './exchange.ts';
import { kindOf, toShape } from './shape.ts';

/** A body, with the values that placeholders would have. */
export interface Sample {
  readonly body: unknown;
  /** Values by placeholder; undefined values are absent. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Values for each item of a list that a placeholder repeats. */
  readonly items: readonly Readonly<Record<string, unknown>>[];
}

/** Share of the samples that must confirm a placeholder. */
const minShare = 0.6;

/** Returns a template, or undefined if no sample exists. A value that varies otherwise gets a placeholder of its type. */
export function inferTemplate(samples: readonly Sample[], path = ''): unknown {
  const kind = findMajority(samples.map(({ body }) => kindOf(body)))?.value;
  const same = samples.filter(({ body }) => kindOf(body) === kind);
  const [first] = same;
  if (!first) return undefined;
  const placeholder = Object.keys(first.values).find((name) => isPlaceholder(name, same));
  if (placeholder !== undefined) return `{${placeholder}}`;
  if (isObject(first.body)) return inferObject(same, path);
  const item = kind === 'array' ? inferItem(same, path) : undefined;
  if (item !== undefined) return [item];
  const constant = findMajority(same.map(({ body }) => JSON.stringify(body)));
  if (constant && (kind === 'array' || constant.count === same.length)) return escapeTexts(JSON.parse(constant.value));
  return findText(same) ?? toStandIn(first, path);
}

/** Whether most bodies equal the values of a placeholder. Lists of mistakes are equal if they have the same shape. */
function isPlaceholder(name: string, samples: readonly Sample[]): boolean {
  const equal = samples.filter(({ body, values: { [name]: value } }) =>
    Array.isArray(body) ? body.length > 0 && toShape(body) === toShape(value) : body !== undefined && body === value,
  );
  return equal.length >= samples.length * minShare;
}

function inferObject(samples: readonly Sample[], path: string): Json {
  const bodies = samples.map(({ body }) => body as Json);
  const names = [...new Set(bodies.flatMap((body) => Object.keys(body)))];
  const fields = names.map((name) => {
    const having = samples.filter(({ body }) => Object.hasOwn(body as Json, name));
    return [
      name,
      inferTemplate(
        having.map((one) => ({ ...one, body: (one.body as Json)[name] })),
        `${path}/${name}`,
      ),
    ];
  });
  return Object.fromEntries(fields);
}

/** Infers the item of a list with one for each mistake. */
function inferItem(samples: readonly Sample[], path: string): unknown {
  const inner = samples.flatMap(({ body, items, values }): readonly Sample[] => {
    const list = body as readonly unknown[];
    if (list.length === 0 || list.length !== items.length) return [];
    return list.map((item, index) => ({ body: item, values: { ...values, ...items[index] }, items: [] }));
  });
  const item = inferTemplate(inner, `${path}/*`);
  return JSON.stringify(item)?.includes('{error.') ? item : undefined;
}

/** Returns a text with placeholders that equals most samples, such as `Error: {message}`. */
function findText(samples: readonly Sample[]): string | undefined {
  const texts = samples.flatMap(({ body, values }) => (typeof body === 'string' ? [replaceValues(body, values)] : []));
  const best = findMajority(texts);
  return best?.value.includes('{') && best.count >= samples.length * minShare ? best.value : undefined;
}

function replaceValues(text: string, values: Sample['values']): string {
  const names = new Map(
    Object.entries(values)
      .filter(([, value]) => (typeof value === 'string' && value.length > 1) || typeof value === 'number')
      .map(([name, value]) => [String(value), name]),
  );
  if (names.size === 0) return text;
  const ordered = [...names.keys()].toSorted((a, b) => b.length - a.length);
  return text.replace(new RegExp(ordered.map(toPatternText).join('|'), 'g'), (value) => `{${names.get(value)}}`);
}

const standIns: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/time|date|at$/i, 'timestamp'],
  [/request|trace|correlation|instance/i, 'requestId'],
  [/field|path|pointer|property|location/i, 'error.path'],
  [/code|type|kind|reason$/i, 'code'],
  [/title|name/i, 'title'],
  [/^id$/i, 'id'],
  [/./, 'error.message'],
  [/./, 'message'],
];

/** Returns a placeholder of the same type for values that no placeholder equals. */
function toStandIn({ body, values }: Sample, path: string): unknown {
  if (typeof body === 'number' && 'status' in values) return '{status}';
  const field = path.split('/').at(-1) ?? '';
  const found = standIns.find(([pattern, name]) => pattern.test(field) && name in values);
  return typeof body === 'string' && found ? `{${found[1]}}` : body;
}

/** Escapes braces of literal texts, which would be placeholders. */
function escapeTexts(value: unknown): unknown {
  const text = JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'string' ? inner.replace(/[{}]/g, '$&$&') : inner,
  );
  return JSON.parse(text);
}
