/** Arbitraries of the values that the documented tables of fields accept. */
import fc from 'fast-check';
import type { Json } from '../../src/lib/json.ts';
import type { Shape } from './documented-fields.ts';
import { isList } from './fields.ts';

/** Texts that often break programs: names of prototypes, parts of characters, markup, numbers. */
export const oddTexts: readonly string[] = [
  ...['', ' ', '\u0000', '\ud800', 'a\udfffb', '\ufeffa', '\u2028', '😀', 'é', '\u202e', '"', '\\', '/', '~1'],
  ...['__proto__', 'constructor', 'toString', 'null', 'NaN', '1e999', '%s', '<script>', "' OR 1=1", '%00'],
];

const text = fc.oneof(
  { weight: 3, arbitrary: fc.string({ maxLength: 12 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
  { weight: 1, arbitrary: fc.constantFrom(...oddTexts) },
);

const offset = fc.constantFrom('Z', 'z', '+00:00', '-11:30', '+14:00', '+0530');
const timestamp = fc
  .tuple(fc.integer({ min: 0, max: 4_102_444_800 }), fc.constantFrom('', '.5', '.123', '.123456789'), offset)
  .map(([seconds, fraction, zone]) => new Date(seconds * 1000).toISOString().slice(0, 19) + fraction + zone);

const password = text.map((word) => `${word}A!`);

/** Includes -0 and the smallest and largest numbers. */
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 5e-324, 1.797e308, 2 ** 53, 0.1),
);
const integer = fc.oneof(fc.maxSafeInteger(), fc.constantFrom(0, -0, 1e300, -1));

const position = fc.tuple(
  fc.double({ min: -180, max: 180, noNaN: true }),
  fc.double({ min: -90, max: 90, noNaN: true }),
);

const words: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  ...{ string: text, boolean: fc.boolean(), number, integer, timestamp, password, position },
  'date or timestamp': timestamp,
  identifier: text.filter((one) => one !== ''),
  subproject: text.filter((one) => one !== ''),
  language: fc.constantFrom('de', 'en', 'zh'),
  free: fc.dictionary(text, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
  'string or strings': fc.oneof(text, fc.array(text, { maxLength: 3 })),
};

/** Values that the tables of fields accept. */
export function valuesOf(shape: Shape): fc.Arbitrary<unknown> {
  if (typeof shape === 'string') return words[shape] ?? fc.constantFrom(...shape.split(' | '));
  if (isList(shape)) return fc.array(valuesOf(shape[0]), { maxLength: 3 });
  const { '(or null)': orNull, ...fields } = shape;
  // Half of all fields would make a long body of every job.
  const values = Object.entries(fields).map(([name, inner]) => [
    name.replace('!', ''),
    name.endsWith('!') ? valuesOf(inner) : fc.option(valuesOf(inner), { nil: undefined, freq: 2 }),
  ]);
  const object = fc.record(Object.fromEntries(values)).map(withoutAbsent);
  return orNull === undefined ? object : fc.oneof(object, fc.constant(null));
}

function withoutAbsent(value: Json): Json {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined));
}
