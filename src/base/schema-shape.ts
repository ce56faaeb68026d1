/** Looks into zod schemas: which kinds a value may be of, which keys a mapping has; knows of no value. */
import type { z } from 'zod';

/** A zod schema of any kind. */
export type Schema = z.core.$ZodType;

/** The keys of a mapping and the schemas of what stands under them. */
export type Shape = Readonly<Record<string, Schema>>;

/** What lies under `optional` and the like. */
function unwrap(schema: Schema): Schema {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return def.type === 'optional' || def.type === 'nullable' || def.type === 'readonly' ? unwrap(def.innerType) : schema;
}

/** The options of a union as they stand, or undefined where it is none. */
export function optionsOf(schema: Schema): readonly Schema[] | undefined {
  const { def } = (unwrap(schema) as z.core.$ZodTypes)._zod;
  return def.type === 'union' ? def.options : undefined;
}

/** The kinds of value that a schema takes: itself, or the options of unions, of those within unions too. */
export function branchesOf(schema: Schema): readonly Schema[] {
  return optionsOf(schema)?.flatMap(branchesOf) ?? [unwrap(schema)];
}

/** The keys of a mapping that has a fixed set of them. */
export function shapeOf(schema: Schema): Shape | undefined {
  const { def } = (unwrap(schema) as z.core.$ZodTypes)._zod;
  return def.type === 'object' ? (def.shape as Shape) : undefined;
}

/** The keys that may not be left out. */
export function requiredKeys(shape: Shape): readonly string[] {
  return Object.keys(shape).filter((key) => shape[key]?._zod.optin !== 'optional');
}

/** The mappings with fixed keys among the kinds of value that schemas take. */
export function shapesOf(schemas: readonly Schema[]): readonly Shape[] {
  return schemas.flatMap(branchesOf).flatMap((branch) => {
    const shape = shapeOf(branch);
    return shape ? [shape] : [];
  });
}

/** What may stand under a key or an index, by all kinds of value that the schema takes. */
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

/** What may stand at a path. */
export function schemasAt(root: Schema, path: readonly PropertyKey[]): readonly Schema[] {
  return path.reduce<readonly Schema[]>((schemas, key) => schemas.flatMap((schema) => childrenOf(schema, key)), [root]);
}

/** The mappings among the kinds of value that a schema takes, those that are entries of its lists too. */
export function shapesWithin(schema: Schema): readonly Shape[] {
  return branchesOf(schema).flatMap((branch) => {
    const { def } = (branch as z.core.$ZodTypes)._zod;
    if (def.type === 'array') return shapesWithin(def.element);
    const shape = shapeOf(branch);
    return shape ? [shape] : [];
  });
}
