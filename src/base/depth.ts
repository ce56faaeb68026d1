/** How deep objects and lists stand in each other; looks only as deep as is allowed, so nothing can make it overflow. */

/** Whether a value has more than so many levels. A text or number has none, an empty list has one. */
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

/** What to tell someone whose body goes deeper. */
export function tooDeep(levels: number): string {
  return `objects and lists may stand ${levels} levels deep in each other; this body goes deeper`;
}
