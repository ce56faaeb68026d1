/** Checks how deep objects and lists are nested, only to the allowed depth, so that no input can overflow the stack. */

/** Returns whether a value is nested deeper than `levels`. A text or number has no level, an empty list has one. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels <= 0) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (isDeeperThan(item, levels - 1)) return true;
    return false;
  }
  for (const key in value) {
    const inner = (value as Record<string, unknown>)[key];
    if (typeof inner === 'object' && isDeeperThan(inner, levels - 1)) return true;
  }
  return false;
}

/** Returns the error message for a body with more levels than allowed. */
export function tooDeep(levels: number): string {
  return `the body must have at most ${levels} levels of nested objects and lists, got more`;
}
