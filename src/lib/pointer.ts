/** Reads values of JSON by their paths, and reads and writes paths as JSON Pointers (RFC 6901). */
import type { Json } from './json.ts';

/** Returns the value at a path of field names and list indexes; reads own properties only. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current: unknown = value;
  for (const key of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return undefined;
    current = (current as Json)[key as string];
  }
  return current;
}

export function toPointer(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

export function fromPointer(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}
