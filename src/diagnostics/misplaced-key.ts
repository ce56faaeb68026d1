/** Finds where in a schema a key belongs that is in the wrong mapping. */
import { joinNames } from './issue-message.ts';
import { branchesOf, type Schema, type Shape, schemasAt, shapeOf, shapesOf, shapesWithin } from './schema-shape.ts';

/** Keys and indices that lead to a value. */
export type SchemaPath = readonly PropertyKey[];

/** The location where a key belongs. */
export interface MisplacedKey {
  /** Whether the location is close enough to prefer it to a similar name. */
  readonly isSure: boolean;
  /** The keys under which it belongs. */
  readonly inside: readonly string[];
  readonly words: string;
}

/**
 * Returns where a key belongs that no mapping of these shapes has, or undefined. It searches in this order: below
 * another key of the mapping (present keys first), next to one of the keys that lead to the mapping, below a sibling
 * of those.
 */
export function findMisplacedKey(
  key: string,
  path: SchemaPath,
  shapes: readonly Shape[],
  present: readonly string[],
  root: Schema,
): MisplacedKey | undefined {
  const all = shapes.flatMap((shape) => parentKeysOf(key, shape));
  const used = all.filter((name) => present.includes(name));
  const inside = [...new Set(used.length > 0 ? used : all)];
  if (inside.length > 0) return { isSure: true, inside, words: within(inside, shapes) };
  const steps = path.map((step, depth) => ({
    step: String(step),
    shapes: shapesWith(step, path.slice(0, depth), root),
  }));
  steps.reverse();
  const above = steps.find((one) => one.shapes.some((shape) => Object.hasOwn(shape, key)));
  if (above) return { isSure: true, inside: [], words: `it goes beside ${above.step}` };
  for (const { step, shapes: around } of steps) {
    const parents = [...new Set(around.flatMap((shape) => parentKeysOf(key, shape)))].filter((name) => name !== step);
    if (parents.length > 0) return { isSure: false, inside: [], words: within(parents, around) };
  }
  return undefined;
}

/** Returns the mappings at a path that have this key. */
function shapesWith(step: PropertyKey, path: SchemaPath, root: Schema): readonly Shape[] {
  if (typeof step !== 'string') return [];
  return shapesOf(schemasAt(root, path)).filter((shape) => Object.hasOwn(shape, step));
}

/** Returns the keys of a mapping below which this key is valid. */
function parentKeysOf(key: string, shape: Shape): readonly string[] {
  return Object.keys(shape).filter((name) => {
    const child = shape[name];
    return child !== undefined && shapesWithin(child).some((inner) => Object.hasOwn(inner, key));
  });
}

function within(names: readonly string[], shapes: readonly Shape[]): string {
  const labels = names.map((name) => {
    const child = shapes.map((shape) => shape[name]).find((schema) => schema !== undefined);
    const isOnlyList = child !== undefined && branchesOf(child).every((branch) => !shapeOf(branch));
    return isOnlyList ? `an entry of ${name}` : name;
  });
  return `it goes inside ${joinNames(labels)}`;
}
