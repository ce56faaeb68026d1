/** Infers a template from bodies: which parts are values that the sandbox knows, and which are always the same. */

import type { Json } from '../../../lib/json.ts';
import { toShape } from '../compare/shape.ts';
import { countEach, isObject } from '../exchange.ts';

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
  const type = countEach(samples.map(({ body }) => kindOf(body)))[0]?.value;
  const same = samples.filter(({ body }) => kindOf(body) === type);
  const whole = findPlaceholder(same);
  if (whole !== undefined) return `{${whole}}`;
  if (type === 'object') return inferObject(same, path);
  if (type === 'array') return inferList(same, path);
  return same.length === 0 ? undefined : inferScalar(same, path);
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return value === null ? 'null' : typeof value;
}

/** Returns the placeholder whose values equal the bodies, at least in most samples. */
function findPlaceholder(samples: readonly Sample[]): string | undefined {
  const names = Object.keys(samples[0]?.values ?? {});
  const found = names
    .map((name) => {
      const known = samples.filter(({ values }) => values[name] !== undefined);
      const equal = known.filter(({ body, values }) => isEqual(body, values[name]));
      return { name, share: known.length === samples.length ? equal.length / samples.length : 0 };
    })
    .toSorted((a, b) => b.share - a.share);
  const [best] = found;
  return best && best.share >= minShare ? best.name : undefined;
}

/** Compares values. Lists of mistakes are equal if they have the same shape. */
function isEqual(body: unknown, value: unknown): boolean {
  if (typeof body !== 'object' || body === null) return body === value;
  return Array.isArray(body) && Array.isArray(value) && body.length > 0 && toShape(body) === toShape(value);
}

function inferObject(samples: readonly Sample[], path: string): Json {
  const template: Json = {};
  const names = new Set(samples.flatMap(({ body }) => (isObject(body) ? Object.keys(body) : [])));
  for (const name of names) {
    const having = samples.flatMap((sample) =>
      isObject(sample.body) && name in sample.body ? [{ ...sample, body: sample.body[name] }] : [],
    );
    template[name] = inferTemplate(having, `${path}/${name}`);
  }
  return template;
}

/** Infers a list with an item for each mistake, or a list that is always the same. */
function inferList(samples: readonly Sample[], path: string): unknown {
  const repeated = samples.filter(
    ({ body, items }) => Array.isArray(body) && body.length > 0 && body.length === items.length,
  );
  if (repeated.length >= samples.length * minShare) {
    const inner = repeated.flatMap(({ body, items, values }): readonly Sample[] =>
      (body as readonly unknown[]).map((item, index) => ({
        body: item,
        values: { ...values, ...items[index] },
        items: [],
      })),
    );
    const item = inferTemplate(inner, `${path}/*`);
    if (JSON.stringify(item)?.includes('{error.')) return [item];
  }
  const [majority] = countEach(samples.map(({ body }) => JSON.stringify(body)));
  return majority && escapeTexts(JSON.parse(majority.value));
}

function inferScalar(samples: readonly Sample[], path: string): unknown {
  const [first] = samples;
  if (samples.every(({ body }) => body === first?.body)) return escapeTexts(first?.body);
  return (typeof first?.body === 'string' ? findTextTemplate(samples) : undefined) ?? toStandIn(samples, path);
}

/** Returns a text with placeholders that equals most samples, such as `Error: {message}`. */
function findTextTemplate(samples: readonly Sample[]): string | undefined {
  const candidates = samples.slice(0, 20).map(({ body, values }) => replaceValues(String(body), values));
  const [best] = countEach(candidates.filter((text) => text.includes('{')));
  if (!best) return undefined;
  const equal = samples.filter(({ body, values }) => fill(best.value, values) === body);
  return equal.length >= samples.length * minShare ? best.value : undefined;
}

function replaceValues(text: string, values: Sample['values']): string {
  const known = Object.entries(values)
    .filter(([, value]) => (typeof value === 'string' && value.length > 1) || typeof value === 'number')
    .map(([name, value]) => [name, String(value)] as const)
    .toSorted(([, a], [, b]) => b.length - a.length);
  return known.reduce((result, [name, value]) => {
    // Placeholders that were put in are not replaced again.
    return result
      .split(/(\{[\w.]+\})/)
      .map((part) => (/^\{[\w.]+\}$/.test(part) ? part : part.replaceAll(value, `{${name}}`)))
      .join('');
  }, text);
}

function fill(template: string, values: Sample['values']): string {
  return template.replace(/\{([\w.]+)\}/g, (_whole, name: string) => String(values[name] ?? ''));
}

const standIns: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/time|date|at$/i, 'timestamp'],
  [/request|trace|correlation|instance/i, 'requestId'],
  [/field|path|pointer|property|location/i, 'error.path'],
  [/code|type|kind|reason$/i, 'code'],
  [/title|name/i, 'title'],
  [/(^|\/)id$/i, 'id'],
];

/** Returns a placeholder of the same type for values that no placeholder equals. */
function toStandIn(samples: readonly Sample[], path: string): unknown {
  const known = Object.keys(samples[0]?.values ?? {});
  const body = samples[0]?.body;
  if (typeof body === 'number' && known.includes('status')) return '{status}';
  if (typeof body !== 'string') return body;
  const name = path.split('/').at(-1) ?? '';
  const found = standIns.find(([pattern, placeholder]) => pattern.test(name) && known.includes(placeholder));
  if (found) return `{${found[1]}}`;
  return path.includes('*') && known.includes('error.message') ? '{error.message}' : '{message}';
}

/** Escapes braces of literal texts, which would be placeholders. */
function escapeTexts(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/[{}]/g, '$&$&');
  if (Array.isArray(value)) return value.map(escapeTexts);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, escapeTexts(inner)]));
}
