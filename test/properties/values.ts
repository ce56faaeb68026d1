/** Arbitraries of the values that a schema of the API's document accepts: its types, enums, formats and conditions. */
import fc from 'fast-check';
import type { Json } from '../../src/lib/json.ts';
import { type ApiDocument, resolve } from '../../src/openapi/document.ts';

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

/** Values that the schema accepts, without a warning. */
export function valuesOf(document: ApiDocument, schema: Json): fc.Arbitrary<unknown> {
  const known = new Map<Json, fc.Arbitrary<unknown>>();
  const of = (reference: Json): fc.Arbitrary<unknown> => {
    const named = resolve(document, reference);
    const ready = known.get(named) ?? build(named);
    known.set(named, ready);
    return ready;
  };

  function build(named: Json): fc.Arbitrary<unknown> {
    if (Array.isArray(named['enum'])) return fc.constantFrom(...(named['enum'] as unknown[]));
    const types = [named['type']].flat() as string[];
    return fc.oneof(...types.map((type) => ofType(type, named)));
  }

  function ofType(type: string, named: Json): fc.Arbitrary<unknown> {
    switch (type) {
      case 'string':
        if (named['format'] === 'date-time') return timestamp;
        return named['format'] === 'password' ? password : text;
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      case 'number':
        return number;
      case 'integer':
        return integer;
      case 'array':
        return arrayOf(named);
      case 'object':
        return named['properties']
          ? objectOf(named)
          : fc.dictionary(text, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
      default:
        throw new Error(`no values are made for the type ${type}`);
    }
  }

  function arrayOf(named: Json): fc.Arbitrary<unknown> {
    if (named['x-longitude-first']) {
      const within = (max: number) => fc.double({ min: -max, max, noNaN: true });
      return fc.tuple(within(180), within(90));
    }
    return fc.array(of(named['items'] as Json), { maxLength: 3 });
  }

  function objectOf(named: Json): fc.Arbitrary<unknown> {
    const properties = Object.entries(named['properties'] as Record<string, Json>);
    const required = (named['required'] ?? []) as string[];
    // Half of all fields would make a long body of every job.
    const shape = Object.fromEntries(
      properties.map(([name, inner]) => [
        name,
        required.includes(name) ? of(inner) : fc.option(of(inner), { nil: undefined, freq: 2 }),
      ]),
    );
    const alone = aloneIn(named);
    const ofAlone = Object.fromEntries(Object.entries(shape).filter(([name]) => alone?.includes(name)));
    return (alone ? fc.oneof(fc.record(shape), fc.record(ofAlone)) : fc.record(shape))
      .map(withoutAbsent)
      .chain((value) => settle(value, named, 0));
  }

  /** Changes the value until it meets the schema's conditions. */
  function settle(value: Json, named: Json, round: number): fc.Arbitrary<Json> {
    if (round > 5) throw new Error(`the conditions can't be met: ${JSON.stringify(value)}`);
    const properties = named['properties'] as Record<string, Json>;
    const missing = [...partsOf(named, value)].flatMap((part) => missingFields(part, value));
    const changes: Record<string, fc.Arbitrary<unknown>> = {};
    for (const name of missing) changes[name] = of(properties[name] as Json);
    for (const part of partsOf(named, value)) if (part !== named) Object.assign(changes, correctedFields(part, value));
    if (Object.keys(changes).length === 0) return fc.constant(value);
    return fc.record(changes).chain((changed) => settle(withoutAbsent({ ...value, ...changed }), named, round + 1));
  }

  return of(schema);
}

/** Returns the fields that are sent without others, if there are such: a new password with its user. */
function aloneIn({ if: condition }: Json): readonly string[] | undefined {
  const { not } = (condition ?? {}) as { readonly not?: { readonly propertyNames: { readonly enum: string[] } } };
  return not?.propertyNames.enum;
}

/** Returns the schema and the parts of it that apply to the value: in `allOf`, and in `then` or `else`. */
function* partsOf(part: Json, value: Json): Generator<Json> {
  yield part;
  for (const inner of (part['allOf'] ?? []) as Json[]) yield* partsOf(inner, value);
  const branch = part['if'] && part[isMet(part['if'] as Json, value) ? 'then' : 'else'];
  if (branch) yield* partsOf(branch as Json, value);
}

function missingFields(part: Json, value: Json): readonly string[] {
  return ((part['required'] ?? []) as string[]).filter((name) => !Object.hasOwn(value, name));
}

/** Returns allowed values for the fields that a condition forbids, or undefined to remove them. */
function correctedFields(part: Json, value: Json): Record<string, fc.Arbitrary<unknown>> {
  const wrong = Object.entries((part['properties'] ?? {}) as Record<string, Json>).filter(
    ([name, inner]) => Object.hasOwn(value, name) && !isMet({ properties: { [name]: inner } }, value),
  );
  return Object.fromEntries(
    wrong.map(([name, inner]) => [
      name,
      inner['not'] ? fc.constant(undefined) : fc.constantFrom(...((inner['enum'] ?? [['HO']]) as unknown[])),
    ]),
  );
}

/** Whether a value meets a condition. Supports the conditions that the document uses. */
export function isMet(condition: Json, value: Json): boolean {
  const { not, propertyNames } = condition as { readonly not?: Json; readonly propertyNames?: Json };
  if (not && isMet(not, value)) return false;
  const names = propertyNames?.['enum'] as string[] | undefined;
  if (names && !Object.keys(value).every((name) => names.includes(name))) return false;
  const required = (condition['required'] ?? []) as string[];
  if (!required.every((name) => Object.hasOwn(value, name))) return false;
  return Object.entries((condition['properties'] ?? {}) as Record<string, Json>).every(([name, inner]) => {
    if (!Object.hasOwn(value, name)) return true;
    if (inner['not'] || (inner['minItems'] && isEmptyList(value[name]))) return false;
    const allowed = (inner['enum'] ?? ('const' in inner ? [inner['const']] : [value[name]])) as unknown[];
    return allowed.some((one) => JSON.stringify(one) === JSON.stringify(value[name]));
  });
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function withoutAbsent(value: Json): Json {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined));
}
