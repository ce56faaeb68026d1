/** Describes the shape of a JSON value: its fields and types, without its values. */
import { isObject } from '../exchange.ts';

/** Maximum depth of a shape; deeper values count as `…`. */
const maxDepth = 6;

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
  if (!isObject(value)) return value === null ? 'null' : value === undefined ? 'none' : typeof value;
  const fields = Object.keys(value)
    .toSorted()
    .map((name) => `${name}: ${toShape(value[name], depth + 1)}`);
  return `{${fields.join(', ')}}`;
}
