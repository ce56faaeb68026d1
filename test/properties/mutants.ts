/** Bodies with exactly one thing wrong: a valid one, changed at one place in a way of which the schema says what comes of it. */
import fc from 'fast-check';
import type { Json } from '../../src/lib/json.ts';
import { type ApiDocument, resolve } from '../../src/openapi/document.ts';
import { strangeTexts } from './values.ts';

/** `refused`: the entry it stands in, or all; `ignored`: taken with a warning, unless it is strict; `whole`: all is refused. */
export type Fate = 'refused' | 'ignored' | 'whole' | 'taken';

export interface Mutant {
  readonly text: string;
  /** Where it was changed, from the body on. */
  readonly place: readonly (string | number)[];
  readonly change: string;
  readonly fate: Fate;
}

interface Spot {
  readonly place: readonly (string | number)[];
  readonly schema: Json;
  readonly value: unknown;
}

/** What stands here becomes another value, or other JSON that no value can be written as. */
interface Change {
  readonly change: string;
  readonly fate: Fate;
  readonly value?: unknown;
  readonly written?: string;
}

/** One change of one place of a body. */
export function mutantsOf(document: ApiDocument, schema: Json, bodies: fc.Arbitrary<Json>): fc.Arbitrary<Mutant> {
  return bodies.chain((body) => {
    const spots = [...spotsOf(document, schema, body, [])];
    const all = spots.flatMap((spot) => changesOf(spot).map((change) => ({ ...change, place: spot.place })));
    const kinds = [...new Set(all.map(({ change }) => change))];
    // By kind first: else nearly all would be wrong types.
    return fc
      .constantFrom(...kinds)
      .chain((kind) => fc.constantFrom(...all.filter(({ change }) => change === kind)))
      .map(({ place, change, fate, ...what }) => ({ text: write(body, place, what), place, change, fate }));
  });
}

function* spotsOf(
  document: ApiDocument,
  reference: Json,
  value: unknown,
  place: readonly (string | number)[],
): Generator<Spot> {
  const schema = resolve(document, reference);
  yield { place, schema, value };
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      yield* spotsOf(document, schema['items'] as Json, item, [...place, index]);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries((schema['properties'] ?? {}) as Record<string, Json>)) {
    if (Object.hasOwn(value, name)) yield* spotsOf(document, inner, (value as Json)[name], [...place, name]);
  }
}

const ofTypes: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  null: (value) => value === null,
  array: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

function changesOf({ schema, value, place }: Spot): readonly Change[] {
  const types = [schema['type']].flat() as string[];
  const isText = types.includes('string') && !Array.isArray(schema['enum']);
  const isNumber = types.includes('number') || types.includes('integer');
  const isFree = schema['properties'] === undefined;
  const changes: Change[] = [null, true, 7.5, 'text', ['text'], {}, '', []]
    .filter((other) => !types.some((type) => ofTypes[type]?.(other)))
    .map((other) => ({ change: `wrong type ${JSON.stringify(other)}`, fate: 'refused' as const, value: other }));
  if (Array.isArray(schema['enum'])) changes.push({ change: 'wrong enum', fate: 'refused', value: 'NO_SUCH' });
  if (schema['format'] === 'date-time') {
    for (const wrong of ['now', '2026-02-30T00:00:00Z', '2026-03-02', '2026-03-02T09:30:00', '']) {
      changes.push({ change: 'wrong timestamp', fate: 'refused', value: wrong });
    }
  } else if (schema['format'] === 'password')
    changes.push({ change: 'weak password', fate: 'refused', value: 'Secret' });
  else if (isText && isOpen(place)) {
    changes.push({ change: 'long text', fate: 'taken', value: 'é'.repeat(100_000) });
    for (const strange of strangeTexts) changes.push({ change: 'strange text', fate: 'taken', value: strange });
  }
  if (isNumber) {
    for (const beyond of ['1e999', '-1e999'])
      changes.push({ change: 'beyond numbers', fate: 'refused', written: beyond });
    if (schema['minItems'] === undefined) {
      for (const odd of ['-0', '1e-400', '0e9', '12300e-2'])
        changes.push({ change: 'odd number', fate: 'taken', written: odd });
    }
  }
  if (schema['minItems'] !== undefined) {
    changes.push(
      { change: 'wrong count', fate: 'refused', value: [1] },
      { change: 'wrong count', fate: 'refused', value: [1, 2, 3] },
    );
  }
  for (const levels of [102, 5000]) {
    changes.push({ change: `${levels} levels`, fate: 'whole', written: '['.repeat(levels) + ']'.repeat(levels) });
    changes.push({
      change: `${levels} levels`,
      fate: 'whole',
      written: `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`,
    });
  }
  if (ofTypes['object']?.(value)) changes.push(...objectChanges(schema, value as Json, isFree));
  return changes;
}

/** Ids have to agree with what else there is; a change of them is no single one. */
function isOpen(place: readonly (string | number)[]): boolean {
  const closed = ['id', 'username', 'subProjectId', 'projectId', 'access'];
  return !place.some((part) => closed.includes(String(part)));
}

const odd = ['zzz', 'Status', '', '__proto__', 'constructor', 'hasOwnProperty', 'a/b~c.d', '\u0000', '\ud800', '0'];

function objectChanges(schema: Json, value: Json, isFree: boolean): readonly Change[] {
  const required = (schema['required'] ?? []) as string[];
  const missing = required.map((name): Change => {
    const { [name]: _gone, ...rest } = value;
    return { change: 'missing field', fate: 'refused', value: rest };
  });
  const extra = odd.map((name): Change => {
    const longer = { ...value };
    Object.defineProperty(longer, name, {
      value: { [isFree ? 'free' : 'polluted']: true },
      enumerable: true,
      configurable: true,
      writable: true,
    });
    return { change: isFree ? 'free field' : 'extra field', fate: isFree ? 'taken' : 'ignored', value: longer };
  });
  return [...missing, ...extra];
}

const mark = 'here stands what is written';

function write(
  body: Json,
  place: readonly (string | number)[],
  { value, written }: Pick<Change, 'value' | 'written'>,
): string {
  const text = JSON.stringify(replaced(body, place, written === undefined ? value : mark));
  return written === undefined ? text : text.replace(`"${mark}"`, () => written);
}

function replaced(value: unknown, [name, ...rest]: readonly (string | number)[], by: unknown): unknown {
  if (name === undefined) return by;
  if (Array.isArray(value)) return value.map((item, index) => (index === name ? replaced(item, rest, by) : item));
  const copy = { ...(value as Json) };
  Object.defineProperty(copy, name, {
    value: replaced(copy[name], rest, by),
    enumerable: true,
    configurable: true,
    writable: true,
  });
  return copy;
}
