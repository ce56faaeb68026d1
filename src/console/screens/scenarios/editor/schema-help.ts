/** Reads a JSON Schema for an editor: the keys and values that are possible at a path, and their descriptions. */
import type { Schema } from '../schema.ts';

export interface Proposal {
  readonly label: string;
  readonly description: string;
}

/** Returns all schemas that may describe the value at a path. */
function schemasAt(root: Schema, path: readonly (string | number)[]): readonly Schema[] {
  let schemas = branchesOf(root);
  for (const step of path) schemas = schemas.flatMap((schema) => stepInto(schema, step)).flatMap(branchesOf);
  return schemas;
}

/** A schema, and all alternatives in it. */
function branchesOf(schema: Schema): readonly Schema[] {
  return [schema, ...(schema.anyOf ?? []).flatMap(branchesOf)];
}

function stepInto({ properties = {}, additionalProperties, items }: Schema, step: string | number): readonly Schema[] {
  if (typeof step === 'number') return items ? [items] : [];
  const found = Object.hasOwn(properties, step) ? properties[step] : additionalProperties;
  return typeof found === 'object' ? [found] : [];
}

/** Returns the keys of the map at a path. */
export function keysAt(root: Schema, path: readonly (string | number)[]): readonly Proposal[] {
  const found = schemasAt(root, path).flatMap(({ properties = {} }) => Object.entries(properties));
  return distinct(found.map(([label, { description = '' }]) => ({ label, description })));
}

/** Returns the values that the schema names at a path. */
export function valuesAt(root: Schema, path: readonly (string | number)[]): readonly Proposal[] {
  const schemas = schemasAt(root, path);
  const listed = schemas.flatMap((schema) => (schema.items ? branchesOf(schema.items) : []));
  return distinct(
    [...schemas, ...listed].flatMap(({ enum: values = [], const: only, type, description = '' }) => {
      const all: readonly unknown[] =
        type === 'boolean' && only === undefined ? [true, false] : only === undefined ? values : [only];
      return all.map((value) => ({ label: String(value), description }));
    }),
  );
}

/** Returns what the value at a path means, or an empty text. */
export function descriptionAt(root: Schema, path: readonly (string | number)[]): string {
  return schemasAt(root, path).find(({ description }) => description)?.description ?? '';
}

function distinct(proposals: readonly Proposal[]): readonly Proposal[] {
  return [...new Map(proposals.toReversed().map((one) => [one.label, one])).values()].reverse();
}
