/** Describes unknown keys: which key was meant, or where the key belongs. */
import { nearest } from '../lib/nearest.ts';
import { joinNames, show } from './issue-message.ts';
import { type Schema, type Shape, schemasAt, shapesOf } from './schema-shape.ts';
import type { Path } from './yaml-nodes.ts';

/** Each finding costs a search for the intended key. Twice the number that is shown, because some are removed. */
export const maxFindings = 200;

/** One problem of a value. */
export interface Finding {
  readonly path: Path;
  /** Whether the problem concerns the key or the value. */
  readonly at: 'key' | 'value';
  readonly message: string;
  /** Path of the missing or empty key that the finding is about. */
  readonly absent?: Path;
  /** Paths of the keys that an unknown key was meant for: findings that they are missing are consequences. */
  readonly meant?: readonly Path[];
}

/** The value to check, and its schema. */
export interface Context {
  readonly root: unknown;
  readonly schema: Schema;
}

/** Returns the value at a path; reads own properties only. */
export function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

/**
 * Describes keys that the mapping must not have. Searches for a similar key first, then for a mapping below or above
 * that has the key. `shapes`: all options of the mapping.
 */
export function describeUnknownKeys(
  keys: readonly string[],
  parent: Path,
  shapes: readonly Shape[],
  { root, schema }: Context,
): readonly Finding[] {
  const present = Object.keys(valueAt(root, parent) as object);
  const validKeys = [...new Set(shapes.flatMap((shape) => Object.keys(shape)))];
  return keys.slice(0, maxFindings).map((key) => {
    const toFinding = (advice: string, meant: readonly string[] = []): Finding => ({
      path: [...parent, key],
      at: 'key',
      message: `unknown key ${show(key)}${advice}`,
      meant: meant.map((name) => [...parent, name]),
    });
    const [prefix = ''] = key.split(':', 1);
    if (prefix !== key && validKeys.includes(prefix)) return toFinding(': put a space after the colon', [prefix]);
    if (key === '<<') return toFinding(': merge keys are not supported', validKeys);
    const isOfOtherOption = validKeys.includes(key);
    const similar = isOfOtherOption ? undefined : nearest(key, validKeys);
    if (similar !== undefined) return toFinding(`, did you mean ${similar}?`, [similar]);
    const containers = findContainers(key, shapes, present);
    if (containers.length > 0) return toFinding(`: move it into ${joinNames(containers)}`, containers);
    const neighbour = findNeighbour(key, parent, schema);
    if (neighbour !== undefined) return toFinding(`: move it next to ${neighbour}`);
    if (!isOfOtherOption) return toFinding(`, expected ${joinNames(validKeys)}`);
    const conflicting = present.find((name) => name !== key && validKeys.includes(name));
    return { path: [...parent, key], at: 'key', message: `${key} cannot be combined with ${conflicting}` };
  });
}

/** Returns the keys of the mapping below which a key is valid; only those that are present, if any is. */
function findContainers(key: string, shapes: readonly Shape[], present: readonly string[]): readonly string[] {
  const children = shapes.flatMap((shape) => Object.entries(shape));
  const all = children
    .filter(([, child]) => shapesOf([child]).some((inner) => Object.hasOwn(inner, key)))
    .map(([name]) => name);
  const used = all.filter((name) => present.includes(name));
  return [...new Set(used.length > 0 ? used : all)];
}

/** Returns the nearest key above the mapping whose neighbours may have this key. */
function findNeighbour(key: string, path: Path, schema: Schema): string | undefined {
  const step = path.findLastIndex((name, depth) =>
    shapesOf(schemasAt(schema, path.slice(0, depth))).some(
      (shape) => Object.hasOwn(shape, name) && Object.hasOwn(shape, key),
    ),
  );
  return step < 0 ? undefined : String(path[step]);
}
