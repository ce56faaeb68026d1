/** Describes the shape of a JSON value: its fields and types, without its values. */
import { isObject, type Json } from '../../lib/json.ts';

/** Maximum depth of a shape; deeper values count as `…`. */
const maxDepth = 6;

/** Names the type of a JSON value. Integers are numbers: those seen so far are no evidence against fractions. */
export function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
}

/**
 * Returns the shape as a text, such as `{failed: [], jobs: [{orderNumber: string}], jobsReceived: number}`. A list has
 * the shapes of its items, each once.
 */
export function toShape(value: unknown, depth = 0): string {
  if (depth > maxDepth) return '…';
  if (Array.isArray(value)) {
    const shapes = [...new Set(value.map((item) => toShape(item, depth + 1)))].toSorted();
    return `[${shapes.join(' | ')}]`;
  }
  if (!isObject(value)) return value === undefined ? 'none' : kindOf(value);
  const fields = Object.keys(value)
    .toSorted()
    .map((name) => `${name}: ${toShape(value[name], depth + 1)}`);
  return `{${fields.join(', ')}}`;
}

/** A field, or a part of a value, whose shape differs. */
export interface ShapeDifference {
  readonly expected: string;
  readonly seen: string;
}

/** Returns what differs between two shapes, part by part, so that equal parts of different values can be counted. */
export function compareShapes(ours: unknown, real: unknown, path = ''): readonly ShapeDifference[] {
  const [expected, seen] = [toShape(ours), toShape(real)];
  if (expected === seen) return [];
  if (isObject(ours) && isObject(real)) return compareFields(ours, real, path);
  if (Array.isArray(ours) && Array.isArray(real) && ours.length === real.length) {
    const all = ours.flatMap((item: unknown, index) => compareShapes(item, real[index], `${path}[]`));
    return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
  }
  const prefix = path === '' ? '' : `${path}: `;
  return [{ expected: prefix + expected, seen: prefix + seen }];
}

function compareFields(ours: Json, real: Json, path: string): readonly ShapeDifference[] {
  const names = [...new Set([...Object.keys(ours), ...Object.keys(real)])].toSorted();
  return names.flatMap((name): readonly ShapeDifference[] => {
    const inner = path === '' ? name : `${path}.${name}`;
    if (!Object.hasOwn(ours, name)) return [{ expected: `no ${inner}`, seen: `+ ${inner}: ${toShape(real[name])}` }];
    if (!Object.hasOwn(real, name)) return [{ expected: `${inner}: ${toShape(ours[name])}`, seen: `no ${inner}` }];
    return compareShapes(ours[name], real[name], inner);
  });
}
