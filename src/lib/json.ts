/** A JSON object whose fields are defined by a specification only. */
export type Json = Record<string, unknown>;

/** Returns whether a value is a JSON object. */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
