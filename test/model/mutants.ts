/** Bodies with exactly one mistake: valid bodies, changed at one place, so that the tables of fields define the result. */
import fc from 'fast-check';
import type { Json } from '../../src/lib/json.ts';
import type { OperationId } from '../../src/operations/index.ts';
import type { Asked } from './asked.ts';
import { type Shape, bodies as shapes } from './documented-fields.ts';
import { aDate, countWarnings, isList, isOfShape } from './fields.ts';
import { listOf } from './operations.ts';
import { oddTexts } from './values.ts';

/**
 * `rejected`: the entry with the change, or the request; `ignored`: accepted with a warning, unless strict; `whole`: the
 * request is rejected; `accepted`: the rules of `countWarnings` apply.
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
  readonly shape: Shape;
  readonly value: unknown;
}

/** Replaces a value by another one, or by JSON that `JSON.stringify` cannot write. */
interface Change {
  readonly change: string;
  readonly fate: Fate;
  readonly value?: unknown;
  readonly json?: string;
}

/** Changes one place of a body. */
export function mutantsOf({ id, bodies }: Asked): fc.Arbitrary<Mutant> {
  return bodies.chain((body) => {
    const spots = [...spotsOf(shapes[id] ?? {}, body, [])];
    const all = spots.flatMap((spot) => changesOf(spot).map((change) => ({ ...change, place: spot.place })));
    const kinds = [...new Set(all.map(({ change }) => change))];
    // The kind is drawn first, because most changes are wrong types.
    return fc
      .constantFrom(...kinds)
      .chain((kind) => fc.constantFrom(...all.filter(({ change }) => change === kind)))
      .map(({ place, change, fate, ...what }) => {
        const text = write(body, place, what);
        return { text, place, change, fate, warnings: countAll(id, text, fate) };
      });
  });
}

const isAccepted = (fate: Fate): boolean => fate === 'accepted' || fate === 'ignored';

/** Counts the ignored field, and the warnings about the fields beside it. */
function countAll(id: OperationId, text: string, fate: Fate): number {
  if (!isAccepted(fate)) return 0;
  const body = JSON.parse(text);
  return (fate === 'ignored' ? 1 : 0) + (hasEmptyList(body) ? 1 : 0) + countWarnings(id, body);
}

/** Whether a list of a body is empty, of which the sandbox warns. */
export function hasEmptyList(body: unknown): boolean {
  const lists = ['jobs', 'orders', 'routes', 'locations'].map((name) => (body as Record<string, unknown>)[name]);
  const { routes = [] } = body as { readonly routes?: readonly { readonly jobs?: unknown }[] };
  return [...lists, ...routes.map(({ jobs }) => jobs)].some((list) => Array.isArray(list) && list.length === 0);
}

function* spotsOf(shape: Shape, value: unknown, place: readonly (string | number)[]): Generator<Spot> {
  yield { place, shape, value };
  if (typeof shape === 'string' || value === null) return;
  if (isList(shape)) {
    for (const [index, item] of (value as readonly unknown[]).entries())
      yield* spotsOf(shape[0], item, [...place, index]);
    return;
  }
  for (const [field, inner] of Object.entries(shape)) {
    const name = field.replace('!', '');
    if (Object.hasOwn(value as Json, name)) yield* spotsOf(inner, (value as Json)[name], [...place, name]);
  }
}

type Rule = (spot: Spot) => readonly Change[];

const wrongTypes: Rule = ({ shape }) =>
  [null, true, 7.5, 'text', ['text'], {}, '', []]
    .filter((value) => !isOfShape(shape, value))
    .map((value) => ({ change: `wrong type ${JSON.stringify(value)}`, fate: 'rejected', value }));

/** Values of the right type. */
const wrongValues: Readonly<Record<string, readonly unknown[]>> = {
  timestamp: ['now', '2026-02-30T00:00:00Z', aDate, '2026-03-02T09:30:00', ''],
  'date or timestamp': ['now', '2026-02-30T00:00:00Z', '2026-03-02T09:30:00', ''],
  identifier: [''],
  password: ['Secret', 'secret!'],
  position: [[1], [1, 2, 3], ['1', 2]],
};

/** Values that are accepted with a warning. */
const unusualValues: Readonly<Record<string, string>> = {
  'date or timestamp': aDate,
  subproject: '',
  language: 'english',
};

const valueChanges: Rule = ({ shape }) => {
  const wrong = wrongValues[String(shape)] ?? (isEnum(shape) ? ['NO_SUCH'] : []);
  const rejected = wrong.map((value) => ({
    change: `wrong ${isEnum(shape) ? 'enum' : shape}`,
    fate: 'rejected' as const,
    value,
  }));
  const value = typeof shape === 'string' ? unusualValues[shape] : undefined;
  return value === undefined ? rejected : [...rejected, { change: `unusual ${shape}`, fate: 'ignored', value }];
};

const isEnum = (shape: Shape): boolean => typeof shape === 'string' && /^[A-Z]|\|/.test(shape);

const textChanges: Rule = ({ shape, place }) => {
  if ((shape !== 'string' && shape !== 'string or strings') || !isOpen(place)) return [];
  const texts = oddTexts.map((value): Change => ({ change: 'odd text', fate: 'accepted', value }));
  const long: Change = { change: 'long text', fate: 'accepted', value: 'é'.repeat(100_000) };
  const empty: Change = { change: 'empty list', fate: 'accepted', value: [] };
  return [long, ...texts, ...(shape === 'string' ? [] : [empty])];
};

const numberChanges: Rule = ({ shape }) => {
  const infinite = ['1e999', '-1e999'];
  if (shape === 'position')
    return infinite.map((json) => ({ change: 'infinite number', fate: 'rejected', json: `[${json},0]` }));
  if (shape !== 'number' && shape !== 'integer') return [];
  return [
    ...infinite.map((json): Change => ({ change: 'infinite number', fate: 'rejected', json })),
    ...['-0', '1e-400', '0e9', '12300e-2'].map((json): Change => ({ change: 'odd number', fate: 'accepted', json })),
  ];
};

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

const objectChanges: Rule = ({ shape, value }) => {
  if ((typeof shape === 'string' && shape !== 'free') || isList(shape) || value === null) return [];
  const fields = value as Json;
  const isFree = shape === 'free';
  const required = Object.keys(shape).flatMap((name) => (name.endsWith('!') ? [name.slice(0, -1)] : []));
  const missing = required.map((name): Change => {
    const { [name]: _removed, ...rest } = fields;
    return { change: 'missing field', fate: 'rejected', value: rest };
  });
  const [added, change, fate] = isFree
    ? (['free', 'free field', 'accepted'] as const)
    : (['polluted', 'extra field', 'ignored'] as const);
  // A computed name makes a field of `__proto__`, too.
  const extra = oddNames.map((name): Change => ({ change, fate, value: { ...fields, [name]: { [added]: true } } }));
  return [...missing, ...extra];
};

const rules: readonly Rule[] = [...[wrongTypes, valueChanges, textChanges, numberChanges, depthChanges, objectChanges]];

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
  const fields = value as Json;
  return { ...fields, [name]: replaced(fields[name], rest, by) };
}

/** Returns how much of a request the sandbox rejects because of a mutant: the request, an entry of its list, or nothing. */
export function toRejected(
  { id, listsFailures }: Asked,
  { place, fate, warnings }: Mutant,
  strict: boolean,
): 'all' | 'one' | 'none' {
  if (isAccepted(fate) && (warnings === 0 || !strict)) return 'none';
  return fate === 'whole' || !listsFailures || listOf(id) === undefined || place.length < 2 ? 'all' : 'one';
}
