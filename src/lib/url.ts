/** Checks URLs. */

/**
 * Whether a text is a URL. `URL.canParse` of Node 20 rejects hosts with letters such as `ü` as soon as V8 has optimized
 * its caller, after some thousand calls.
 */
export function isUrl(text: string): boolean {
  try {
    return new URL(text).href !== '';
  } catch {
    return false;
  }
}
