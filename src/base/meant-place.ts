/** Finds where in a schema a key belongs that stands in the wrong mapping; knows of no message but its own. */
import { listed } from './issue-words.ts';
import { branchesOf, type Schema, type Shape, schemasAt, shapeOf, shapesOf, shapesWithin } from './schema-shape.ts';

/** The keys and indices that lead to a value. */
export type Path = readonly PropertyKey[];

/** Where a key belongs. */
export interface Place {
  /** Whether that place is near enough to believe it rather than a similar name. */
  readonly isSure: boolean;
  /** The keys under which it belongs. */
  readonly inside: readonly string[];
  readonly words: string;
}

/**
 * Where a key belongs that has no place in a mapping of these shapes: under one of its other keys (of those that are
 * there, if any is), beside one of the keys that lead to it, or under a neighbour of those.
 */
export function placeOf(
  key: string,
  path: Path,
  shapes: readonly Shape[],
  present: readonly string[],
  root: Schema,
): Place | undefined {
  const all = shapes.flatMap((shape) => homesOf(key, shape));
  const there = all.filter((name) => present.includes(name));
  const inside = [...new Set(there.length > 0 ? there : all)];
  if (inside.length > 0) return { isSure: true, inside, words: within(inside, shapes) };
  const steps = path.map((step, depth) => ({
    step: String(step),
    shapes: shapesWith(step, path.slice(0, depth), root),
  }));
  steps.reverse();
  const above = steps.find((one) => one.shapes.some((shape) => Object.hasOwn(shape, key)));
  if (above) return { isSure: true, inside: [], words: `it goes beside ${above.step}` };
  for (const { step, shapes: around } of steps) {
    const homes = [...new Set(around.flatMap((shape) => homesOf(key, shape)))].filter((name) => name !== step);
    if (homes.length > 0) return { isSure: false, inside: [], words: within(homes, around) };
  }
  return undefined;
}

/** The mappings at a path that a key leads on from. */
function shapesWith(step: PropertyKey, path: Path, root: Schema): readonly Shape[] {
  if (typeof step !== 'string') return [];
  return shapesOf(schemasAt(root, path)).filter((shape) => Object.hasOwn(shape, step));
}

/** The keys of a mapping under which this one is known. */
function homesOf(key: string, shape: Shape): readonly string[] {
  return Object.keys(shape).filter((name) => {
    const child = shape[name];
    return child !== undefined && shapesWithin(child).some((inner) => Object.hasOwn(inner, key));
  });
}

function within(names: readonly string[], shapes: readonly Shape[]): string {
  const said = names.map((name) => {
    const child = shapes.map((shape) => shape[name]).find((schema) => schema !== undefined);
    const isOnlyList = child !== undefined && branchesOf(child).every((branch) => !shapeOf(branch));
    return isOnlyList ? `an entry of ${name}` : name;
  });
  return `it goes inside ${listed(said)}`;
}
