/** Inspects zod schemas: the types that a value may have, and the keys of a mapping. */
import type { z } from 'zod';

/** A zod schema of any kind. */
export type Schema = z.core.$ZodType;

/** The keys of a mapping with the schemas of their values. */
export type Shape = Readonly<Record<string, Schema>>;

/** Returns the definition of a schema, without `optional`, `nullable` and `readonly` wrappers. */
function definitionOf(schema: Schema): z.core.$ZodTypes['_zod']['def'] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const isWrapper = def.type === 'optional' || def.type === 'nullable' || def.type === 'readonly';
  return isWrapper ? definitionOf(def.innerType) : def;
}

/** Returns the options of a union without flattening, or undefined if the schema is not a union. */
export function optionsOf(schema: Schema): readonly Schema[] | undefined {
  const definition = definitionOf(schema);
  return definition.type === 'union' ? definition.options : undefined;
}

/** Returns the alternatives of a schema: the options of a union and its nested unions, otherwise the schema itself. */
function branchesOf(schema: Schema): readonly Schema[] {
  return optionsOf(schema)?.flatMap(branchesOf) ?? [schema];
}

/** Returns the keys of a mapping with fixed keys, or undefined for other schemas. */
export function shapeOf(schema: Schema): Shape | undefined {
  const definition = definitionOf(schema);
  return definition.type === 'object' ? (definition.shape as Shape) : undefined;
}

/** Returns the required keys of a mapping. */
export function requiredKeys(shape: Shape): readonly string[] {
  return Object.keys(shape).filter((key) => shape[key]?._zod.optin !== 'optional');
}

/** Returns the required keys of a mapping, or all keys if none is required. */
export function mainKeys(shape: Shape): readonly string[] {
  const required = requiredKeys(shape);
  return required.length > 0 ? required : Object.keys(shape);
}

/** Returns the mappings with fixed keys among the alternatives of the schemas and the items of their lists. */
export function shapesOf(schemas: readonly Schema[]): readonly Shape[] {
  return schemas.flatMap(branchesOf).flatMap((branch): Shape | readonly Shape[] => {
    const definition = definitionOf(branch);
    return definition.type === 'array' ? shapesOf([definition.element]) : (shapeOf(branch) ?? []);
  });
}

/** Returns the schemas of the value at a path. */
export function schemasAt(root: Schema, path: readonly PropertyKey[]): readonly Schema[] {
  return path.reduce<readonly Schema[]>((schemas, key) => schemas.flatMap((schema) => childrenOf(schema, key)), [root]);
}

/** Returns the schemas of the value at a key or an index, for all alternatives of the schema. */
function childrenOf(schema: Schema, key: PropertyKey): readonly Schema[] {
  return branchesOf(schema).flatMap((branch): readonly Schema[] => {
    const definition = definitionOf(branch);
    if (definition.type === 'array') return [definition.element];
    if (definition.type === 'record') return [definition.valueType];
    const shape = shapeOf(branch) ?? {};
    return Object.hasOwn(shape, key) ? [shape[String(key)] as Schema] : [];
  });
}
