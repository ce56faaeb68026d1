/** Settles fields that the real API accepts and the document does not have: an overlay adds them. */
import type { Json } from '../../../lib/json.ts';
import { groupBy } from '../exchange.ts';
import type { Case } from '../play/play.ts';
import { findSchema, typesOf, valuesAt } from './schema-target.ts';
import type { Proposal, Settler } from './settler.ts';

const unknownField = /^(\S*)\/([^/\s]+): unknown field/;

interface UnknownField {
  readonly operation: string;
  /** Path of the object that has the field. */
  readonly pointer: string;
  readonly name: string;
  readonly target: string;
  readonly values: readonly unknown[];
}

export const settleUnknownFields: Settler = ({ cases }) => {
  const found = cases.flatMap(toUnknownFields);
  return [...groupBy(found, ({ target, name }) => JSON.stringify([target, name])).values()].flatMap(
    (fields): readonly Proposal[] => {
      const [first] = fields;
      if (!first) return [];
      const { target, name } = first;
      const schema = toSchema(fields.flatMap(({ values }) => values));
      const places = new Set(fields.map(({ operation, pointer }) => `${operation} ${pointer}/${name}`));
      return [
        {
          text: `overlay: update ${target}: properties: { ${name}: ${JSON.stringify(schema)} }`,
          actions: [{ target, update: { properties: { [name]: schema } } }],
          settles: ({ kind, seen, operation }) => kind === 'unknown field' && places.has(`${operation} ${seen}`),
        },
      ];
    },
  );
};

function toUnknownFields({ ours, mapped }: Case): readonly UnknownField[] {
  if (mapped.exchange.response.status >= 300) return [];
  return ours.warnings.flatMap((warning): readonly UnknownField[] => {
    const [, parent = '', name] = unknownField.exec(warning) ?? [];
    if (name === undefined) return [];
    const pointer = parent.replace(/\/\d+(?=\/|$)/g, '/*');
    const target = findSchema(mapped.operation, pointer)?.target;
    if (target === undefined) return [];
    const values = valuesAt(mapped.exchange.body?.value, `${pointer}/${name}`);
    return [{ operation: mapped.operation, pointer, name, target, values }];
  });
}

/** Returns a schema that all values satisfy. */
function toSchema(values: readonly unknown[]): Json {
  // Integers seen so far are no evidence against fractions.
  const types = [...new Set(typesOf(values).map((type) => (type === 'integer' ? 'number' : type)))];
  const [type] = types;
  const schema: Json = { type: types.length > 1 ? types : type };
  if (types.includes('object')) schema['additionalProperties'] = true;
  return schema;
}
