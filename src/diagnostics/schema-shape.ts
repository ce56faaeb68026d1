/** Inspects zod schemas: the types that a value may have, and the keys of a mapping. */
import type { z } from 'zod';

/** A zod schema of any kind. */
export type Schema = z.core.$ZodType;

/** The keys of a mapping with the schemas of their values. */
export type Shape = Readonly<Record<string, Schema>>;

/** Removes `optional`, `nullable` and `readonly` wrappers from a schema. */
function unwrap(schema: Schema): Schema {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return def.type === 'optional' || def.type === 'nullable' || def.type === 'readonly' ? unwrap(def.innerType) : schema;
}

/** Returns the options of a union without flattening, or undefined if the schema is not a union. */
export function optionsOf(schema: Schema): readonly Schema[] | undefined {
  const { def } = (unwrap(schema) as z.core.$ZodTypes)._zod;
  return def.type === 'union' ? def.options : undefined;
}

/** Returns the alternatives of a schema: the options of a union and its nested unions, otherwise the schema itself. */
export function branchesOf(schema: Schema): readonly Schema[] {
  return optionsOf(schema)?.flatMap(branchesOf) ?? [unwrap(schema)];
}

/** Returns the keys of a mapping with fixed keys, or undefined for other schemas. */
export function shapeOf(schema: Schema): Shape | undefined {
  const { def } = (unwrap(schema) as z.core.$ZodTypes)._zod;
  return def.type === 'object' ? (def.shape as Shape) : undefined;
}

/** Returns the required keys of a mapping. */
export function requiredKeys(shape: Shape): readonly string[] {
  return Object.keys(shape).filter((key) => shape[key]?._zod.optin !== 'optional');
}

/** Returns the mappings with fixed keys among the alternatives of the schemas. */
export function shapesOf(schemas: readonly Schema[]): readonly Shape[] {
  return schemas.flatMap(branchesOf).flatMap((branch) => {
    const shape = shapeOf(branch);
    return shape ? [shape] : [];
  });
}

/** Returns the schemas of the value at a key or an index, for all alternatives of the schema. */
function childrenOf(schema: Schema, key: PropertyKey): readonly Schema[] {
  return branchesOf(schema).flatMap((branch) => {
    const { def } = (branch as z.core.$ZodTypes)._zod;
    if (def.type === 'array') return [def.element];
    if (def.type === 'record') return [def.valueType];
    const shape = shapeOf(branch);
    const child = shape !== undefined && Object.hasOwn(shape, key) ? shape[String(key)] : undefined;
    return child ? [child] : [];
  });
}

/** Returns the schemas of the value at a path. */
export function schemasAt(root: Schema, path: readonly PropertyKey[]): readonly Schema[] {
  return path.reduce<readonly Schema[]>((schemas, key) => schemas.flatMap((schema) => childrenOf(schema, key)), [root]);
}

/** Returns the mappings with fixed keys among the alternatives of a schema and the items of its lists. */
export function shapesWithin(schema: Schema): readonly Shape[] {
  return branchesOf(schema).flatMap((branch) => {
    const { def } = (branch as z.core.$ZodTypes)._zod;
    if (def.type === 'array') return shapesWithin(def.element);
    const shape = shapeOf(branch);
    return shape ? [shape] : [];
  });
}
