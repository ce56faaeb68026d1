/** Bodies with exactly one mistake: valid bodies, changed at one place, so that the schema defines the result. */
import fc from 'fast-check';
import type { Json } from '../../src/lib/json.ts';
import { type ApiDocument, resolve } from '../../src/openapi/document.ts';
import { isOfType } from '../model/fields.ts';
import { isMet, oddTexts } from './values.ts';

/**
 * `rejected`: the entry with the change, or the request; `ignored`: accepted with a warning, unless strict; `whole`: the
 * request is rejected.
 */
export type Fate = 'rejected' | 'ignored' | 'whole' | 'accepted';

export interface Mutant {
  readonly text: string;
  /** The path of the change in the body. */
  readonly place: readonly (string | number)[];
  readonly change: string;
  readonly fate: Fate;
  /** Number of warnings if it is accepted. */
  readonly warnings: number;
}

interface Spot {
  readonly place: readonly (string | number)[];
  readonly schema: Json;
  readonly value: unknown;
}

/** Replaces a value by another one, or by JSON that `JSON.stringify` cannot write. */
interface Change {
  readonly change: string;
  readonly fate: Fate;
  readonly warnings?: number;
  readonly value?: unknown;
  readonly json?: string;
}

/** Changes one place of a body. */
export function mutantsOf(document: ApiDocument, schema: Json, bodies: fc.Arbitrary<Json>): fc.Arbitrary<Mutant> {
  return bodies.chain((body) => {
    const spots = [...spotsOf(document, schema, body, [])];
    const all = spots.flatMap((spot) => changesOf(spot).map((change) => ({ ...change, place: spot.place })));
    const kinds = [...new Set(all.map(({ change }) => change))];
    // The kind is drawn first, because most changes are wrong types.
    return fc
      .constantFrom(...kinds)
      .chain((kind) => fc.constantFrom(...all.filter(({ change }) => change === kind)))
      .map(({ place, change, fate, warnings = fate === 'ignored' ? 1 : 0, ...what }) => ({
        ...{ text: write(body, place, what), place, change, fate, warnings },
      }));
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

type Rule = (spot: Spot) => readonly Change[];

const typesOf = (schema: Json): readonly string[] => [schema['type']].flat() as string[];

const wrongTypes: Rule = ({ schema }) =>
  [null, true, 7.5, 'text', ['text'], {}, '', []]
    .filter((value) => !typesOf(schema).some((type) => isOfType[type]?.(value)))
    .map((value) => ({ change: `wrong type ${JSON.stringify(value)}`, fate: 'rejected', value }));

const wrongEnums: Rule = ({ schema }) =>
  Array.isArray(schema['enum']) ? [{ change: 'wrong enum', fate: 'rejected', value: 'NO_SUCH' }] : [];

const textChanges: Rule = ({ schema, place }) => {
  if (schema['format'] === 'date-time') {
    const wrong = ['now', '2026-02-30T00:00:00Z', '2026-03-02', '2026-03-02T09:30:00', ''];
    return wrong.map((value) => ({ change: 'wrong timestamp', fate: 'rejected', value }));
  }
  if (schema['format'] === 'password') return [{ change: 'weak password', fate: 'rejected', value: 'Secret' }];
  if (!typesOf(schema).includes('string') || Array.isArray(schema['enum']) || !isOpen(place)) return [];
  const texts = oddTexts.map((value): Change => ({ change: 'odd text', fate: 'accepted', value }));
  return [{ change: 'long text', fate: 'accepted', value: 'é'.repeat(100_000) }, ...texts];
};

const numberChanges: Rule = ({ schema }) => {
  if (!typesOf(schema).some((type) => type === 'number' || type === 'integer')) return [];
  const infinite = ['1e999', '-1e999'].map((json): Change => ({ change: 'infinite number', fate: 'rejected', json }));
  const odd = ['-0', '1e-400', '0e9', '12300e-2'].map(
    (json): Change => ({ change: 'odd number', fate: 'accepted', json }),
  );
  return schema['minItems'] === undefined ? [...infinite, ...odd] : infinite;
};

const countChanges: Rule = ({ schema }) =>
  schema['minItems'] === undefined
    ? []
    : [[1], [1, 2, 3]].map((value) => ({ change: 'wrong count', fate: 'rejected', value }));

const depthChanges: Rule = () =>
  [102, 5000].flatMap((levels) =>
    ['['.repeat(levels) + ']'.repeat(levels), `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`].map(
      (json): Change => ({ change: `${levels} levels`, fate: 'whole', json }),
    ),
  );

/** Whether a text may change alone. Ids must match other ids. */
function isOpen(place: readonly (string | number)[]): boolean {
  const closed = ['id', 'username', 'subProjectId', 'projectId', 'access'];
  return !place.some((part) => closed.includes(String(part)));
}

const oddNames = [
  'zzz',
  'Status',
  '',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'a/b~c.d',
  '\u0000',
  '\ud800',
  '0',
];

const objectChanges: Rule = ({ schema, value }) => {
  if (!isOfType['object']?.(value)) return [];
  const fields = value as Json;
  const isFree = schema['properties'] === undefined;
  const required = (schema['required'] ?? []) as string[];
  const missing = required.map((name): Change => {
    const { [name]: _removed, ...rest } = fields;
    return { change: 'missing field', fate: 'rejected', value: rest };
  });
  const extra = oddNames.map((name): Change => {
    const longer = { ...fields };
    Object.defineProperty(longer, name, {
      value: { [isFree ? 'free' : 'polluted']: true },
      enumerable: true,
      configurable: true,
      writable: true,
    });
    if (isFree) return { change: 'free field', fate: 'accepted', value: longer };
    // A new password is no longer alone then.
    const condition = (schema['if'] ?? {}) as Json;
    const warnings = isMet(condition, longer) && !isMet(condition, fields) ? 2 : 1;
    return { change: 'extra field', fate: 'ignored', warnings, value: longer };
  });
  return [...missing, ...extra];
};

const rules: readonly Rule[] = [
  ...[wrongTypes, wrongEnums, textChanges, numberChanges, countChanges, depthChanges, objectChanges],
];

const changesOf = (spot: Spot): readonly Change[] => rules.flatMap((rule) => rule(spot));

const mark = 'replaced by JSON';

function write(
  body: Json,
  place: readonly (string | number)[],
  { value, json }: Pick<Change, 'value' | 'json'>,
): string {
  const text = JSON.stringify(replaced(body, place, json === undefined ? value : mark));
  return json === undefined ? text : text.replace(`"${mark}"`, () => json);
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
